//! The workers' files: late, missing, or something else in their place.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::site::{Fault, Hosting};

const FILES: [&str; 3] = ["worker_loader.js", "worker.js", "worker_bg.wasm"];
const DOCTORS: [&str; 2] = ["doctor.js", "doctor_bg.wasm"];
const NAMED_WITHIN: Duration = Duration::from_secs(5);

fn is_named(file: &'static str, fault: Fault, reason: &str) -> Result<()> {
    let hosting = Hosting { fault: Some((file, fault)), ..Hosting::default() };
    let address = if DOCTORS.contains(&file) { "v=1&view=doctor" } else { "" };
    open(hosting, address, async |page, _| {
        page.until("an alert", async |page| Ok(!page.alert().await?.is_empty())).await?;
        let text = page.alert().await?;
        // Builds that differ are a matter of all files, so the one that loads them is named.
        let blamed = if fault == Fault::Stale { "worker_loader.js" } else { file };
        ensure!(text.contains(blamed), "{blamed} is not named: {text}");
        ensure!(text.contains(reason), "{reason} is not named: {text}");
        // By the page's own clock, which starts when it is asked for.
        let now = page.script("return performance.now();", json!([])).await?;
        let took = Duration::from_secs_f64(now.as_f64().unwrap_or(f64::MAX) / 1e3);
        ensure!(took < NAMED_WITHIN, "it took {took:?}");
        Ok(())
    })
}

#[test]
fn a_missing_file_is_named() -> Result<()> {
    FILES.into_iter().chain(DOCTORS).try_for_each(|file| is_named(file, Fault::Missing, "404"))
}

#[test]
fn html_in_place_of_a_file_is_named() -> Result<()> {
    FILES.into_iter().chain(DOCTORS).try_for_each(|file| is_named(file, Fault::Html, "text/html"))
}

#[test]
fn a_worker_of_another_build_is_refused() -> Result<()> {
    is_named("worker_bg.wasm", Fault::Stale, "version mismatch")
}

/// Keeps the compiled code that workers are given.
const KEEP_CODE: &str = "
    window.codes = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
        if (message instanceof WebAssembly.Module) codes.push(message);
        return post.call(this, message, ...rest);
    };";

#[test]
fn all_ranks_share_the_code_that_is_compiled_once() -> Result<()> {
    let hosting = Hosting { script: Some(KEEP_CODE), ..Hosting::default() };
    open(hosting, "v=1&cp=8", async |page, _| {
        page.until_ready(8).await?;
        // The worker that warms up comes last.
        page.until("code for nine workers", async |page| {
            let script = "return [codes.length, new Set(codes).size];";
            Ok(page.script(script, json!([])).await? == json!([9, 1]))
        })
        .await?;
        Ok(())
    })
}

#[test]
fn the_doctor_is_not_missed_before_it_is_wanted_and_may_come_late() -> Result<()> {
    let hosting = Hosting { fault: Some(("doctor_bg.wasm", Fault::Held)), ..Hosting::default() };
    open(hosting, "v=1&cp=2", async |page, site| {
        page.until_ready(2).await?;
        // The page called nobody; whoever keeps the page fetches all files.
        let script = "return performance.getEntriesByType('resource')
             .filter(entry => entry.name.includes('role=doctor')).length;";
        let called = page.script(script, json!([])).await?;
        ensure!(called == json!(0), "the doctor was called before its place was opened");
        page.follow("Doctor").await?;
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        page.press("CP in accelerate 1.12.0").await?;
        page.until_status("Verdict", "Being read").await?;
        // Only the last of what was asked meanwhile counts.
        page.press("8 GPUs, in order").await?;
        site.release();
        page.until_status("Verdict", "Nothing speaks against this run").await
    })
}

#[test]
fn the_page_is_painted_before_the_worker_has_loaded() -> Result<()> {
    let hosting = Hosting { fault: Some(("worker_bg.wasm", Fault::Held)), ..Hosting::default() };
    open(hosting, "", async |page, site| {
        page.until_status("State", "Loading workers: 0 of 4 ready").await?;
        for part in ["Loss", "Step"] {
            page.until(part, async |page| Ok(!page.status(part).await?.is_empty())).await?;
        }
        // Run may be pressed already; it begins when the workers are there.
        page.press("Run").await?;
        page.until_status("State", "Begins when 4 workers are ready").await?;
        site.release();
        page.until_step(2).await
    })
}
