//! What is lit in words, with the numbers behind it.

use crate::t;
use plan::fold::Curve;
use plan::{Axis, Rank, RunPlan, StrategyKind, TileKind};

use crate::app::cursor::Spot;
use crate::app::format;
use crate::app::order::sort_by_key;
use crate::app::record::Figures;
use crate::app::turn;

/// What is lit, in a few words that change only when it does.
pub fn name(spot: Spot) -> String {
    let mut parts = Vec::new();
    match (spot.rank, spot.peer) {
        (Some(from), Some(to)) => parts.push(t!("cursor.link_name", from = from, to = to)),
        (Some(rank), None) => parts.push(t!("cursor.rank_name", rank = rank)),
        (None, _) => {}
    }
    if let Some(block) = spot.block {
        parts.push(t!("cursor.block_name", block = block));
    }
    if let Some(step) = spot.step {
        parts.push(t!("cursor.step_name", step = step + 1));
    }
    parts.join(&t!("cursor.comma"))
}

/// Everything that is lit, a sentence each.
pub fn tell(spot: Spot, plan: &RunPlan, figures: &Figures, curve: &Curve) -> Vec<String> {
    let world = plan.mesh().world();
    let rank_of = |number: Option<u16>| world.rank(usize::from(number?)).ok();
    let (rank, peer, block) = (rank_of(spot.rank), rank_of(spot.peer), rank_of(spot.block));
    let mut told = Vec::new();
    match (rank, peer) {
        (Some(from), Some(to)) => told.push(link(from, to, figures)),
        (Some(rank), None) => told.push(of_rank(rank, plan, figures)),
        (None, _) => {}
    }
    if let (Some(rank), Some(block)) = (rank, block) {
        told.push(tile(rank, block, plan));
    } else if let Some(block) = block {
        told.push(of_block(block, plan));
    }
    if let Some(step) = spot.step {
        told.push(of_step(step, curve));
    }
    told
}

fn of_rank(rank: Rank, plan: &RunPlan, figures: &Figures) -> String {
    let place = plan.cp_rank(rank);
    let number = rank.index() as u16;
    let (sent, times) = (figures.sent.rank(number), figures.times.rank(number));
    let begins = t!(
        "cursor.rank",
        rank = rank.index(),
        positions = positions(plan.attention().sequence().positions(place), plan),
        pairs = format::count(plan.attention().pairs(place)),
    );
    if times.steps == 0 {
        return format!("{begins}{}", t!("cursor.rank_idle"));
    }
    let waited = times.waited_us as f64 / f64::from(times.steps);
    let goes_on = t!(
        "cursor.rank_busy",
        messages = format::count(sent.messages),
        bytes = format::count(sent.bytes),
        waited = format::micros(waited),
    );
    format!("{begins}{goes_on}")
}

fn link(from: Rank, to: Rank, figures: &Figures) -> String {
    let (from, to) = (from.index() as u16, to.index() as u16);
    let flow = figures.sent.link(from, to);
    let all = figures.sent.rank(from).bytes;
    if flow.messages == 0 {
        return t!("cursor.link_unused", from = from, to = to).into_owned();
    }
    let share = flow.bytes as f64 / all.max(1) as f64;
    t!(
        "cursor.link",
        from = from,
        to = to,
        messages = format::count(flow.messages),
        bytes = format::count(flow.bytes),
        share = format::percent(share),
    )
    .into_owned()
}

/// The steps of the ring, from 0, at which a rank has the keys of `block`, each with the rank.
fn holders(block: Rank, plan: &RunPlan) -> Vec<(usize, Rank)> {
    let attention = plan.attention();
    let group = plan.mesh().group(block, Axis::Cp);
    let own = plan.cp_rank(block);
    (0..attention.steps())
        .flat_map(|step| {
            let has = |rank: &Rank| attention.source(plan.cp_rank(*rank), step) == own;
            group.iter().copied().filter(has).map(move |rank| (step, rank)).collect::<Vec<_>>()
        })
        .collect()
}

