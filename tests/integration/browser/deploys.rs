//! A deploy under an open page: nobody ever gets files of two builds.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::builds;
use super::drive::open;
use super::page::Page;
use super::site::{Hosting, Site};

const RUN: &str = "v=1&cp=2&seed=11";

/// Workers of another build than the page's would be refused with an alert, which ends every wait.
async fn trains(page: &Page) -> Result<()> {
    page.until_back(2).await?;
    let steps = page.step().await?;
    page.press("Step").await?;
    page.until_step(steps + 1).await?;
    page.until_status("State", "Paused").await
}

/// What happens when a tab is looked at again: the browser asks for a new service worker.
async fn look_for_another(page: &Page) -> Result<()> {
    page.script("document.dispatchEvent(new Event('visibilitychange'));", json!([])).await?;
    Ok(())
}

/// How many builds are kept; the last run is beside them.
async fn caches(page: &Page) -> Result<usize> {
    let script = "return caches.keys()
         .then(names => names.filter(name => !name.startsWith('ringside-last-run')));";
    let names = page.script(script, json!([])).await?;
    Ok(names.as_array().map_or(0, Vec::len))
}

async fn until_told(page: &Page, site: &Site, dist: &Path) -> Result<()> {
    ensure!(page.status("New version").await?.is_empty(), "there is no new version yet");
    site.deploy(dist);
    look_for_another(page).await?;
    page.until_status("New version", "A new version").await
}

#[test]
fn a_deploy_never_mixes_builds_and_is_taken_up_by_the_next_load() -> Result<()> {
    open(Hosting::default(), RUN, async |page, site| {
        trains(page).await?;
        page.until_kept().await?;
        let old = page.site().await?;
        let new = builds::another(page).await?;
        until_told(page, site, new.path()).await?;
        // The open page goes on with its own files, which its host no longer has.
        page.press("Reset").await?;
        trains(page).await?;
        ensure!(page.site().await? == old);
        // The next load is all new, while the old page stays as it is.
        let first_tab = page.open_tab(&site.url(RUN)).await?;
        trains(page).await?;
        ensure!(page.site().await? != old, "the new tab shows the old build");
        page.until_kept().await?;
        ensure!(caches(page).await? == 2, "a page still uses the old build");
        page.go_to_tab(first_tab).await?;
        page.press("Reset").await?;
        trains(page).await?;
        // The notice changes over, and then nobody uses the old build.
        page.press("Reload").await?;
        page.until("the new build", async |page| Ok(page.site().await? != old)).await?;
        trains(page).await?;
        ensure!(page.status("New version").await?.is_empty());
        page.until("one build kept", async |page| Ok(caches(page).await? == 1)).await?;
        site.stop();
        page.reload().await?;
        trains(page).await
    })
}

#[test]
fn half_a_deploy_changes_nothing() -> Result<()> {
    open(Hosting::default(), RUN, async |page, site| {
        trains(page).await?;
        page.until_kept().await?;
        let old = page.site().await?;
        let new = builds::another(page).await?;
        let half = builds::half_way_to(new.path())?;
        let asked = site.asked("worker_bg.wasm");
        site.deploy(half.path());
        look_for_another(page).await?;
        let tried = async |_: &Page| Ok(site.asked("worker_bg.wasm") > asked);
        page.until("an attempt to keep the new build", tried).await?;
        let settled = async |page: &Page| {
            let script = "return navigator.serviceWorker.getRegistration()
                .then(registration => registration.installing === null);";
            Ok(page.script(script, json!([])).await? == Value::Bool(true))
        };
        page.until("its failure", settled).await?;
        page.reload().await?;
        trains(page).await?;
        ensure!(page.site().await? == old, "half a build was taken up");
        ensure!(caches(page).await? == 1, "half a build is kept");
        // Once it is whole, it is taken.
        until_told(page, site, new.path()).await
    })
}

#[test]
fn one_changed_file_makes_another_build() -> Result<()> {
    open(Hosting::default(), RUN, async |page, site| {
        trains(page).await?;
        page.until_kept().await?;
        let old = page.site().await?;
        let new = builds::with_one_file_changed()?;
        until_told(page, site, new.path()).await?;
        page.press("Reset").await?;
        trains(page).await?;
        page.press("Reload").await?;
        page.until("the new build", async |page| Ok(page.site().await? != old)).await?;
        trains(page).await
    })
}
