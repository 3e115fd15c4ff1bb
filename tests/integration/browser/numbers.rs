//! The page's losses are the native ones.

use anyhow::{Context, Result, ensure};
use plan::RunConfig;

use super::drive::open;
use super::site::Hosting;
use crate::support::on_ranks;

const STEPS: u32 = 20;
const TOLERANCE: f64 = 1e-4;

fn native(config: &RunConfig) -> Result<Vec<f64>> {
    let ranks = on_ranks(config, async |trainer| {
        let mut losses = Vec::new();
        for _ in 0..STEPS {
            losses.push(trainer.step().await?.loss);
        }
        Ok(losses)
    })?;
    Ok(ranks.into_iter().next().context("there is a rank 0")?.0)
}

fn compare(config: &RunConfig, fragment: &str) -> Result<()> {
    let native = native(config)?;
    open(Hosting::default(), fragment, async |page, _| {
        page.until_ready(config.cp * config.dp).await?;
        page.tick("Check against one rank").await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        // The newest stands first.
        let mut shown = page.column("Losses", "Loss").await?;
        shown.reverse();
        ensure!(shown.len() == STEPS as usize, "{} losses are shown", shown.len());
        for (step, (shown, native)) in shown.iter().zip(&native).enumerate() {
            let shown: f64 = shown.parse()?;
            ensure!((shown - native).abs() <= TOLERANCE, "step {step}: {shown} is not {native}");
        }
        page.until_status("Difference", &format!("steps compared: {STEPS})")).await?;
        let mut alone = page.column("Losses", "One rank").await?;
        alone.reverse();
        for (step, (alone, native)) in alone.iter().zip(&native).enumerate() {
            let alone: f64 = alone.parse()?;
            ensure!((alone - native).abs() <= TOLERANCE, "step {step}: {alone} is not {native}");
        }
        // Predicted and measured traffic are equal.
        let verdicts = page.column("Traffic of each rank", "Verdict").await?;
        ensure!(verdicts.iter().all(|verdict| verdict.contains("equal")), "{verdicts:?}");
        Ok(())
    })
}

#[test]
fn the_first_twenty_losses_equal_the_native_ones() -> Result<()> {
    let config = RunConfig { steps: STEPS, seed: 7, ..RunConfig::default() };
    compare(&config, &format!("v=1&steps={STEPS}&seed=7"))
}

#[test]
fn replicas_learn_what_one_rank_learns_from_all_their_sequences() -> Result<()> {
    let config = RunConfig { steps: STEPS, cp: 2, dp: 2, ..RunConfig::default() };
    compare(&config, &format!("v=1&steps={STEPS}&cp=2&dp=2"))
}
