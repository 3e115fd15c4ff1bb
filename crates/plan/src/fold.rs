//! Folds over events: what the page shows is computed here, and tested without a browser.

pub mod beats;
pub mod clock;
pub mod times;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::event::{Axis, Event, EventKind, Op, Scalar};

/// Messages and bytes that each rank has sent, by operation and by receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    by_rank: BTreeMap<u16, BTreeMap<(Axis, Op), crate::traffic::Flow>>,
    /// By sender, then receiver.
    links: BTreeMap<(u16, u16), crate::traffic::Flow>,
}

impl Sent {
    /// Counts `event` if it is a send.
    pub fn add(&mut self, event: &Event) {
        if let EventKind::Send { axis, op, to, bytes, .. } = event.kind {
            let by_op = self.by_rank.entry(event.rank).or_default().entry((axis, op)).or_default();
            let by_link = self.links.entry((event.rank, to)).or_default();
            for flow in [by_op, by_link] {
                flow.messages += 1;
                flow.bytes += bytes;
            }
        }
    }

    /// All that `rank` has sent.
    pub fn rank(&self, rank: u16) -> crate::traffic::Flow {
        self.by_rank
            .get(&rank)
            .map(|ops| ops.values().fold(Default::default(), |sum, &flow| sum + flow))
            .unwrap_or_default()
    }

    /// What `rank` has sent for one operation of one group.
    pub fn op(&self, rank: u16, axis: Axis, op: Op) -> crate::traffic::Flow {
        self.by_rank.get(&rank).and_then(|ops| ops.get(&(axis, op))).copied().unwrap_or_default()
    }

    /// Every operation that `rank` has sent for.
    pub fn ops(&self, rank: u16) -> impl Iterator<Item = ((Axis, Op), crate::traffic::Flow)> + '_ {
        self.by_rank.get(&rank).into_iter().flatten().map(|(&key, &flow)| (key, flow))
    }

    /// What `from` has sent to `to`; over all receivers it adds up to [`Sent::rank`].
    pub fn link(&self, from: u16, to: u16) -> crate::traffic::Flow {
        self.links.get(&(from, to)).copied().unwrap_or_default()
    }

    /// Every link that something was sent over: sender, receiver and what was sent.
    pub fn links(&self) -> impl Iterator<Item = (u16, u16, crate::traffic::Flow)> + '_ {
        self.links.iter().map(|(&(from, to), &flow)| (from, to, flow))
    }
}

/// One training step's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepNumbers {
    /// Mean loss over the whole batch's valid tokens.
    pub loss: Option<f64>,
    /// Loss on the evaluation batches.
    pub eval_loss: Option<f64>,
    /// Global gradient norm before clipping.
    pub grad_norm: Option<f64>,
    /// Valid tokens of the whole batch.
    pub valid_tokens: Option<f64>,
    /// When rank 0 began it and ended it, in microseconds of the run; the beginning is later by the
    /// time for which somebody held the rank in it.
    pub began_us: u64,
    /// See `began_us`.
    pub ended_us: u64,
}

impl StepNumbers {
    /// Microseconds that rank 0 took for it.
    pub fn took_us(&self) -> u64 {
        self.ended_us.saturating_sub(self.began_us)
    }
}

/// The training curve, from rank 0's scalars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    steps: BTreeMap<u32, StepNumbers>,
}

impl Curve {
    /// Adds rank 0's numbers; other ranks report the same ones.
    pub fn add(&mut self, event: &Event) {
        if event.rank != 0 {
            return;
        }
        match event.kind {
            EventKind::StepBegin => {
                self.steps.entry(event.step).or_default().began_us = event.at_us;
            }
            EventKind::StepEnd { .. } => {
                self.steps.entry(event.step).or_default().ended_us = event.at_us;
            }
            EventKind::Held { took_us } => {
                self.steps.entry(event.step).or_default().began_us += took_us;
            }
            EventKind::Scalar { name, value } => {
                let step = self.steps.entry(event.step).or_default();
                match name {
                    Scalar::Loss => step.loss = Some(value),
                    Scalar::EvalLoss => step.eval_loss = Some(value),
                    Scalar::GradNorm => step.grad_norm = Some(value),
                    Scalar::ValidTokens => step.valid_tokens = Some(value),
                    Scalar::LearningRate => {}
                }
            }
            _ => {}
        }
    }

