//! What holds for every modelled step.

use super::*;
use crate::event::{Axis, Compute, Pass};
use crate::fold::beats::Beats;
use crate::schedule::TileKind;
use proptest::prelude::*;

const BYTES: u64 = 1000;

/// A ring as it would be measured: `tiles[rank][step]` microseconds each, every hop `transit`
/// microseconds, `begins` at each rank and a rest before each tile.
#[expect(clippy::needless_range_loop, reason = "ranks and steps are what it computes with")]
fn ring(tiles: &[Vec<u64>], begins: &[u64], rest: u64, transit: u64) -> Vec<Vec<Event>> {
    let (world, steps) = (tiles.len(), tiles[0].len());
    let mut events = vec![Vec::new(); world];
    let mut now: Vec<u64> = begins.to_vec();
    let mut record = |rank: usize, at_us: u64, kind: EventKind| {
        events[rank].push(Event { rank: rank as u16, step: 0, at_us, kind });
    };
    for (rank, &begin) in now.iter().enumerate() {
        record(rank, begin, EventKind::StepBegin);
    }
    let (axis, op) = (Axis::Ring, Op::RingKv);
    for step in 0..steps {
        let handed = now.clone();
        let passes = step + 1 < steps && world > 1;
        for rank in 0..world {
            if passes {
                let to = ((rank + 1) % world) as u16;
                let kind = EventKind::Send { axis, op, seq: 0, to, bytes: BYTES, block: None };
                record(rank, now[rank], kind);
            }
            let took_us = tiles[rank][step];
            now[rank] += rest + took_us;
            let kv_from = ((rank + world - step % world) % world) as u16;
            let kind = EventKind::Tile {
                layer: 0,
                pass: Pass::Forward,
                ring_step: step as u16,
                kv_from,
                kind: TileKind::Full,
                pairs: 1,
                took_us,
            };
            record(rank, now[rank], kind);
        }
        for rank in (0..world).filter(|_| passes) {
            let from = (rank + world - 1) % world;
            let begun = now[rank];
            now[rank] = begun.max(handed[from] + transit);
            let (waited_us, from) = (now[rank] - begun, from as u16);
            let kind =
                EventKind::Recv { axis, op, seq: 0, from, bytes: BYTES, block: None, waited_us };
            record(rank, now[rank], kind);
        }
    }
    for rank in 0..world {
        record(rank, now[rank], EventKind::StepEnd { took_us: now[rank] - begins[rank] });
    }
    events
}

fn even(world: usize, tile: u64, transit: u64) -> Vec<Vec<Event>> {
    ring(&vec![vec![tile; world]; world], &vec![0; world], 0, transit)
}

fn links(latency_us: f64, bandwidth: Option<f64>) -> Model {
    Model { latency_us: Some(latency_us), bandwidth, slow: None }
}

fn ends(events: &[Vec<Event>]) -> Vec<u64> {
    events.iter().filter_map(|events| Some(events.last()?.at_us)).collect()
}

fn waits(events: &[Event]) -> u64 {
    let waits = events.iter().filter(|e| matches!(e.kind, EventKind::Recv { .. }));
    waits.map(Event::took_us).sum()
}

#[test]
fn what_is_left_as_measured_comes_out_as_measured() {
    let measured = ring(&[vec![50, 70, 20], vec![90, 10, 40], vec![5, 5, 5]], &[0, 9, 4], 3, 25);
    assert_eq!(Model::default().simulate(&measured).events, measured);
}

#[test]
fn a_hop_longer_than_a_tile_binds_the_ring_to_its_hops() {
    for world in [2, 3, 4, 8] {
        let measured = even(world, 100, 0);
        // A thousand bytes at a million a second are 1000 µs.
        for model in [links(1e3, None), links(0.0, Some(1e6)), links(400.0, Some(1e7 / 6.0))] {
            let modelled = model.simulate(&measured);
            let hops = (world as u64 - 1) * 1000;
            assert_eq!(ends(&modelled.events), vec![hops + 100; world], "{world}: {model:?}");
            assert_eq!(modelled.ring.all, modelled.ring.bare);
        }
    }
}

#[test]
fn a_hop_shorter_than_a_tile_is_hidden() {
    let modelled = links(99.0, None).simulate(&even(4, 100, 250));
    assert_eq!(ends(&modelled.events), [400; 4]);
    assert_eq!((modelled.ring.bare, modelled.ring.hidden()), (0, Some(1.0)));
    let half = links(200.0, None).simulate(&even(4, 100, 0));
    assert_eq!((half.ring.bare, half.ring.hidden()), (12, Some(0.5)));
}

