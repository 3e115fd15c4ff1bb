//! What one computation of attention with one block is called: a step of a ring, or a turn.

use std::borrow::Cow;

use plan::{AttentionPlan, StrategyKind};

use crate::t;

/// Whether blocks go around a ring. Where they are gathered, heads are exchanged, or one rank has
/// all, they do not.
pub fn is_ring(attention: &AttentionPlan) -> bool {
    let strategy = attention.strategy();
    matches!(strategy.kind(), StrategyKind::Ring | StrategyKind::Usp) && strategy.ring() > 1
}

/// The one of that number, from 0.
pub fn at(attention: &AttentionPlan, step: usize) -> Cow<'static, str> {
    match is_ring(attention) {
        true => t!("turn.ring", step = step + 1),
        false => t!("turn.other", step = step + 1),
    }
}

/// The one of that number, from 0, of so many.
pub fn of(is_ring: bool, step: usize, steps: usize) -> Cow<'static, str> {
    match is_ring {
        true => t!("turn.ring_of", step = step + 1, steps = steps),
        false => t!("turn.other_of", step = step + 1, steps = steps),
    }
}

/// What a tile and its number are, by how keys come to a rank.
pub fn lead(attention: &AttentionPlan) -> String {
    let tile = match attention.strategy().kind() {
        _ if attention.sequence().world().get() == 1 => t!("turn.alone"),
        StrategyKind::Ring => t!("schedule.lead_ring"),
        StrategyKind::AllGather => t!("schedule.lead_gather"),
        StrategyKind::Ulysses => t!("schedule.lead_ulysses"),
        StrategyKind::Usp => t!("schedule.lead_usp"),
    };
    [t!("schedule.lead"), tile].join(&t!("between.sentences"))
}

/// What heads a column of their numbers.
pub fn name(attention: &AttentionPlan) -> Cow<'static, str> {
    match is_ring(attention) {
        true => t!("glossary.names.ring_step"),
        false => t!("turn.name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{RunConfig, RunPlan};

    #[test]
    fn only_a_ring_has_ring_steps() {
        for (strategy, cp, turn, words) in [
            (StrategyKind::Ring, 4, "ring step 2", "its number is the ring step"),
            (StrategyKind::AllGather, 4, "turn 2", "All blocks are there before"),
            (StrategyKind::Ulysses, 4, "turn 2", "share of the heads"),
            (StrategyKind::Usp, 4, "ring step 2", "Ranks that exchange heads"),
            (StrategyKind::Ring, 1, "turn 2", "need not travel"),
        ] {
            let config = RunConfig { cp, strategy, ..RunConfig::default() };
            let plan = RunPlan::new(config).expect("a possible run");
            assert_eq!(at(plan.attention(), 1), turn);
            let lead = lead(plan.attention());
            assert!(lead.contains(words), "{strategy:?}: {lead}");
            assert_eq!(lead.contains("ring"), is_ring(plan.attention()), "{lead}");
        }
    }
}
