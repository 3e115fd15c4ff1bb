//! The story of a run: Run, Pause, Step, Reset, with four workers alive and a loss that falls.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// Steps that each rank has done.
async fn stands(page: &Page) -> Result<Vec<String>> {
    page.column("Traffic of each rank", "Steps").await
}

#[test]
fn runs_pauses_steps_and_resets_with_four_workers_alive() -> Result<()> {
    open(Hosting::default(), "", async |page, _| {
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(1).await?;
        let workers = page.column("Ranks in figures", "Worker").await?;
        ensure!(workers == ["ready"; 4], "the workers are {workers:?}");
        page.until_step(30).await?;

        page.press("Pause").await?;
        page.until_status("State", "Paused").await?;
        let (step, loss) = (page.step().await?, page.loss().await?);
        ensure!(stands(page).await? == vec![step.to_string(); 4], "{:?}", stands(page).await?);
        tokio::time::sleep(Duration::from_secs(1)).await;
        ensure!(page.step().await? == step, "it went on after the pause");

        let losses = page.column("Losses", "Loss").await?;
        let first: f64 = losses.last().map_or(Ok(0.0), |loss| loss.parse())?;
        ensure!((5.0..6.5).contains(&first), "256 bytes by chance are ln 256 = 5.5, not {first}");
        ensure!(loss < 0.8 * first, "the loss fell from {first} to {loss} only");

        page.press("Step").await?;
        page.until_step(step + 1).await?;
        page.until_status("State", "Paused").await?;
        ensure!(stands(page).await? == vec![(step + 1).to_string(); 4]);
        page.press("Run").await?;
        page.until_step(step + 4).await?;

        page.press("Reset").await?;
        page.until_ready(4).await?;
        ensure!(page.step().await? == 0, "Reset begins at step 0");
        page.press("Step").await?;
        page.until_step(1).await?;
        let again = page.loss().await?;
        ensure!(again == first, "the same seed gave {again} after {first}");
        Ok(())
    })
}
