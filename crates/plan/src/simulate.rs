//! A measured training step on other links, or with a slow rank: modelled, not measured.
//!
//! Each rank does again what it did, in the order in which it did it. A stretch of compute takes
//! what was measured, times a factor on the slow rank; the rest between events is kept; waiting is
//! modelled anew from its cause. A send takes no time of its rank. The k-th message from one rank
//! to another, handed over at `s`, has left at
//!
//! `left(k) = max(s, left(k - 1)) + bytes / bandwidth`
//!
//! and has arrived at `left(k) + latency`; a receive ends once its message has arrived, and not
//! before its rank has come to it. Where the latency is left as measured, a message that was waited
//! for is under way as long as it was, and another one for no time.
//!
//! The sums of gradients that run beside the backward pass take nothing of their rank's time there:
//! each goes on by itself, message after message, and the rank waits before the optimiser for those
//! that are not done.
//!
//! By their clocks some messages arrive before they are sent, since clocks go in steps. The largest
//! such lead between two ranks is taken from the latency, so that no model without latency ends
//! later than what was measured.
//!
//! What the model leaves out: links do not share anything, neither wires nor a network card, and
//! are equal; handing over and taking copies nothing; a receiver has room for all that comes; ranks
//! that share a core take what they took. It says where waiting comes from, not what a machine that
//! nobody has measured would do.

#[cfg(test)]
mod laws;
mod walker;

use std::collections::{HashMap, VecDeque};

use crate::event::{Compute, Event, EventKind, Op};
use walker::{Key, Name, Walker, received, sent, summed};

/// What is assumed in place of what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Model {
    /// Microseconds from the end of sending to arrival; `None` leaves them as measured.
    pub latency_us: Option<f64>,
    /// Bytes a second that a link carries; `None` is no limit beyond what was measured.
    pub bandwidth: Option<f64>,
    /// A rank that computes slowly, and how many times as long it takes.
    pub slow: Option<(u16, f64)>,
}

/// A modelled step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modelled {
    /// The events by rank, as if they had been measured.
    pub events: Vec<Vec<Event>>,
    /// All messages that were received.
    pub messages: Cover,
    /// Those of the ring among them.
    pub ring: Cover,
}

/// How far messages are hidden behind compute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cover {
    /// Messages.
    pub all: u32,
    /// Those for which the receiver stood still while they were under way.
    pub bare: u32,
    /// Microseconds that they were under way.
    pub under_way_us: f64,
    /// Those of them in which the receiver stood still.
    pub bare_us: f64,
}

impl Cover {
    /// The share of the time under way that is hidden; none where nothing takes time.
    pub fn hidden(&self) -> Option<f64> {
        (self.under_way_us >= 1.0).then(|| 1.0 - self.bare_us / self.under_way_us)
    }

    fn add(&mut self, under_way_us: f64, bare_us: f64) {
        self.all += 1;
        self.bare += u32::from(bare_us >= 1.0);
        self.under_way_us += under_way_us;
        self.bare_us += bare_us;
    }
}

impl Model {
    /// Whether it assumes nothing.
    pub fn is_measured(&self) -> bool {
        *self == Self::default()
    }

    /// The step whose `events` by rank were measured, as it would go under this model.
    pub fn simulate(&self, events: &[Vec<Event>]) -> Modelled {
        let mut replay = Replay::new(*self, events);
        loop {
            let mut moved = false;
            for rank in 0..events.len() {
                while replay.take(rank, false) {
                    moved = true;
                }
            }
            if moved {
                continue;
            }
            // Ranks that wait for each other were not measured so: the first one goes on.
            if !(0..events.len()).any(|rank| replay.take(rank, true)) {
                return replay.modelled;
            }
        }
    }
}

struct Replay<'a> {
    model: Model,
    walkers: Vec<Walker<'a>>,
    /// The sends, by number among the sender's events, that are not received yet.
    sent: HashMap<Key, VecDeque<usize>>,
    /// Of each event taken, by rank: when its rank came to it, behind when its message had left the
    /// link, if it is a send.
    left: Vec<Vec<(f64, f64)>>,
    /// When each link, by sender and receiver, is free.
    free: Vec<f64>,
    /// How far the receiver's clock is behind the sender's.
    lead: Vec<u64>,
    /// By rank, what each of its sums has come to.
    sums: Vec<Vec<(Name, f64)>>,
    /// By rank, its receives that ran beside: number among the modelled events, when the message was
    /// handed over and when it had arrived.
    beside: Vec<Vec<(usize, f64, f64)>>,
    modelled: Modelled,
}

