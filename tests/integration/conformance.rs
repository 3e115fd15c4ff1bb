//! The laws of the collectives on every native backend, for every world and for subgroups.

use std::rc::Rc;

use anyhow::{Result, ensure};
#[cfg(feature = "nccl")]
use candle_core::Device;
use comm::{ProcessGroup, SubGroup, conformance, threads};
use plan::{Axis, WorldSize};

use crate::support::TIMEOUT;

fn assert_held(outcomes: &[conformance::Outcome]) -> Result<()> {
    ensure!(outcomes.len() >= 10, "the suite has its laws");
    for (law, outcome) in outcomes {
        ensure!(outcome.is_ok(), "{law}: {outcome:?}");
    }
    Ok(())
}

#[test]
fn threads_keep_every_law() -> Result<()> {
    for size in [1, 2, 3, 4, 8] {
        let ranks = threads::run(WorldSize::new(size)?, TIMEOUT, async |group| {
            conformance::run(&group).await
        });
        for outcomes in &ranks {
            assert_held(outcomes)?;
        }
    }
    Ok(())
}

#[test]
fn subgroups_keep_every_law_side_by_side() -> Result<()> {
    let ranks = threads::run(WorldSize::new(6)?, TIMEOUT, async |group| {
        // Two groups of three that interleave: 0 2 4 and 1 3 5.
        let parity = group.rank().index() % 2;
        let members = group.size().ranks().filter(|r| r.index() % 2 == parity).collect();
        let world: Rc<dyn ProcessGroup> = Rc::new(group);
        conformance::run(&SubGroup::new(world, Axis::Cp, members)).await
    });
    for outcomes in &ranks {
        assert_held(outcomes)?;
    }
    Ok(())
}

/// Says that it was left out, unless it is asked for: a machine without GPUs cannot pass it.
#[cfg(feature = "nccl")]
#[test]
#[ignore = "needs two NVIDIA GPUs or more; tests/gpu.sh runs it where they are"]
fn nccl_keeps_every_law() -> Result<()> {
    let gpus = (0..8).map_while(|gpu| Device::new_cuda_with_stream(gpu).ok()).collect::<Vec<_>>();
    ensure!(gpus.len() >= 2, "this machine shows {} GPUs, and the laws need two", gpus.len());
    for size in 1..=gpus.len() {
        let ranks = comm::nccl::run(&gpus[..size], TIMEOUT, async |_, group| {
            anyhow::Ok(conformance::run(&group?).await)
        })?;
        for outcomes in ranks {
            assert_held(&outcomes?)?;
        }
    }
    Ok(())
}

#[test]
fn one_rank_alone_keeps_every_law_without_a_message() -> Result<()> {
    let outcomes = futures::executor::block_on(conformance::run(&comm::Solo::default()));
    assert_held(&outcomes)
}
