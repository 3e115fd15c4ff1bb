//! One training step in order of cause: what each rank held and sent, beat by beat.
//!
//! Clocks of different ranks cannot be compared closely, and a message takes too little time to
//! be watched. So a step is cut into beats as Lamport's clocks are counted: a message leaves in
//! one beat and arrives in the next at the earliest, and a rank computes at most one tile a beat,
//! after what it sends in it. A sum over the ranks that runs beside the backward pass has a clock of
//! its own: its messages go on beat by beat while the rank computes, and the optimiser waits for all.

use std::collections::{HashMap, VecDeque};

use crate::event::{Axis, Compute, Event, EventKind, Op, Pass};
use crate::schedule::TileKind;

/// A message that leaves in one beat and arrives in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Sender.
    pub from: u16,
    /// Receiver.
    pub to: u16,
    /// The group that it was sent in.
    pub axis: Axis,
    /// The operation that it belongs to.
    pub op: Op,
    /// Payload.
    pub bytes: u64,
    /// For ring messages, the rank whose keys and values these are.
    pub block: Option<u16>,
}

/// A tile that a rank computed or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Layer, from 0.
    pub layer: u16,
    /// Forward or backward.
    pub pass: Pass,
    /// Step of the ring.
    pub ring_step: u16,
    /// The rank whose keys were used.
    pub kv_from: u16,
    /// How much of it is seen.
    pub kind: TileKind,
    /// What was kept back of the tile on the rank's own keys, while their gradients come home.
    pub is_rest: bool,
}

/// What happened between two moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// The block of keys and values that each rank holds.
    pub blocks: Vec<u16>,
    /// What each rank computes.
    pub work: Vec<Option<Work>>,
    /// Messages that leave in this beat.
    pub hops: Vec<Hop>,
}

/// A training step of all ranks as beats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beats {
    /// The training step, from 0.
    pub step: u32,
    /// The beats in order; at least one.
    pub beats: Vec<Beat>,
}

type Key = (Axis, Op, u32, u16, u16);

impl Beats {
    /// Orders the events of `step`, each rank's in the order in which they happened.
    pub fn new(step: u32, ranks: &[Vec<Event>]) -> Self {
        let mut order = Order {
            beats: Vec::new(),
            clocks: vec![0; ranks.len()],
            sums: vec![Vec::new(); ranks.len()],
            turns: vec![None; ranks.len()],
            blocks: (0..ranks.len() as u16).collect(),
            under_way: HashMap::new(),
        };
        let mut queues: Vec<_> = ranks.iter().map(|events| events.iter().peekable()).collect();
        let mut patient = true;
        loop {
            let mut moved = false;
            for (rank, queue) in queues.iter_mut().enumerate() {
                while let Some(event) = queue.next_if(|e| !patient || order.is_due(e)) {
                    order.take(rank, event);
                    (moved, patient) = (true, true);
                }
            }
            if queues.iter_mut().all(|queue| queue.peek().is_none()) {
                return Self { step, beats: order.finish() };
            }
            // A message whose sending was never reported holds up nobody for ever.
            patient = moved;
        }
    }
}

struct Order {
    beats: Vec<Beat>,
    clocks: Vec<usize>,
    /// By rank, the beat that each of its sums has come to.
    sums: Vec<Vec<((Axis, u32), usize)>>,
    /// Layer, pass and ring step of each rank's last tile.
    turns: Vec<Option<(u16, Pass, u16)>>,
    /// The block that each rank holds at the end of what was taken.
    blocks: Vec<u16>,
    under_way: HashMap<Key, VecDeque<usize>>,
}

impl Order {
    /// Whether all that `event` waits for has been taken.
    fn is_due(&self, event: &Event) -> bool {
        match received(event) {
            Some(key) => self.under_way.get(&key).is_some_and(|sent| !sent.is_empty()),
            None => true,
        }
    }

    fn take(&mut self, rank: usize, event: &Event) {
        match event.kind {
            EventKind::Send { axis, op, seq, to, bytes, block } => {
                // What leaves after a tile belongs to what comes next, save a tile's own gradients.
                let is_next = op != Op::RingKvGrad && self.beat(rank).work[rank].is_some();
                let next = self.clocks[rank] + usize::from(is_next);
                let now = match op {
                    Op::AllReduce => *self.sum(rank, (axis, seq), next),
                    _ => next,
                };
                if op != Op::AllReduce {
                    self.clocks[rank] = now;
                    self.beat(rank);
                }
                self.under_way.entry((axis, op, seq, event.rank, to)).or_default().push_back(now);
                self.leave(now, Hop { from: event.rank, to, axis, op, bytes, block });
            }
            EventKind::Recv { axis, op, seq, block, .. } => {
                let sent = received(event)
                    .and_then(|key| self.under_way.get_mut(&key)?.pop_front())
                    .map_or(0, |beat| beat + 1);
                let clock = match op {
                    Op::AllReduce => self.sum(rank, (axis, seq), 0),
                    _ => &mut self.clocks[rank],
                };
                *clock = (*clock).max(sent);
                if let (Op::RingKv, Some(block)) = (op, block) {
                    self.hold(rank, block);
                }
            }
            EventKind::Tile { layer, pass, ring_step, kv_from, kind, .. } => {
                if self.beat(rank).work[rank].is_some() {
                    self.clocks[rank] += 1;
                }
                self.hold(rank, kv_from);
                let turn = (layer, pass, ring_step);
                let is_rest = self.turns[rank].replace(turn).is_some_and(|(before, of, step)| {
                    (before, of) == (layer, pass) && step > ring_step
                });
                let work = Work { layer, pass, ring_step, kv_from, kind, is_rest };
                self.beat(rank).work[rank] = Some(work);
            }
            EventKind::Compute { what: Compute::Optimizer, .. } => {
                for (_, sum) in std::mem::take(&mut self.sums[rank]) {
                    self.clocks[rank] = self.clocks[rank].max(sum);
                }
            }
            _ => {}
        }
    }