impl<'a> Replay<'a> {
    fn new(model: Model, events: &'a [Vec<Event>]) -> Self {
        let world = events.len();
        let walkers: Vec<_> = events.iter().map(|events| Walker::new(events)).collect();
        let mut replay = Self {
            model,
            walkers,
            sent: HashMap::new(),
            left: vec![Vec::new(); world],
            free: vec![f64::NEG_INFINITY; world * world],
            lead: vec![0; world * world],
            sums: vec![Vec::new(); world],
            beside: vec![Vec::new(); world],
            modelled: Modelled { events: vec![Vec::new(); world], ..Modelled::default() },
        };
        replay.line_up();
        replay.find_leads();
        replay
    }

    /// Lines up the messages of each name in the order in which they were sent.
    fn line_up(&mut self) {
        self.sent.clear();
        for walker in &self.walkers {
            for (index, event) in walker.events.iter().enumerate() {
                if let Some(key) = sent(event) {
                    self.sent.entry(key).or_default().push_back(index);
                }
            }
        }
    }

    /// Finds how far clocks are apart: no message is received before it is sent.
    fn find_leads(&mut self) {
        for rank in 0..self.walkers.len() {
            for index in 0..self.walkers[rank].events.len() {
                let event = &self.walkers[rank].events[index];
                if let Some((key, sent)) = self.cause(event) {
                    self.pass(key);
                    let lead = self.at(key.3, sent).saturating_sub(self.walkers[rank].at(index));
                    let link = self.link(key);
                    self.lead[link] = self.lead[link].max(lead);
                }
            }
        }
        self.line_up();
    }

    /// The message that `event` receives, and the number of its sending; `None` where nobody
    /// reported that.
    fn cause(&self, event: &Event) -> Option<(Key, usize)> {
        let key = received(event)?;
        Some((key, *self.sent.get(&key)?.front()?))
    }

    /// The next message of this name has been received.
    fn pass(&mut self, key: Key) {
        self.sent.entry(key).and_modify(|sends| {
            sends.pop_front();
        });
    }

    fn at(&self, rank: u16, index: usize) -> u64 {
        self.walkers[usize::from(rank)].at(index)
    }

    fn link(&self, (.., from, to): Key) -> usize {
        usize::from(from) * self.walkers.len() + usize::from(to)
    }

    /// Takes the next event of `rank`, unless there is none or it waits for one that was not taken
    /// yet and is not `forced`.
    fn take(&mut self, rank: usize, forced: bool) -> bool {
        let walker = &self.walkers[rank];
        let Some(event) = walker.events.get(walker.next) else { return false };
        let cause = self.cause(event);
        let is_due = cause.is_none_or(|(key, index)| index < self.left[usize::from(key.3)].len());
        if !(is_due || forced) {
            return false;
        }
        let (index, at) = (walker.next, walker.at(walker.next));
        let from = walker.clock.at(event.start_us()).max(walker.measured).min(at);
        // The rest since the event before is kept.
        let came = walker.now + from.saturating_sub(walker.measured) as f64;
        let mut begun = came;
        let took = (at - from) as f64;
        let sum = summed(event);
        let is_beside = sum.is_some() && index < walker.backward;
        if let Some(name) = &sum {
            // A sum goes on from where it has come to itself.
            let known = self.sums[rank].iter().find(|(known, _)| known == name);
            begun = known.map_or(begun, |(_, come)| begun.max(*come));
        }
        let mut kind = event.kind.clone();
        if matches!(kind, EventKind::Compute { what: Compute::Optimizer, .. }) {
            begun = self.settle(rank, begun);
        }
        let walker = &self.walkers[rank];
        let mut start = begun;
        let mut end = begun;
        let mut left = begun;
        match &mut kind {
            EventKind::Held { .. } | EventKind::StepBegin | EventKind::Scalar { .. } => {}
            EventKind::StepEnd { took_us } => {
                start = walker.begin;
                end += took;
                *took_us = span(start, end);
            }
            EventKind::Tile { took_us, .. } | EventKind::Compute { took_us, .. } => {
                let factor = match self.model.slow {
                    Some((slow, factor)) if slow == event.rank => factor,
                    _ => 1.0,
                };
                end += took * factor;
                *took_us = span(start, end);
            }
            EventKind::Collective { axis, op, seq, took_us } => {
                end = begun.max(came + took);
                let measured = walker.clock.at(event.start_us());
                start = self.begun(rank, (*axis, *op, *seq), measured, begun);
                *took_us = span(start, end);
            }
            EventKind::Send { bytes, .. } => {
                if let Some(key) = sent(event).filter(|key| usize::from(key.4) < self.left.len()) {
                    let link = self.link(key);
                    let carried = |bandwidth: f64| *bytes as f64 / bandwidth * 1e6;
                    left = begun.max(self.free[link]) + self.model.bandwidth.map_or(0.0, carried);
                    self.free[link] = left;
                }
            }
            EventKind::Recv { waited_us, .. } => {
                if let Some((key, _)) = cause {
                    self.pass(key);
                }
                // A rank that has nothing else to do stands still from when it comes to the message.
                start = if is_beside { begun } else { came };
                let arrived = match cause.filter(|_| is_due) {
                    Some((key, sending)) => {
                        self.receive(key, sending, start, (at, took), is_beside)
                    }
                    // Nobody knows what it waited for.
                    None => start + took,
                };
                end = begun.max(arrived);
                *waited_us = if is_beside { 0 } else { span(start, end) };
            }
        }
        self.left[rank].push((left, begun));
        if let Some(name) = sum {
            let sums = &mut self.sums[rank];
            sums.retain(|(known, _)| *known != name);
            sums.push((name, end));
        }
        let walker = &mut self.walkers[rank];
        walker.next = index + 1;
        if !is_beside {
            walker.measured = walker.measured.max(at);
            walker.now = end;
        }
        if !matches!(kind, EventKind::Held { .. }) {
            let event = Event { at_us: end.round() as u64, kind, ..*event };
            self.modelled.events[rank].push(event);
        }
        true
    }

