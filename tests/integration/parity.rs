//! W ranks equal one: loss, logits and every gradient against a one-rank f64 reference.

use anyhow::{Context, Result, ensure};
use candle_core::DType;
use plan::{Layout, RunConfig, RunPlan, StrategyKind};

use crate::support::{TOLERANCE, assert_close, gather_logits, on_ranks, small};

/// Compares the run of `config` with the reference and returns nothing if all is equal.
pub fn check(config: &RunConfig) -> Result<()> {
    let plan = RunPlan::new(config.clone())?;
    let reference = train::reference::run(&plan, None, 0, DType::F64)?;
    let ranks = on_ranks(config, async |trainer| Ok(trainer.gradients(0).await?))?;
    let names = train_names(&plan);
    for (rank, (got, _)) in ranks.iter().enumerate() {
        let off = (got.loss - reference.loss).abs() / reference.loss;
        ensure!(off <= TOLERANCE, "loss on rank {rank}: {} against {}", got.loss, reference.loss);
        for ((name, ours), theirs) in names.iter().zip(&got.gradients).zip(&reference.gradients) {
            assert_close(&format!("rank {rank}, gradient of {name}"), ours, theirs)?;
        }
    }
    if config.dp == 1 && config.grad_accum == 1 {
        let shards: Vec<_> = ranks.iter().map(|(got, _)| got.logits.clone()).collect();
        assert_close("logits", &gather_logits(&plan, &shards)?, &reference.logits)?;
    }
    Ok(())
}

fn train_names(plan: &RunPlan) -> Vec<String> {
    let m = plan.model();
    let config = model::GptConfig::new(m.vocab, m.d_model, m.heads, m.kv_heads, m.layers);
    config.parameters().into_iter().map(|(name, _)| name).collect()
}

/// Checks every strategy, head sharing, packing and length for `cp` ranks, and counts.
fn check_all(cp: usize, heads: usize, kv: [usize; 3]) -> Result<()> {
    let mut checked = 0;
    for layout in Layout::ALL {
        for strategy in StrategyKind::ALL {
            for kv_heads in kv {
                for (seq_len, documents) in
                    [(48, vec![]), (48, vec![7, 1, 23, 17]), (41, vec![]), (41, vec![20, 21])]
                {
                    let config = RunConfig {
                        cp,
                        layout,
                        strategy,
                        heads,
                        kv_heads: Some(kv_heads),
                        d_model: 4 * heads,
                        seq_len,
                        documents,
                        ..small()
                    };
                    check(&config).with_context(|| format!("{config:?}"))?;
                    checked += 1;
                }
            }
        }
    }
    ensure!(checked == 144, "{checked} combinations ran, 144 were meant to");
    Ok(())
}

#[test]
fn one_rank() -> Result<()> {
    check_all(1, 8, [8, 2, 1])
}

#[test]
fn two_ranks() -> Result<()> {
    check_all(2, 8, [8, 2, 1])
}

#[test]
fn three_ranks() -> Result<()> {
    check_all(3, 6, [6, 3, 1])
}

#[test]
fn four_ranks() -> Result<()> {
    check_all(4, 8, [8, 2, 1])
}

#[test]
fn eight_ranks() -> Result<()> {
    check_all(8, 8, [8, 2, 1])
}

#[test]
fn windows_batches_micro_batches_and_replicas() -> Result<()> {
    for strategy in StrategyKind::ALL {
        for layout in Layout::ALL {
            let config = RunConfig { cp: 4, strategy, layout, ..small() };
            check(&RunConfig { window: Some(5), ..config.clone() })?;
            check(&RunConfig {
                window: Some(9),
                documents: vec![20, 28],
                batch: 2,
                ..config.clone()
            })?;
            check(&RunConfig { batch: 4, grad_accum: 2, ..config.clone() })?;
            check(&RunConfig { cp: 2, dp: 2, batch: 2, ..config })?;
        }
    }
    Ok(())
}

#[test]
fn the_default_run() -> Result<()> {
    check(&RunConfig::default())
}