    /// The beat that a sum of `rank` has come to; one that is new has come to `begin`.
    fn sum(&mut self, rank: usize, name: (Axis, u32), begin: usize) -> &mut usize {
        let sums = &mut self.sums[rank];
        let known = sums.iter().position(|(known, _)| *known == name);
        let index = known.unwrap_or(sums.len());
        if known.is_none() {
            sums.push((name, begin));
        }
        &mut sums[index].1
    }

    /// Hops of a beat are kept in one order, in whichever they were told.
    fn leave(&mut self, beat: usize, hop: Hop) {
        self.reach(beat);
        let key = |hop: &Hop| (hop.from, hop.op, hop.axis, hop.to, hop.bytes, hop.block);
        let hops = &mut self.beats[beat].hops;
        let place = hops.partition_point(|other| key(other) <= key(&hop));
        hops.insert(place, hop);
    }

    fn hold(&mut self, rank: usize, block: u16) {
        self.blocks[rank] = block;
        self.beat(rank).blocks[rank] = block;
    }

    /// The beat that `rank` is in, with what it holds carried over into it.
    fn beat(&mut self, rank: usize) -> &mut Beat {
        let now = self.clocks[rank];
        self.reach(now);
        let beat = &mut self.beats[now];
        beat.blocks[rank] = self.blocks[rank];
        beat
    }

    fn reach(&mut self, beat: usize) {
        let world = self.clocks.len();
        while self.beats.len() <= beat {
            // NOBODY marks beats that a rank has not touched; `finish` fills them in.
            let blocks = vec![NOBODY; world];
            self.beats.push(Beat { blocks, work: vec![None; world], hops: Vec::new() });
        }
    }

    fn finish(mut self) -> Vec<Beat> {
        let world = self.clocks.len();
        if self.beats.is_empty() && world > 0 {
            self.beat(0);
        }
        let mut held: Vec<u16> = (0..world as u16).collect();
        for beat in &mut self.beats {
            for (block, held) in beat.blocks.iter_mut().zip(&mut held) {
                if *block == NOBODY {
                    *block = *held;
                }
                *held = *block;
            }
        }
        self.beats
    }
}

const NOBODY: u16 = u16::MAX;