    /// Forgets `step` and what comes after it.
    pub fn forget_from(&mut self, step: u32) {
        self.steps.split_off(&step);
    }

    /// Steps in order, each with its numbers.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (u32, &StepNumbers)> {
        self.steps.iter().map(|(&step, numbers)| (step, numbers))
    }

    /// The losses in order of their steps.
    pub fn losses(&self) -> Vec<(u32, f64)> {
        self.steps().filter_map(|(step, n)| Some((step, n.loss?))).collect()
    }

    /// The numbers of one step.
    pub fn step(&self, step: u32) -> Option<&StepNumbers> {
        self.steps.get(&step)
    }

    /// The gradient's norms in order of their steps.
    pub fn grad_norms(&self) -> Vec<(u32, f64)> {
        self.steps().filter_map(|(step, n)| Some((step, n.grad_norm?))).collect()
    }

    /// Tokens per second over the last `window` finished steps of `steps`: tokens predicted by the
    /// time that these steps took, without what lies between them.
    pub fn tokens_per_second(&self, steps: Range<u32>, window: usize) -> Option<f64> {
        let ended = |(_, n): &(&u32, &StepNumbers)| n.ended_us > 0;
        let within = |(step, _): &(&u32, &StepNumbers)| **step >= steps.start;
        let newest = self.steps.range(..steps.end).rev().take_while(within);
        rate(newest.filter(ended).take(window).map(|(_, n)| n))
    }

    /// The same at each finished step from `from` on: over it and up to `window - 1` finished ones
    /// before. At step `begins` other ranks took over, whose speed is their own.
    pub fn rates(&self, from: u32, begins: u32, window: usize) -> Vec<(u32, f64)> {
        let before = self.steps.range(..from).rev().take(window.saturating_sub(1)).last();
        let start = before.map_or(from, |(&step, _)| step);
        let ended: Vec<_> = self.steps.range(start..).filter(|(_, n)| n.ended_us > 0).collect();
        let at = |last: usize| {
            let step = *ended[last].0;
            let recent = &ended[(last + 1).saturating_sub(window)..=last];
            let own = recent.iter().filter(|&&(&other, _)| (other < begins) == (step < begins));
            Some((step, rate(own.map(|&(_, n)| n))?))
        };
        (0..ended.len()).filter(|&last| *ended[last].0 >= from).filter_map(at).collect()
    }
}

/// Tokens by the own time of `steps`; `None` where they took none.
fn rate<'a>(steps: impl Iterator<Item = &'a StepNumbers>) -> Option<f64> {
    let (mut tokens, mut micros) = (0.0, 0);
    for step in steps {
        tokens += step.valid_tokens.unwrap_or(0.0);
        micros += step.took_us();
    }
    (micros > 0).then(|| tokens / (micros as f64 * 1e-6))
}

/// Which block of keys and values each rank holds now: its own, or one that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    blocks: BTreeMap<u16, u16>,
}

impl Holding {
    /// Follows ring messages; every step begins with each rank on its own block.
    pub fn add(&mut self, event: &Event) {
        match event.kind {
            EventKind::StepBegin => {
                self.blocks.insert(event.rank, event.rank);
            }
            EventKind::Tile { kv_from, .. } => {
                self.blocks.insert(event.rank, kv_from);
            }
            EventKind::Recv { op: Op::RingKv, block: Some(block), .. } => {
                self.blocks.insert(event.rank, block);
            }
            _ => {}
        }
    }

