//! A panic in a worker: its text is shown, the others name what they were in, Restart works.

use anyhow::{Result, ensure};
use plan::command::Command;
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// Keeps the page's workers where a test can reach them, as nothing on the page would.
pub const KEEP_WORKERS: &str = "window.kept = [];
     window.Worker = class extends Worker {
         constructor(url, ...a) { super(url, ...a); this.url = String(url); kept.push(this); }
     };";

#[test]
fn a_panic_in_rank_2_is_told_and_restart_works() -> Result<()> {
    let hosting = Hosting { script: Some(KEEP_WORKERS), ..Hosting::default() };
    open(hosting, "", async |page, _| {
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(2).await?;
        let crash = postcard::to_allocvec(&Command::Crash)?;
        let script = "kept[2].postMessage([new Uint8Array(arguments[0])]);";
        page.script(script, json!([crash])).await?;

        let all_told =
            async |page: &Page| Ok(page.alert().await?.contains("What else was heard (3)"));
        page.until("four ranks to stop", all_told).await?;
        let text = page.alert().await?;
        ensure!(text.starts_with("Rank 2 stopped"), "the cause stands first: {text}");
        ensure!(text.contains("Command::Crash"), "the panic's text is missing: {text}");
        ensure!(text.contains("rank/mod.rs"), "the panic's place is missing: {text}");
        for rank in [0, 1, 3] {
            ensure!(
                text.contains(&format!("Rank {rank} stopped")),
                "rank {rank} is silent: {text}"
            );
        }
        let named = ["ring kv #", "ring dkv #", "all_reduce #"];
        ensure!(named.iter().any(|op| text.contains(op)), "no collective is named: {text}");

        page.press("Restart").await?;
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(2).await
    })
}

#[test]
fn a_panic_in_the_reference_is_told_and_the_run_goes_on() -> Result<()> {
    let hosting = Hosting { script: Some(KEEP_WORKERS), ..Hosting::default() };
    open(hosting, "v=1&cp=2&check=1", async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("Difference", "Largest difference").await?;
        // No message of the helper's protocol: it panics where it reads it.
        let script = "kept.find(worker => worker.url.includes('role=reference'))
             .postMessage(new Uint8Array([255, 255, 255, 255]));";
        page.script(script, json!([])).await?;
        page.until_status("Difference", "The one-rank run stopped: panicked at").await?;
        let step = page.step().await?;
        page.until_step(step + 2).await
    })
}
