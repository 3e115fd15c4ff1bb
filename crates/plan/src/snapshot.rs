//! When the state of a run is kept, so that one can go back to it: often at first, then more rarely.

use crate::{Optimizer, RunPlan};

/// Bytes of state that a run may send a step, on average, so that keeping costs little beside it.
const BYTES_A_STEP: u64 = 200_000;
/// Steps between two snapshots of a small model.
const SHORTEST: u32 = 10;
/// Snapshots at the shortest distance, and about twice as many as at each doubling of it.
const DENSE: u32 = 32;
/// State that is larger than this is kept only when it is asked for.
const LARGEST: u64 = 32 << 20;

/// Bytes of the parameters and the optimiser's state, in f32.
pub fn bytes(plan: &RunPlan) -> u64 {
    let copies = match plan.config().optimizer {
        Optimizer::Adamw => 3,
        Optimizer::Sgd => 1,
    };
    copies * 4 * plan.model().parameters() as u64
}

/// Whether the state after `steps` steps is kept. The distance doubles as the run goes on, so that
/// the number of snapshots grows with the logarithm of its length.
pub fn is_due(plan: &RunPlan, steps: u32) -> bool {
    let bytes = bytes(plan);
    let base = (bytes / BYTES_A_STEP).next_multiple_of(u64::from(SHORTEST)) as u32;
    let base = base.max(SHORTEST);
    let doublings = (steps / (base * DENSE)).checked_ilog2().unwrap_or(0);
    bytes <= LARGEST && steps > 0 && steps.is_multiple_of(base << doublings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunConfig;

    fn due(config: RunConfig, until: u32) -> Vec<u32> {
        let plan = RunPlan::new(config).expect("the run is possible");
        (0..until).filter(|&steps| is_due(&plan, steps)).collect()
    }

    #[test]
    fn a_small_run_is_kept_often_and_a_long_one_more_rarely() {
        let kept = due(RunConfig::default(), 3000);
        assert_eq!(kept[..3], [10, 20, 30]);
        assert!(kept.contains(&1280) && kept.contains(&1320) && !kept.contains(&1300));
        let hour = due(RunConfig::default(), 360_000).len();
        assert!((80..500).contains(&hour), "{hour}");
    }

    #[test]
    fn a_large_state_is_kept_rarely_or_not_at_all() {
        let large = RunConfig { d_model: 256, layers: 2, ..RunConfig::default() };
        assert!(due(large, 1000)[0] > 100);
        let larger = RunConfig { d_model: 512, layers: 8, ..RunConfig::default() };
        assert!(due(larger, 10_000).is_empty());
    }
}
