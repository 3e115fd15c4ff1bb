//! A worker's memory does not grow with the steps.

use anyhow::{Result, ensure};

use super::drive::open;
use super::site::Hosting;

#[test]
fn memory_is_flat_from_step_20_to_step_200() -> Result<()> {
    open(Hosting::default(), "v=1&steps=200", async |page, _| {
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(20).await?;
        // A run that goes may show a column a few steps late, one that is held does not.
        page.press("Pause").await?;
        page.until_status("State", "Paused").await?;
        let early = page.column("Ranks in figures", "Memory held").await?;
        ensure!(early.len() == 4 && early.iter().all(|held| held.ends_with("MB")), "{early:?}");
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        let late = page.column("Ranks in figures", "Memory held").await?;
        ensure!(late == early, "after 20 steps {early:?}, after 200 {late:?}");
        Ok(())
    })
}