#[test]
fn a_slow_rank_holds_up_its_neighbours() {
    let slow = Model { slow: Some((1, 2.0)), ..links(0.0, None) };
    let modelled = slow.simulate(&even(4, 100, 0)).events;
    assert_eq!(ends(&modelled), [400, 800, 500, 400]);
    assert_eq!(modelled.iter().map(|e| waits(e)).collect::<Vec<_>>(), [0, 0, 100, 0]);
}

#[test]
fn one_rank_has_nothing_to_model() {
    let measured = ring(&[vec![30, 40]], &[0], 2, 0);
    let modelled = links(1e4, Some(1.0)).simulate(&measured);
    assert_eq!((modelled.events, modelled.messages), (measured, Cover::default()));
    assert_eq!(Model::default().simulate(&[]), Modelled::default());
}

#[test]
fn a_link_carries_one_message_after_another_in_order() {
    let (axis, op) = (Axis::World, Op::AllReduce);
    let event = |rank, at_us, kind| Event { rank, step: 0, at_us, kind };
    let send = |seq, bytes| EventKind::Send { axis, op, seq, to: 1, bytes, block: None };
    let recv =
        |seq, bytes| EventKind::Recv { axis, op, seq, from: 0, bytes, block: None, waited_us: 0 };
    let measured = vec![
        vec![event(0, 0, send(0, 100)), event(0, 0, send(1, 10)), event(0, 500, send(2, 10))],
        vec![event(1, 0, recv(0, 100)), event(1, 0, recv(1, 10)), event(1, 500, recv(2, 10))],
    ];
    // A byte a microsecond.
    let modelled = links(5.0, Some(1e6)).simulate(&measured);
    let at: Vec<_> = modelled.events[1].iter().map(|event| event.at_us).collect();
    assert_eq!(at, [105, 115, 615]);
    assert_eq!(ends(&modelled.events)[0], 500, "sending takes no time of its rank");
}

#[test]
fn what_nobody_sent_hangs_nobody_and_waits_as_measured() {
    let mut measured = even(3, 100, 300);
    measured[1].retain(|event| !matches!(event.kind, EventKind::Send { .. }));
    let modelled = links(0.0, None).simulate(&measured);
    assert_eq!(modelled.events.iter().map(Vec::len).sum::<usize>(), 6 + 4 + 9 + 6);
    assert_eq!(waits(&modelled.events[2]), waits(&measured[2]));
    // Two ranks that each receive before they send cannot have been measured.
    for rank in &mut measured {
        rank.sort_by_key(|event| !matches!(event.kind, EventKind::Recv { .. }));
    }
    assert_eq!(links(10.0, None).simulate(&measured).events.len(), 3);
}

#[test]
fn time_in_which_a_rank_was_held_is_nobodys() {
    let mut measured = even(2, 100, 0);
    for events in &mut measured {
        for event in events.iter_mut().skip(3) {
            event.at_us += 5000;
        }
        let held = EventKind::Held { took_us: 5000 };
        events.insert(3, Event { at_us: 5100, kind: held, ..events[0].clone() });
    }
    assert_eq!(ends(&Model::default().simulate(&measured).events), [200, 200]);
}

#[test]
fn a_collective_lies_around_its_messages() {
    let (axis, op, seq) = (Axis::World, Op::AllReduce, 4);
    let side = |rank: u16| {
        let event = |at_us, kind| Event { rank, step: 0, at_us, kind };
        let (peer, what) = (1 - rank, Compute::Forward);
        vec![
            event(50, EventKind::Compute { what, took_us: 50 }),
            event(60, EventKind::Send { axis, op, seq, to: peer, bytes: 8, block: None }),
            event(
                70,
                EventKind::Recv { axis, op, seq, from: peer, bytes: 8, block: None, waited_us: 5 },
            ),
            event(75, EventKind::Collective { axis, op, seq, took_us: 20 }),
        ]
    };
    let modelled = links(1000.0, None).simulate(&[side(0), side(1)]).events;
    let last = &modelled[0][3];
    assert_eq!((last.start_us(), last.at_us), (55, 1065));
}

