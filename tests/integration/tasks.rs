//! What the built-in tasks teach: recall needs attention across ranks, text and copy are learned.

use anyhow::{Result, ensure};
use plan::{RunConfig, Task};

use crate::support::{on_ranks, small};

/// Mean loss over the last 10 steps.
fn final_loss(config: &RunConfig) -> Result<f64> {
    let ranks = on_ranks(config, async |trainer| {
        let mut losses = Vec::new();
        while !trainer.is_finished() {
            losses.push(trainer.step().await?.loss);
        }
        Ok(losses)
    })?;
    let last = ranks[0].0.iter().rev().take(10);
    Ok(last.sum::<f64>() / 10.0)
}

#[test]
fn recall_is_learned_only_where_attention_crosses_ranks() -> Result<()> {
    let config = RunConfig {
        task: Task::Recall,
        seq_len: 64,
        batch: 8,
        d_model: 64,
        cp: 4,
        steps: 300,
        ..small()
    };
    let guessing = (train::data::RECALL_ANSWERS as f64).ln();
    let solved = final_loss(&config)?;
    ensure!(solved < 0.7, "with all ranks in reach the loss is {solved}");
    // One document a rank: nothing is seen beyond the rank's own slice.
    let alone = final_loss(&RunConfig { documents: vec![16; 4], ..config })?;
    ensure!(alone > 0.85 * guessing, "within each rank the loss is {alone}");
    Ok(())
}

#[test]
fn text_and_copy_are_learned_on_four_ranks() -> Result<()> {
    let config = RunConfig { cp: 4, steps: 60, seq_len: 128, ..small() };
    let text = final_loss(&config)?;
    ensure!(text < 3.3, "text: {text}");
    let copy = final_loss(&RunConfig { task: Task::Copy, ..config })?;
    ensure!(copy < 3.4, "copy: {copy}");
    Ok(())
}
