//! The same global batch over every factorisation of 8 ranks trains the same.

use anyhow::{Result, ensure};
use candle_core::Tensor;
use plan::{Optimizer, RunConfig, StrategyKind};

use crate::support::{on_ranks, relative_norm, small};

/// Loss of each of 5 steps, the evaluation loss at the end, and every parameter.
fn train(config: &RunConfig) -> Result<(Vec<f64>, f64, Vec<Tensor>)> {
    let mut ranks = on_ranks(config, async |trainer| {
        let mut losses = Vec::new();
        for _ in 0..5 {
            losses.push(trainer.step().await?.loss);
        }
        let eval = trainer.evaluate().await?;
        let parameters = trainer.model().vars().iter().map(|var| var.as_tensor().copy());
        Ok((losses, eval, parameters.collect::<Result<Vec<_>, _>>()?))
    })?;
    let first = ranks.remove(0).0;
    for (other, _) in &ranks {
        ensure!(other.0 == first.0 && other.1 == first.1, "ranks report the same numbers");
    }
    Ok(first)
}

#[test]
fn every_factorisation_of_eight_ranks_gives_the_same_run() -> Result<()> {
    let global = 8;
    let base = RunConfig {
        optimizer: Optimizer::Sgd,
        lr: 0.5,
        warmup_steps: 0,
        grad_clip: 0.0,
        heads: 8,
        ..small()
    };
    let alone = train(&RunConfig { batch: global, eval_batches: 8, ..base.clone() })?;
    ensure!(alone.0[4] < alone.0[0], "SGD learns: {:?}", alone.0);
    let mut checked = 0;
    for dp in [1, 2, 4, 8] {
        for ulysses in [1, 2, 4, 8] {
            let cp = 8 / dp;
            if ulysses > cp {
                continue;
            }
            let config = RunConfig {
                dp,
                cp,
                strategy: StrategyKind::Usp,
                ulysses_degree: Some(ulysses),
                batch: global / dp,
                eval_batches: 8,
                ..base.clone()
            };
            let (losses, eval, parameters) = train(&config)?;
            let off = (eval - alone.1).abs() / alone.1;
            ensure!(off < 1e-5, "dp {dp}, u {ulysses}: evaluation {eval}, alone {}", alone.1);
            for (step, (a, b)) in losses.iter().zip(&alone.0).enumerate() {
                ensure!((a - b).abs() / b < 1e-5, "dp {dp}, u {ulysses}, step {step}: {a} {b}");
            }
            for (a, b) in parameters.iter().zip(&alone.2) {
                ensure!(relative_norm(a, b)? < 1e-5, "dp {dp}, u {ulysses}: a parameter differs");
            }
            checked += 1;
        }
    }
    ensure!(checked == 10, "{checked} factorisations ran");
    Ok(())
}

#[test]
fn accumulating_gradients_changes_nothing() -> Result<()> {
    let base = RunConfig { batch: 4, cp: 2, optimizer: Optimizer::Sgd, lr: 0.1, ..small() };
    let (whole, eval, _) = train(&base)?;
    let (split, split_eval, _) = train(&RunConfig { grad_accum: 4, ..base })?;
    ensure!((eval - split_eval).abs() / eval < 1e-5, "{eval} {split_eval}");
    for (a, b) in whole.iter().zip(&split) {
        ensure!((a - b).abs() / b < 1e-5, "{a} {b}");
    }
    Ok(())
}

#[test]
fn evaluation_is_equal_for_every_number_of_ranks() -> Result<()> {
    let losses = [1, 2, 3, 4, 8]
        .map(|cp| on_ranks(&RunConfig { cp, ..small() }, async |t| Ok(t.evaluate().await?)));
    let losses = losses.into_iter().map(|r| Ok(r?[0].0)).collect::<Result<Vec<_>>>()?;
    for loss in &losses {
        ensure!((loss - losses[0]).abs() / losses[0] < 1e-5, "{losses:?}");
    }
    Ok(())
}
