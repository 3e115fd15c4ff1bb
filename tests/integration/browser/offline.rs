//! The page without its host: after one visit it opens, and trains.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::{Hosting, dist};

/// Longer than a page takes to ask after its host.
const ASKING: Duration = Duration::from_secs(2);

fn trains_without_a_host(prefix: &'static str) -> Result<()> {
    let hosting = Hosting { prefix, ..Hosting::default() };
    open(hosting, "v=1&cp=2&seed=11", async |page, site| {
        page.until_ready(2).await?;
        page.until_kept().await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        let loss = page.loss().await?;
        site.stop();
        // Fresh workers, of a page that came from its host.
        page.press("Reset").await?;
        page.until_ready(2).await?;
        // And a fresh page.
        page.reload().await?;
        page.until_back(2).await?;
        ensure!(page.value("Seed").await? == "11", "the address still holds the run");
        page.press("Reset").await?;
        page.until_ready(2).await?;
        page.tick("Check against one rank").await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        ensure!(page.loss().await? == loss, "the same run gave another loss");
        page.until_status("Difference", "steps compared: 1)").await?;
        // The doctor was never called while there was a host.
        page.follow("Doctor").await?;
        page.press("8 GPUs, in order").await?;
        page.until_status("Verdict", "Nothing speaks against this run").await
    })
}

#[test]
fn after_one_visit_the_page_opens_and_trains_without_its_host() -> Result<()> {
    trains_without_a_host("")
}

#[test]
fn so_it_does_below_a_path() -> Result<()> {
    trains_without_a_host("/sub/dir")
}

/// Until the next load is the service worker's, or the host's.
async fn until_next_is_kept(page: &Page, is_kept: bool) -> Result<()> {
    let is_so = async |page: &Page| {
        let script = "return caches.match(new URL('./', document.baseURI)).then(Boolean);";
        Ok(page.script(script, json!([])).await? == json!(is_kept))
    };
    page.until("the kept page to come or go", is_so).await?;
    Ok(())
}

#[test]
fn a_host_that_is_out_of_order_still_has_its_page_kept() -> Result<()> {
    open(Hosting::default(), "v=1&cp=1", async |page, site| {
        page.until_ready(1).await?;
        page.until_kept().await?;
        site.set_out_of_order(true);
        // The first load asks what has become of the host; the second would be the host's.
        for _ in 0..2 {
            page.reload().await?;
            page.until_ready(1).await?;
            tokio::time::sleep(ASKING).await;
        }
        until_next_is_kept(page, true).await
    })
}

#[test]
fn a_host_that_was_without_the_page_for_a_moment_has_it_kept_again() -> Result<()> {
    open(Hosting::default(), "v=1&cp=1", async |page, site| {
        page.until_ready(1).await?;
        page.until_kept().await?;
        let empty = tempfile::tempdir()?;
        site.deploy(empty.path());
        page.reload().await?;
        until_next_is_kept(page, false).await?;
        site.deploy(&dist()?);
        page.reload().await?;
        page.until_ready(1).await?;
        until_next_is_kept(page, true).await?;
        site.stop();
        page.reload().await?;
        page.until_ready(1).await
    })
}

#[test]
fn a_host_that_no_longer_has_the_page_gets_its_place_back() -> Result<()> {
    open(Hosting::default(), "v=1&cp=1", async |page, site| {
        page.until_ready(1).await?;
        page.until_kept().await?;
        let empty = tempfile::tempdir()?;
        site.deploy(empty.path());
        // What was kept is shown once more, and works until it is left.
        page.reload().await?;
        page.until_ready(1).await?;
        until_next_is_kept(page, false).await?;
        page.press("Reset").await?;
        page.until_ready(1).await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        page.reload().await?;
        let shown = page.text("body").await?;
        ensure!(shown.contains("it is not here"), "this is not the host's own answer: {shown}");
        let is_gone = async |page: &Page| {
            // The last run is the user's own, and stays.
            let script = "return Promise.all([
                    navigator.serviceWorker.getRegistration(),
                    caches.keys(),
                ]).then(([registration, kept]) =>
                    !registration && kept.every(name => name.startsWith('ringside-last-run ')));";
            Ok(page.script(script, json!([])).await? == json!(true))
        };
        page.until("the end of the service worker and its files", is_gone).await?;
        Ok(())
    })
}