fn of_block(block: Rank, plan: &RunPlan) -> String {
    let attention = plan.attention();
    let index = attention.ring_index(plan.cp_rank(block));
    let begins = t!(
        "cursor.block",
        block = block.index(),
        positions = positions(attention.positions(index), plan)
    );
    let key = match attention.strategy().kind() {
        StrategyKind::AllGather => "block_gathered",
        _ if attention.steps() > 1 => "block_travels",
        _ if attention.strategy().ulysses() > 1 => "block_stays",
        _ => "block_rests",
    };
    let at = |(step, rank): (usize, Rank)| {
        t!("cursor.block_at", turn = turn::at(attention, step), rank = rank.index()).into_owned()
    };
    let places: Vec<String> = holders(block, plan).into_iter().map(at).collect();
    let places = places.join(&t!("cursor.comma"));
    format!("{begins}{}", t!(format!("cursor.{}", key), places = places))
}

/// Where `rank` meets `block`.
fn tile(rank: Rank, block: Rank, plan: &RunPlan) -> String {
    let attention = plan.attention();
    let (q, k) = (plan.cp_rank(rank), plan.cp_rank(block));
    let index = attention.ring_index(k);
    let step = (0..attention.steps()).find(|&step| attention.source_index(q, step) == index);
    let (rank, block) = (rank.index(), block.index());
    let found = step.map(|step| (step, attention.tile(q, step)));
    match found.filter(|(_, tile)| tile.kind != TileKind::Skip) {
        Some((step, tile)) => t!(
            "cursor.tile",
            rank = rank,
            block = block,
            turn = turn::of(turn::is_ring(attention), step, attention.steps()),
            pairs = format::count(tile.pairs),
        ),
        None => t!("cursor.tile_skipped", rank = rank, block = block),
    }
    .into_owned()
}

fn of_step(step: u32, curve: &Curve) -> String {
    let numbers = curve.step(step).and_then(|n| Some((n, n.loss?)));
    let Some((numbers, loss)) = numbers else {
        return t!("cursor.step_untrained", step = step + 1).into_owned();
    };
    t!(
        "cursor.step",
        step = step + 1,
        loss = format!("{loss:.4}"),
        norm = numbers.grad_norm.map_or("–".to_owned(), |norm| format!("{norm:.4}")),
        took = format::micros(numbers.took_us() as f64),
    )
    .into_owned()
}