fn received(event: &Event) -> Option<Key> {
    match event.kind {
        EventKind::Recv { axis, op, seq, from, .. } => Some((axis, op, seq, from, event.rank)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXIS: Axis = Axis::Ring;

    fn send(op: Op, to: u16, block: Option<u16>) -> EventKind {
        EventKind::Send { axis: AXIS, op, seq: 0, to, bytes: 8, block }
    }

    fn recv(op: Op, from: u16, block: Option<u16>) -> EventKind {
        EventKind::Recv { axis: AXIS, op, seq: 0, from, bytes: 8, block, waited_us: 0 }
    }

    fn tile(ring_step: u16, kv_from: u16) -> EventKind {
        EventKind::Tile {
            layer: 0,
            pass: Pass::Forward,
            ring_step,
            kv_from,
            kind: TileKind::Full,
            pairs: 1,
            took_us: 1,
        }
    }

    fn beats(ranks: Vec<Vec<EventKind>>) -> Beats {
        let ranks: Vec<Vec<Event>> = ranks
            .into_iter()
            .enumerate()
            .map(|(rank, kinds)| {
                let event = |kind| Event { rank: rank as u16, step: 3, at_us: 0, kind };
                kinds.into_iter().map(event).collect()
            })
            .collect();
        Beats::new(3, &ranks)
    }

    fn ring(world: u16) -> Vec<Vec<EventKind>> {
        (0..world)
            .map(|rank| {
                let mut events = Vec::new();
                for step in 0..world {
                    let block = (rank + world - step) % world;
                    if step + 1 < world {
                        events.push(send(Op::RingKv, (rank + 1) % world, Some(block)));
                    }
                    events.push(tile(step, block));
                    if step + 1 < world {
                        let from = (rank + world - 1) % world;
                        let next = (block + world - 1) % world;
                        events.push(recv(Op::RingKv, from, Some(next)));
                    }
                }
                events
            })
            .collect()
    }

    #[test]
    fn a_ring_turns_once_a_beat() {
        let beats = beats(ring(3)).beats;
        assert_eq!(
            beats.iter().map(|b| b.blocks.clone()).collect::<Vec<_>>(),
            [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0]]
        );
        assert_eq!(beats.iter().map(|b| b.hops.len()).collect::<Vec<_>>(), [3, 3, 0]);
        assert!(beats.iter().all(|beat| beat.work.iter().all(Option::is_some)));
    }

    #[test]
    fn tiles_without_messages_take_a_beat_each() {
        let beats = beats(vec![vec![tile(0, 0), tile(1, 1)], vec![tile(0, 1)]]).beats;
        let blocks: Vec<_> = beats.iter().map(|b| b.blocks.clone()).collect();
        assert_eq!(blocks, [vec![0, 1], vec![1, 1]]);
        assert_eq!(beats[1].work[1], None);
    }

    #[test]
    fn what_was_kept_back_is_computed_while_gradients_come_home() {
        let rank = |rank: u16| {
            let home = [send(Op::RingKvGrad, 1 - rank, None), tile(0, rank)];
            [tile(0, rank), tile(1, 1 - rank)].into_iter().chain(home).collect()
        };
        let beats = beats(vec![rank(0), rank(1)]).beats;
        let rests: Vec<bool> = beats.iter().map(|b| b.work[0].unwrap().is_rest).collect();
        assert_eq!(rests, [false, false, true]);
        assert_eq!(beats.iter().map(|b| b.hops.len()).collect::<Vec<_>>(), [0, 2, 0]);
    }

    #[test]
    fn the_next_layer_begins_a_beat_of_its_own() {
        let two_layers = ring(2).into_iter().map(|events| [events.clone(), events].concat());
        let beats = beats(two_layers.collect()).beats;
        assert_eq!(beats.iter().map(|b| b.hops.len()).collect::<Vec<_>>(), [2, 0, 2, 0]);
        assert_eq!(beats[2].blocks, [0, 1]);
    }

    #[test]
    fn a_sum_that_runs_beside_holds_up_no_tile_in_whichever_order_it_is_told() {
        let sum = |rank: u16| {
            let peer = 1 - rank;
            let hop = || [send(Op::AllReduce, peer, None), recv(Op::AllReduce, peer, None)];
            [hop(), hop()].concat()
        };
        let optimizer = EventKind::Compute { what: Compute::Optimizer, took_us: 1 };
        let told = |late: [usize; 2]| {
            let rank = |rank: u16| {
                let mut events = vec![sum(rank)[0].clone()];
                let tiles = [tile(0, rank), tile(1, rank), tile(2, rank)];
                let (before, after) = tiles.split_at(late[usize::from(rank)]);
                events.extend([before, &sum(rank)[1..], after].concat());
                events.extend([optimizer.clone(), tile(3, rank)]);
                events
            };
            beats(vec![rank(0), rank(1)])
        };
        let early = told([1, 1]);
        assert_eq!(early.beats.iter().map(|b| b.hops.len()).collect::<Vec<_>>(), [2, 2, 0, 0]);
        for late in [[3, 3], [1, 3], [2, 1]] {
            assert_eq!(told(late), early, "{late:?}");
        }
        // A single tile: the optimiser waits for the sum.
        let rank = |rank| [vec![tile(0, rank)], sum(rank), vec![optimizer.clone(), tile(1, rank)]];
        let beats = beats(vec![rank(0).concat(), rank(1).concat()]).beats;
        assert_eq!(beats.iter().map(|b| b.hops.len()).collect::<Vec<_>>(), [0, 2, 2, 0]);
        assert!(beats[3].work[0].is_some() && beats[2].work[0].is_none());
    }

    #[test]
    fn a_message_that_nobody_sent_holds_up_nobody() {
        let beats = beats(vec![vec![recv(Op::AllReduce, 1, None), tile(0, 0)], vec![]]);
        assert_eq!(beats.beats.len(), 1);
        assert_eq!(beats.step, 3);
    }

    #[test]
    fn a_step_without_events_is_one_beat_of_rest() {
        let beats = beats(vec![vec![], vec![]]).beats;
        assert_eq!((beats.len(), beats[0].blocks.clone()), (1, vec![0, 1]));
    }

    #[test]
    fn a_chain_of_messages_is_a_chain_of_beats() {
        let chain = vec![
            vec![send(Op::Broadcast, 1, None)],
            vec![recv(Op::Broadcast, 0, None), send(Op::Broadcast, 2, None)],
            vec![recv(Op::Broadcast, 1, None)],
        ];
        let hops: Vec<_> = beats(chain)
            .beats
            .iter()
            .map(|b| b.hops.iter().map(|h| h.from).collect::<Vec<_>>())
            .collect();
        assert_eq!(hops, [vec![0u16], vec![1]]);
    }
}