    /// The rank whose keys and values `rank` holds; its own before anything happened.
    pub fn block(&self, rank: u16) -> u16 {
        self.blocks.get(&rank).copied().unwrap_or(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(rank: u16, step: u32, at_us: u64, kind: EventKind) -> Event {
        Event { rank, step, at_us, kind }
    }

    fn send(rank: u16, op: Op, bytes: u64) -> Event {
        send_to(rank, 0, op, bytes)
    }

    fn send_to(rank: u16, to: u16, op: Op, bytes: u64) -> Event {
        let kind = EventKind::Send { axis: Axis::Cp, op, seq: 0, to, bytes, block: None };
        event(rank, 0, 0, kind)
    }

    #[test]
    fn sends_are_summed_by_rank_and_operation() {
        let mut sent = Sent::default();
        for e in [send(0, Op::RingKv, 8), send(0, Op::RingKv, 8), send(0, Op::AllReduce, 4)] {
            sent.add(&e);
        }
        assert_eq!((sent.rank(0).messages, sent.rank(0).bytes), (3, 20));
        assert_eq!(sent.op(0, Axis::Cp, Op::RingKv).bytes, 16);
        assert_eq!(sent.rank(1).messages, 0);
    }

    #[test]
    fn links_add_up_to_what_each_rank_has_sent() {
        let mut sent = Sent::default();
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            // Rank 3 sends nothing; the others not all the same, by two operations.
            for n in 0..from * (3 - from) * (to + 1) {
                let op = if n % 2 == 0 { Op::RingKv } else { Op::AllReduce };
                sent.add(&send_to(from, to, op, u64::from(10 * from + to + n)));
            }
        }
        for from in 0..4 {
            let flows = (0..4).map(|to| sent.link(from, to));
            let sum = flows.fold(crate::traffic::Flow::default(), |sum, flow| sum + flow);
            assert_eq!(sum, sent.rank(from));
        }
        assert!(sent.rank(1).messages > 0 && sent.rank(3).messages == 0);
        let all = sent.links().map(|(_, _, flow)| flow.messages).sum::<u64>();
        assert_eq!(all, (0..4).map(|rank| sent.rank(rank).messages).sum::<u64>());
        assert!(sent.links().all(|(from, to, flow)| sent.link(from, to) == flow));
    }

    #[test]
    fn tokens_per_second_are_tokens_by_the_steps_own_time() {
        let mut curve = Curve::default();
        for step in 0..3 {
            let begin = u64::from(step) * 100_000;
            curve.add(&event(0, step, begin, EventKind::StepBegin));
            let value = 255.0;
            curve.add(&event(
                0,
                step,
                begin,
                EventKind::Scalar { name: Scalar::ValidTokens, value },
            ));
            curve.add(&event(0, step, begin + 50_000, EventKind::StepEnd { took_us: 50_000 }));
        }
        let rate = curve.tokens_per_second(0..3, 2).expect("two steps ended");
        assert!((rate - 510.0 / 0.1).abs() < 1e-6, "the pause between them does not count");
        let rates = curve.rates(0, 0, 2);
        assert_eq!(rates.iter().map(|r| r.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!((rates[0].1 - 255.0 / 0.05).abs() < 1e-6, "the first has none before it");
        assert_eq!(rates[2].1, rate, "the newest is the speed of now");
        assert_eq!(curve.rates(1, 0, 2), rates[1..]);
        curve.add(&event(0, 3, 300_000, EventKind::StepBegin));
        assert_eq!(curve.rates(0, 0, 2), rates, "a step that goes on has no speed yet");
        // Nor does the time for which a step was held between two of its ring steps.
        curve.add(&event(0, 3, 900_000, EventKind::Held { took_us: 590_000 }));
        curve.add(&event(0, 3, 910_000, EventKind::StepEnd { took_us: 610_000 }));
        assert_eq!(curve.step(3).map(StepNumbers::took_us), Some(20_000));
        // The run that began after three steps was quicker from its first step on.
        let tokens = EventKind::Scalar { name: Scalar::ValidTokens, value: 255.0 };
        curve.add(&event(0, 3, 910_000, tokens));
        let forked = (3, 255.0 / 0.02);
        assert_eq!((curve.rates(3, 3, 2), curve.rates(0, 3, 2)[2]), (vec![forked], rates[2]));
        assert_eq!(curve.tokens_per_second(3..4, 2), Some(forked.1));
    }

    #[test]
    fn a_rank_holds_the_block_that_came_last() {
        let mut holding = Holding::default();
        assert_eq!(holding.block(2), 2);
        let kind = EventKind::Recv {
            axis: Axis::Cp,
            op: Op::RingKv,
            seq: 0,
            from: 1,
            bytes: 8,
            block: Some(1),
            waited_us: 0,
        };
        holding.add(&event(2, 0, 1, kind));
        assert_eq!(holding.block(2), 1);
        holding.add(&event(2, 1, 2, EventKind::StepBegin));
        assert_eq!(holding.block(2), 2);
    }
}