/// Positions without those of the padding.
fn positions(of: &[u32], plan: &RunPlan) -> String {
    let len = plan.attention().sequence().seq_len() as u32;
    let mut real: Vec<u32> = of.iter().copied().filter(|&p| p < len).collect();
    sort_by_key(&mut real, |&position| position.into());
    format::positions(&real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::record::Record;
    use plan::event::{Op, Scalar};
    use plan::{Event, EventKind, RunConfig};

    fn plan(config: RunConfig) -> RunPlan {
        RunPlan::new(config).expect("a possible run")
    }

    fn trained() -> Record {
        let mut record = Record::default();
        for rank in 0..4 {
            let event = |at_us, kind| Event { rank, step: 0, at_us, kind };
            let send = |to, bytes| EventKind::Send {
                axis: Axis::Ring,
                op: Op::RingKv,
                seq: 0,
                to,
                bytes,
                block: Some(rank),
            };
            let recv = EventKind::Recv {
                axis: Axis::Ring,
                op: Op::RingKv,
                seq: 0,
                from: (rank + 3) % 4,
                bytes: 3000,
                block: None,
                waited_us: 1500,
            };
            let scalar = |name, value| EventKind::Scalar { name, value };
            record.add(
                4,
                vec![
                    event(0, EventKind::StepBegin),
                    event(1, send((rank + 1) % 4, 3000)),
                    event(1, send((rank + 2) % 4, 1000)),
                    event(1600, recv),
                    event(7000, scalar(Scalar::Loss, 5.25)),
                    event(7000, scalar(Scalar::GradNorm, 0.5)),
                    event(8000, EventKind::StepEnd { took_us: 8000 }),
                ],
            );
        }
        record
    }

    fn check(record: &Record, config: RunConfig, spot: Spot, expect: &[&str]) {
        let told = tell(spot, &plan(config), &record.figures, &record.curve);
        assert_eq!(told, expect);
    }

    #[test]
    fn what_is_lit_in_words() {
        let (record, config) = (trained(), RunConfig { seq_len: 256, ..RunConfig::default() });
        let rank = Spot::of_rank(2);
        let block = Spot { block: Some(1), ..Spot::default() };
        for (spot, expect) in [
            (
                rank,
                &[
                    "Rank 2: positions 128–191, 10\u{202f}272 pairs per layer and head; 2 messages, \
                   4\u{202f}000 bytes sent so far; waiting 1.5 ms a step.",
                ][..],
            ),
            (
                Spot { peer: Some(3), ..rank },
                &["Rank 2 to rank 3: 1 messages, 3\u{202f}000 bytes so far, 75 % of what rank 2 \
                   sent."],
            ),
            (Spot { peer: Some(1), ..rank }, &["Rank 2 has sent nothing to rank 1."]),
            (
                block,
                &["Block 1, keys and values of positions 64–127: at rank 1 in ring step 1, at \
                   rank 2 in ring step 2, at rank 3 in ring step 3, at rank 0 in ring step 4."],
            ),
            (Spot::of_step(0), &["Step 1: loss 5.2500, gradient norm 0.5000, took 8.0 ms."]),
            (Spot::of_step(7), &["Step 8 has not been trained yet."]),
            (Spot::default(), &[]),
        ] {
            check(&record, config.clone(), spot, expect);
        }
        let told = tell(
            Spot { block: Some(1), ..rank },
            &plan(config.clone()),
            &record.figures,
            &record.curve,
        );
        assert_eq!(
            told[1],
            "Queries of rank 2 meet the keys of rank 1 in ring step 2 of 4: 4\u{202f}096 pairs."
        );
        check(
            &Record::default(),
            config,
            Spot { block: Some(3), ..Spot::of_rank(0) },
            &[
                "Rank 0: positions 0–63, 2\u{202f}080 pairs per layer and head; nothing sent yet.",
                "Queries of rank 0 see none of the keys of rank 3.",
            ],
        );
    }

    #[test]
    fn a_replica_has_blocks_of_its_own() {
        let config = RunConfig { dp: 2, cp: 2, seq_len: 256, ..RunConfig::default() };
        let spot = Spot { block: Some(2), ..Spot::default() };
        check(
            &Record::default(),
            config,
            spot,
            &[
                "Block 2, keys and values of positions 0–127: at rank 2 in ring step 1, at rank 3 in \
               ring step 2.",
            ],
        );
    }

    #[test]
    fn without_a_ring_there_is_no_ring_step() {
        use StrategyKind::{AllGather, Ring, Ulysses};
        let block = Spot { block: Some(0), ..Spot::default() };
        for (strategy, cp, expect) in [
            (
                AllGather,
                2,
                ": gathered by every rank first, then used at rank 0 in turn 1, at rank 1 in turn 2.",
            ),
            (Ulysses, 2, ": it stays with its rank; slices of its heads go to the others."),
            (Ring, 1, ": it stays with its rank."),
        ] {
            let config = RunConfig { strategy, cp, ..RunConfig::default() };
            let record = Record::default();
            let told = tell(block, &plan(config), &record.figures, &record.curve);
            assert!(told[0].ends_with(expect), "{told:?}");
        }
    }

    #[test]
    fn names_are_short() {
        let spot = Spot { block: Some(0), step: Some(16), ..Spot::of_rank(3) };
        assert_eq!(name(spot), "Rank 3, Block 0, Step 17");
        assert_eq!(name(Spot { peer: Some(1), ..Spot::of_rank(0) }), "Rank 0 to rank 1");
        assert_eq!(name(Spot::default()), "");
    }
}
