//! Predicted messages and bytes equal measured ones, exactly, for every rank.

use anyhow::{Result, ensure};
use plan::event::{Axis, Op, Pass};
use plan::fold::Sent;
use plan::schedule::RankSchedule;
use plan::traffic::Flow;
use plan::{Event, EventKind, Layout, RunConfig, RunPlan, StrategyKind};

use crate::support::{on_ranks, small};

fn check(config: &RunConfig) -> Result<()> {
    let plan = RunPlan::new(config.clone())?;
    let steps = 2;
    let ranks = on_ranks(config, async |trainer| {
        for _ in 0..steps {
            trainer.step().await?;
        }
        Ok(())
    })?;
    let mut sent = Sent::default();
    for event in ranks.iter().flat_map(|(_, events)| events) {
        sent.add(event);
    }
    let predicted = plan.run_traffic(0, steps);
    for rank in 0..plan.mesh().world().get() {
        let measured = sent.rank(rank as u16);
        ensure!(measured == predicted, "rank {rank}: {predicted:?} {measured:?} {config:?}");
    }
    // What a rank receives is what the others sent it.
    let received: u64 = ranks
        .iter()
        .flat_map(|(_, events)| events)
        .filter_map(|e| match e.kind {
            EventKind::Recv { bytes, .. } => Some(bytes),
            _ => None,
        })
        .sum();
    ensure!(received == predicted.bytes * plan.mesh().world().get() as u64, "bytes were lost");
    Ok(())
}

#[test]
fn every_strategy_layout_and_head_count() -> Result<()> {
    for cp in [1, 2, 3, 4, 8] {
        let heads = if cp == 3 { 6 } else { 8 };
        for strategy in StrategyKind::ALL {
            for layout in Layout::ALL {
                for kv_heads in [heads, 2, 1] {
                    if strategy == StrategyKind::Ulysses && cp == 3 && kv_heads == 2 {
                        continue;
                    }
                    let config = RunConfig {
                        cp,
                        strategy,
                        layout,
                        heads,
                        kv_heads: Some(kv_heads),
                        d_model: 4 * heads,
                        seq_len: 41,
                        ..small()
                    };
                    check(&config)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn windows_replicas_evaluation_and_micro_batches() -> Result<()> {
    for strategy in StrategyKind::ALL {
        let config = RunConfig { cp: 4, strategy, ..small() };
        check(&RunConfig { window: Some(5), ..config.clone() })?;
        check(&RunConfig { dp: 2, batch: 2, grad_accum: 2, ..config.clone() })?;
        check(&RunConfig { eval_every: 1, ..config })?;
    }
    Ok(())
}

/// The formulas themselves, counted on the wire: W-1 exchanges forward, 3W-2 in all.
#[test]
fn a_ring_of_w_exchanges_3w_minus_2_times() -> Result<()> {
    for w in [2, 3, 4, 8] {
        let config = RunConfig { cp: w, layers: 1, ..small() };
        let ranks = on_ranks(&config, async |trainer| Ok(trainer.step().await?))?;
        let mut sent = Sent::default();
        ranks[0].1.iter().for_each(|event| sent.add(event));
        let count = |op| sent.op(0, Axis::Ring, op);
        let (kv, grad): (Flow, Flow) = (count(Op::RingKv), count(Op::RingKvGrad));
        ensure!(kv.messages + grad.messages == 3 * w as u64 - 2, "{w}: {kv:?} {grad:?}");
        let block = 2 * 48usize.div_ceil(w) * 32 * 4;
        ensure!(kv.bytes == (2 * (w - 1) * block) as u64, "{w}: {kv:?}");
        ensure!(grad.bytes == (w * block) as u64, "{w}: {grad:?}");
    }
    Ok(())
}

/// Every layout with every strategy: the plan of each of four ranks, and what it told of a step.
fn each_schedule(
    check: impl Fn(Layout, StrategyKind, &RankSchedule, &[Event]) -> Result<()>,
) -> Result<()> {
    for layout in Layout::ALL {
        for strategy in StrategyKind::ALL {
            let config = RunConfig { cp: 4, layout, strategy, layers: 1, ..small() };
            let plan = RunPlan::new(config.clone())?;
            let ranks = on_ranks(&config, async |trainer| Ok(trainer.step().await?))?;
            for (planned, (_, events)) in plan.attention().view().ranks.iter().zip(&ranks) {
                check(layout, strategy, planned, events)?;
            }
        }
    }
    Ok(())
}

/// A ring computes part of its own tile last, while gradients come home; nothing twice, and all of it.
#[test]
fn the_backward_pass_computes_each_pair_once() -> Result<()> {
    each_schedule(|layout, strategy, planned, events| {
        let tile = |event: &Event| match event.kind {
            EventKind::Tile { pass: Pass::Backward, ring_step, pairs, .. } => {
                Some((usize::from(ring_step), pairs))
            }
            _ => None,
        };
        let tiles: Vec<(usize, u64)> = events.iter().filter_map(tile).collect();
        for step in &planned.steps {
            let of_step = tiles.iter().filter(|(number, _)| *number == step.step);
            let pairs: u64 = of_step.map(|(_, pairs)| pairs).sum();
            ensure!(pairs == step.pairs, "{layout}, {strategy}: {tiles:?}");
        }
        let splits = (layout, strategy) == (Layout::Zigzag, StrategyKind::Ring);
        let is_last = tiles.last().is_some_and(|(number, _)| *number == 0);
        ensure!(is_last || !splits, "{layout}, {strategy}: {tiles:?}");
        Ok(())
    })
}

/// Tiles as computed are tiles as planned.
#[test]
fn the_tiles_computed_are_the_tiles_planned() -> Result<()> {
    each_schedule(|layout, strategy, planned, events| {
        let tile = |event: &Event| match event.kind {
            EventKind::Tile { pass: Pass::Forward, ring_step, kv_from, kind, pairs, .. } => {
                Some((usize::from(ring_step), usize::from(kv_from), kind, pairs))
            }
            _ => None,
        };
        let forward: Vec<_> = events.iter().filter_map(tile).collect();
        let expect: Vec<_> =
            planned.steps.iter().map(|s| (s.step, s.kv_from, s.kind, s.pairs)).collect();
        ensure!(forward == expect, "{layout}, {strategy}: {forward:?} {expect:?}");
        Ok(())
    })
}
