//! Real steps of every strategy, modelled: as measured, without links, and with far ones.

use anyhow::{Result, ensure};
use plan::fold::beats::Beats;
use plan::simulate::Model;
use plan::{Event, EventKind, RunConfig, StrategyKind};

use crate::support::{on_ranks, small};

/// The events of the second step, by rank.
fn measured(config: &RunConfig) -> Result<Vec<Vec<Event>>> {
    let ranks = on_ranks(config, async |trainer| {
        trainer.step().await?;
        trainer.step().await?;
        Ok(())
    })?;
    let second = |events: Vec<Event>| events.into_iter().filter(|event| event.step == 1).collect();
    Ok(ranks.into_iter().map(|(_, events)| second(events)).collect())
}

fn ends(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.at_us).collect()
}

/// The longest of all ranks' steps.
fn length(events: &[Vec<Event>]) -> u64 {
    let all = events.iter().flatten();
    let took = all.filter(|event| matches!(event.kind, EventKind::StepEnd { .. }));
    took.map(Event::took_us).max().unwrap_or(0)
}

#[test]
fn every_strategy() -> Result<()> {
    for strategy in StrategyKind::ALL {
        for (cp, dp) in [(1, 1), (2, 2), (4, 1), (8, 1)] {
            if strategy == StrategyKind::Ulysses && cp == 8 {
                continue;
            }
            let config = RunConfig { strategy, cp, dp, ..small() };
            let measured = measured(&config)?;
            let name = format!("{strategy:?}, {cp} x {dp}");
            let same = Model::default().simulate(&measured);
            let free = Model { latency_us: Some(0.0), ..Model::default() }.simulate(&measured);
            let far = Model { latency_us: Some(1e5), ..Model::default() }.simulate(&measured);
            for (rank, events) in measured.iter().enumerate() {
                ensure!(ends(&same.events[rank]) == ends(events), "{name}: rank {rank}");
                let late = ends(&free.events[rank]).iter().zip(ends(events)).any(|(m, e)| *m > e);
                ensure!(!late, "{name}: rank {rank} ends later without links");
            }
            let is_recv = |event: &&Event| matches!(event.kind, EventKind::Recv { .. });
            let received = measured.iter().flatten().filter(is_recv).count();
            ensure!(far.messages.all as usize == received, "{name}: {received} were received");
            let order = |events: &[Vec<Event>]| Beats::new(1, events);
            ensure!(order(&far.events) == order(&measured), "{name}: another order");
            // A sum goes around twice, less two hops; the threads' clocks begin apart.
            let hops = if cp * dp > 1 { 2 * (cp * dp - 1) as u64 } else { 0 };
            ensure!(length(&far.events) >= hops * 90_000, "{name}: {} µs", length(&far.events));
        }
    }
    Ok(())
}
