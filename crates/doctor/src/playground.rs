//! The same mesh, scaled down to what a browser runs.

use plan::{Layout, Message, RunConfig, RunPlan, StrategyKind, message};
use serde::Serialize;

use crate::setup::Setup;

/// The most ranks that the playground opens with.
const MAX_RANKS: u64 = 8;

/// A run for the playground, and what was scaled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Playground {
    /// The run.
    pub run: RunConfig,
    /// What differs from the run that was diagnosed.
    pub notes: Vec<Message>,
}

/// The run that shows the mesh of `setup`; `None` where it asks for no CP or SP.
pub fn playground(setup: &Setup) -> Option<Playground> {
    let sizes = setup.asked;
    let ulysses = sizes.sp > 1 && sizes.cp <= 1;
    let asked = if ulysses { sizes.sp } else { sizes.cp };
    if asked <= 1 {
        return None;
    }
    let mut notes = Vec::new();
    // The page offers powers of two.
    let cp = power_of_two_up_to(asked.min(MAX_RANKS));
    if cp < asked {
        notes.push(message!("cp {asked} is shown as {cp}", asked, cp));
    }
    let asked_dp = sizes.dp_replicate.saturating_mul(sizes.dp_shard);
    let dp = power_of_two_up_to(asked_dp.min(MAX_RANKS / cp));
    if dp < asked_dp {
        notes.push(message!("dp {asked} is shown as {dp}", asked = asked_dp, dp));
    }
    if sizes.tp > 1 {
        notes.push(message!("tp {tp} is left out", tp = sizes.tp));
    }
    if sizes.dp_shard > 1 {
        notes.push(message!("dp_shard is shown as replicas: nothing shards parameters here"));
    }
    let strategy = match (ulysses, setup.strategy.as_deref()) {
        (true, _) => StrategyKind::Ulysses,
        (false, Some("alltoall")) => StrategyKind::Ring,
        (false, _) => StrategyKind::AllGather,
    };
    // torch balances causal attention by giving each rank a piece of both ends: zigzag.
    let layout = if ulysses { Layout::Contiguous } else { Layout::Zigzag };
    let default = RunConfig::default();
    // Ulysses wants a multiple of its degree in heads, and heads want an even size.
    let heads = if ulysses { default.heads.next_multiple_of(to_usize(cp)) } else { default.heads };
    let d_model = default.d_model.next_multiple_of(2 * heads);
    let run = RunConfig {
        cp: to_usize(cp),
        dp: to_usize(dp),
        strategy,
        layout,
        heads,
        d_model,
        kv_heads: None,
        ..default
    };
    // Whatever is not possible here is not offered.
    RunPlan::new(run.clone()).ok().map(|_| Playground { run, notes })
}

fn power_of_two_up_to(number: u64) -> u64 {
    1 << number.max(1).ilog2()
}

/// Exact: the number is at most [`MAX_RANKS`].
fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use plan::elsewhere::{Kind, Target, elsewhere};

    use super::*;
    use crate::{Input, Verdict, diagnose};

    #[test]
    fn what_a_run_is_written_as_is_in_order_and_opens_that_run() {
        for (strategy, layout, dp) in [
            (StrategyKind::Ring, Layout::Zigzag, 1),
            (StrategyKind::Ring, Layout::Zigzag, 2),
            (StrategyKind::AllGather, Layout::Zigzag, 1),
            (StrategyKind::Ulysses, Layout::Contiguous, 2),
        ] {
            let run = RunConfig { strategy, layout, dp, ..RunConfig::default() };
            let plan = RunPlan::new(run.clone()).expect("the run can be had");
            let pieces = elsewhere(&plan, Target::Accelerate).pieces;
            let file = pieces.into_iter().find(|piece| piece.kind == Kind::Yaml);
            let report = diagnose(&Input {
                config: file.map(|piece| piece.code),
                accelerate: Some("1.13.0".to_owned()),
                torch: Some("2.7.0".to_owned()),
                ..Input::default()
            })
            .expect("there is something to diagnose");
            assert_ne!(report.verdict, Verdict::Error, "{strategy}: {:?}", report.findings);
            assert_eq!(report.playground.map(|opened| opened.run), Some(run), "{strategy}");
        }
    }
}
