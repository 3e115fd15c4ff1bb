//! One rank on its way through what it did, and how messages and sums are named.

use crate::event::{Axis, Compute, Event, EventKind, Op};
use crate::fold::clock::Clock;

/// A message's group, operation, number, sender and receiver.
pub(super) type Key = (Axis, Op, u32, u16, u16);

/// A collective's group, operation and number.
pub(super) type Name = (Axis, Op, u32);

/// One rank on its way through its events.
pub(super) struct Walker<'a> {
    pub(super) events: &'a [Event],
    pub(super) clock: Clock,
    /// The next event.
    pub(super) next: usize,
    /// Where the measured time has come to.
    pub(super) measured: u64,
    /// Where the modelled time has come to.
    pub(super) now: f64,
    /// When it began.
    pub(super) begin: f64,
    /// The end of its backward pass: sums before it run beside.
    pub(super) backward: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(events: &'a [Event]) -> Self {
        let clock = Clock::of(events);
        let measured = events.first().map_or(0, |event| clock.at(event.start_us()));
        let begin = measured as f64;
        let is_backward =
            |e: &Event| matches!(e.kind, EventKind::Compute { what: Compute::Backward, .. });
        let backward = events.iter().rposition(is_backward).unwrap_or(0);
        Self { events, clock, next: 0, measured, now: begin, begin, backward }
    }

    /// When the event of that number ended.
    pub(super) fn at(&self, index: usize) -> u64 {
        self.clock.at(self.events[index].at_us)
    }
}

/// The sum over the ranks that `event` is part of.
pub(super) fn summed(event: &Event) -> Option<Name> {
    match event.kind {
        EventKind::Send { axis, op: op @ Op::AllReduce, seq, .. }
        | EventKind::Recv { axis, op: op @ Op::AllReduce, seq, .. }
        | EventKind::Collective { axis, op: op @ Op::AllReduce, seq, .. } => Some((axis, op, seq)),
        _ => None,
    }
}

pub(super) fn sent(event: &Event) -> Option<Key> {
    match event.kind {
        EventKind::Send { axis, op, seq, to, .. } => Some((axis, op, seq, event.rank, to)),
        _ => None,
    }
}

pub(super) fn received(event: &Event) -> Option<Key> {
    match event.kind {
        EventKind::Recv { axis, op, seq, from, .. } => Some((axis, op, seq, from, event.rank)),
        _ => None,
    }
}
