//! Ranks that disagree all get an error that says so, and leave nothing behind.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use candle_core::{DType, Device, Tensor};
use comm::{CommError, ProcessGroup, threads};
use plan::{RunConfig, WorldSize};

use crate::support::{on_ranks, small};

const SHORT: Duration = Duration::from_millis(800);

/// Runs `program` on three ranks and returns what each said; none may succeed.
fn errors(
    program: impl AsyncFn(&threads::ThreadGroup) -> comm::Result<()> + Sync,
) -> Result<Vec<String>> {
    let start = Instant::now();
    let results = threads::run(WorldSize::new(3)?, SHORT, async |group| {
        let result = program(&group).await;
        if let Err(error) = &result {
            group.abort(&error.to_string());
        }
        result
    });
    ensure!(start.elapsed() < 4 * SHORT, "it took {:?}", start.elapsed());
    let texts: Vec<_> = results
        .into_iter()
        .filter_map(|r: Result<(), CommError>| r.err())
        .map(|e| e.to_string())
        .collect();
    ensure!(texts.len() == 3, "every rank gets an error: {texts:?}");
    Ok(texts)
}

fn assert_names(texts: &[String], rank: usize, parts: &[&str]) -> Result<()> {
    let text = &texts[rank];
    for part in parts {
        ensure!(text.contains(part), "rank {rank} does not name {part:?}: {text}");
    }
    Ok(())
}

#[test]
fn a_different_shape() -> Result<()> {
    let texts = errors(async |group| {
        let len = if group.rank().index() == 1 { 8 } else { 6 };
        let mine = Tensor::zeros(len, DType::F32, &Device::Cpu)?;
        for _ in 0..3 {
            group.all_gather(&mine).await?;
        }
        Ok(())
    })?;
    for rank in 0..3 {
        assert_names(&texts, rank, &[&format!("rank {rank}"), "all_gather #", "expected", "got"])?;
    }
    assert_names(&texts, 2, &["all_gather #0 of group world", "[6]", "[8]"])
}

#[test]
fn a_skipped_collective() -> Result<()> {
    let texts = errors(async |group| {
        let mine = Tensor::zeros(6, DType::F32, &Device::Cpu)?;
        if group.rank().index() != 2 {
            group.all_reduce(&mine).await?;
        }
        for _ in 0..3 {
            group.all_gather(&mine).await?;
        }
        Ok(())
    })?;
    for rank in 0..3 {
        assert_names(&texts, rank, &[&format!("rank {rank}"), "expected", "got"])?;
    }
    assert_names(&texts, 0, &["all_reduce #0", "all_gather #0"])
}

#[test]
fn a_rank_that_never_comes() -> Result<()> {
    let texts = errors(async |group| {
        let mine = Tensor::zeros(6, DType::F32, &Device::Cpu)?;
        if group.rank().index() == 0 {
            // Alive and elsewhere: only the timeouts of the others can tell.
            std::thread::sleep(2 * SHORT);
        }
        group.barrier().await?;
        group.all_gather(&mine).await.map(drop)
    });
    // Rank 0 comes to a world that has given up.
    let texts = texts?;
    for rank in 1..3 {
        assert_names(&texts, rank, &[&format!("rank {rank}"), "barrier #0", "got"])?;
    }
    ensure!(texts.iter().any(|t| t.contains("nothing for 0.8 s")), "{texts:?}");
    Ok(())
}

#[test]
fn the_next_run_in_the_same_process_equals_a_fresh_one() -> Result<()> {
    let config = RunConfig { cp: 4, ..small() };
    let run = || -> Result<Vec<u64>> {
        let ranks = on_ranks(&config, async |trainer| {
            let mut losses = Vec::new();
            for _ in 0..3 {
                losses.push(trainer.step().await?.loss.to_bits());
            }
            Ok(losses)
        })?;
        Ok(ranks[0].0.clone())
    };
    let fresh = run()?;
    a_different_shape()?;
    a_skipped_collective()?;
    let broken = on_ranks(&config, async |trainer| {
        if trainer.steps_done() == 0 {
            trainer.step().await?;
        }
        anyhow::bail!("this run breaks after one step")
    });
    ensure!(broken.map(|_: Vec<((), _)>| ()).is_err(), "the broken run fails");
    ensure!(run()? == fresh, "a later run differs from a fresh one");
    Ok(())
}