/// Two ranks that sum in two hops beside a tile of 300 µs and the end of the backward pass; the
/// second hop ends before the backward pass does, or after.
fn beside(is_done: bool) -> Vec<Vec<Event>> {
    let (axis, op, seq, bytes) = (Axis::World, Op::AllReduce, 4, BYTES);
    let side = |rank: u16| {
        let event = |at_us, kind| Event { rank, step: 0, at_us, kind };
        let peer = 1 - rank;
        let send = EventKind::Send { axis, op, seq, to: peer, bytes, block: None };
        let recv = EventKind::Recv { axis, op, seq, from: peer, bytes, block: None, waited_us: 0 };
        let compute = |what, took_us| EventKind::Compute { what, took_us };
        let tile = EventKind::Tile {
            layer: 0,
            pass: Pass::Backward,
            ring_step: 0,
            kv_from: rank,
            kind: TileKind::Full,
            pairs: 1,
            took_us: 300,
        };
        let end = if is_done { 400 } else { 500 };
        let mut events = vec![
            event(0, EventKind::StepBegin),
            event(100, compute(Compute::Backward, 100)),
            event(100, send.clone()),
            event(400, tile),
            event(400, recv.clone()),
            event(400, send),
            event(end, recv),
            event(end, EventKind::Collective { axis, op, seq, took_us: end - 100 }),
        ];
        let place = if is_done { 8 } else { 6 };
        events.insert(place, event(500, compute(Compute::Backward, 100)));
        events.push(event(520, compute(Compute::Optimizer, 20)));
        events.push(event(520, EventKind::StepEnd { took_us: 520 }));
        events
    };
    vec![side(0), side(1)]
}

#[test]
fn a_sum_that_runs_beside_takes_no_time_until_the_optimiser_waits_for_it() {
    for is_done in [false, true] {
        let measured = beside(is_done);
        assert_eq!(Model::default().simulate(&measured).events, measured);
        // Behind the backward pass the two hops would end at 500 µs and twice the latency.
        for (latency, end) in [(0u16, 520), (50, 520), (200, 620), (350, 820)] {
            let modelled = links(f64::from(latency), None).simulate(&measured);
            assert_eq!(ends(&modelled.events), [end; 2], "{latency} µs, done: {is_done}");
            let stood = end - 520;
            assert_eq!(modelled.events.iter().map(|e| waits(e)).sum::<u64>(), 2 * stood);
            assert_eq!(modelled.messages.bare_us, 2.0 * stood as f64);
            assert_eq!(modelled.messages.all, 4);
        }
    }
}

#[test]
fn what_is_modelled_is_still_a_step_of_the_same_beats() {
    let measured = ring(&[vec![50, 70, 20], vec![90, 10, 40], vec![5, 5, 5]], &[0, 9, 4], 3, 25);
    let modelled = links(1e4, Some(1e5)).simulate(&measured).events;
    assert_eq!(Beats::new(0, &modelled), Beats::new(0, &measured));
}

proptest! {
    #[test]
    fn no_link_ends_no_later_and_a_longer_one_no_earlier(
        tiles in (1usize..6).prop_flat_map(|world| {
            prop::collection::vec(prop::collection::vec(0u64..500, world), world)
        }),
        begins in prop::collection::vec(0u64..200, 6),
        (rest, transit) in (0u64..20, 0u64..800),
        tick in prop::sample::select(vec![1u64, 5, 100]),
        latency in 0f64..2000.0,
        more in 0f64..2000.0,
        bandwidth in prop::option::of(1e5..1e9),
        factor in 1f64..4.0,
    ) {
        let mut measured = ring(&tiles, &begins[..tiles.len()], rest, transit);
        // A clock that goes in steps.
        for event in measured.iter_mut().flatten() {
            event.at_us -= event.at_us % tick;
        }
        let free = links(0.0, None).simulate(&measured).events;
        for (modelled, measured) in free.iter().zip(&measured) {
            prop_assert_eq!(modelled.len(), measured.len());
            for (modelled, measured) in modelled.iter().zip(measured) {
                prop_assert!(modelled.at_us <= measured.at_us);
            }
        }
        let last = |model: Model| ends(&model.simulate(&measured).events);
        let slow = Some((0, factor));
        let near = last(Model { slow, ..links(latency, bandwidth) });
        let far = last(Model { slow, ..links(latency + more, bandwidth) });
        let quick = last(links(latency, None));
        for rank in 0..tiles.len() {
            prop_assert!(near[rank] <= far[rank]);
            prop_assert!(quick[rank] <= near[rank]);
        }
        let cover = links(latency, bandwidth).simulate(&measured).messages;
        prop_assert!(cover.hidden().is_none_or(|share| (0.0..=1.0).contains(&share)));
        prop_assert!(cover.bare <= cover.all);
    }
}