    /// When the optimiser begins to which `rank` comes at `begun`: not before its sums are done. The
    /// last message of them is the one that it waits for.
    fn settle(&mut self, rank: usize, begun: f64) -> f64 {
        let mut last = None;
        for (index, handed, arrived) in std::mem::take(&mut self.beside[rank]) {
            let bare = arrived - begun.max(handed);
            if bare >= 1.0 {
                self.modelled.messages.bare += 1;
                self.modelled.messages.bare_us += bare;
            }
            if arrived > begun && last.is_none_or(|(_, latest)| arrived > latest) {
                last = Some((index, arrived));
            }
        }
        if let Some((index, arrived)) = last
            && let EventKind::Recv { waited_us, .. } = &mut self.modelled.events[rank][index].kind
        {
            *waited_us = span(begun, arrived);
        }
        let sums = std::mem::take(&mut self.sums[rank]);
        sums.into_iter().fold(begun, |begun, (_, sum)| begun.max(sum))
    }

    /// When a receive ends that its rank comes to at `begun`, measured to end `at` after `waited`.
    fn receive(
        &mut self,
        key: Key,
        sending: usize,
        begun: f64,
        (at, waited): (u64, f64),
        is_beside: bool,
    ) -> f64 {
        let sender = usize::from(key.3);
        let (left, handed) = self.left[sender][sending];
        let lead = self.lead[self.link(key)] as f64;
        let latency = match self.model.latency_us {
            Some(latency) => latency - lead,
            None if waited > 0.0 => at as f64 - self.walkers[sender].at(sending) as f64,
            None => -lead,
        };
        let arrived = left + latency;
        let end = begun.max(arrived);
        let under_way = (arrived - handed).max(0.0);
        let bare = match is_beside {
            true => 0.0,
            false => (end - begun.max(handed)).clamp(0.0, under_way),
        };
        if is_beside {
            let rank = usize::from(key.4);
            let index = self.modelled.events[rank].len();
            self.beside[rank].push((index, handed, arrived));
        }
        self.modelled.messages.add(under_way, bare);
        if matches!(key.1, Op::RingKv | Op::RingKvGrad) {
            self.modelled.ring.add(under_way, bare);
        }
        end
    }

    /// When a collective of `rank` began that measured from `start`: as long before the first of
    /// its messages as was measured.
    fn begun(&self, rank: usize, name: Name, start: u64, now: f64) -> f64 {
        let walker = &self.walkers[rank];
        let is_inner = |event: &Event| {
            let key = sent(event).or_else(|| received(event));
            key.is_some_and(|(axis, op, seq, ..)| (axis, op, seq) == name)
        };
        let Some(first) = walker.events[..walker.next].iter().position(is_inner) else {
            return now;
        };
        let ahead = walker.clock.at(walker.events[first].start_us()).saturating_sub(start);
        (self.left[rank][first].1 - ahead as f64).max(walker.begin)
    }
}

/// Whole microseconds between two moments, as their rounded ends are apart.
fn span(start: f64, end: f64) -> u64 {
    (end.round() as u64).saturating_sub(start.round() as u64)
}
