//! The page inside another page: the chosen panels, a few buttons, and the way to the whole page.

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::{Hosting, Site};

/// Opens a course page that holds the playground, and goes into its frame.
async fn enter(page: &Page, site: &Site, fragment: &str) -> Result<()> {
    page.go(&site.course(fragment)).await?;
    page.enter_frame("iframe").await
}

async fn texts(page: &Page, css: &str) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll(arguments[0])]
        .map(element => element.textContent.trim());";
    Ok(serde_json::from_value(page.script(script, json!([css])).await?)?)
}

#[test]
fn a_frame_shows_the_chosen_panels_alone_and_trains() -> Result<()> {
    open(Hosting::default(), "", async |page, site| {
        enter(page, site, "v=1&cp=2&seed=11&embed=1&panels=traffic,ring").await?;
        page.until_ready(2).await?;
        ensure!(texts(page, "section h2").await? == ["Ring", "Traffic"]);
        let buttons = texts(page, ".buttons button").await?;
        ensure!(
            buttons == ["Run", "Pause", "Step", "Ring step", "Reset (same seed)"],
            "{buttons:?}"
        );
        ensure!(texts(page, ".time-bar .time-title").await? == ["Time"], "there is no slider");
        for absent in [".masthead", ".settings", ".workbench", "[data-control=fork]"] {
            ensure!(texts(page, absent).await?.is_empty(), "{absent} is there");
        }
        ensure!(page.status("Notices").await?.is_empty());
        page.press("Step").await?;
        page.until_step(1).await?;
        let script = "return document.querySelector('.whole-page a').href;";
        let whole = page.script(script, json!([])).await?;
        let whole = whole.as_str().unwrap_or_default().to_owned();
        ensure!(!whole.contains("embed") && whole.contains("seed=11"), "{whole}");
        let loss = page.loss().await?;
        page.go(&whole).await?;
        page.until_back(2).await?;
        page.press("Reset").await?;
        page.until_ready(2).await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        ensure!(page.loss().await? == loss, "the whole page shows another run");
        ensure!(!texts(page, ".masthead").await?.is_empty());
        Ok(())
    })
}

#[test]
fn an_unknown_panel_is_told() -> Result<()> {
    open(Hosting::default(), "", async |page, site| {
        enter(page, site, "v=1&cp=1&embed=1&panels=curve,lab").await?;
        page.until_status("Notices", "panel “lab” is unknown").await?;
        ensure!(texts(page, "section h2").await? == ["Loss"]);
        Ok(())
    })
}

#[test]
fn settings_that_cannot_work_are_told_in_the_frame() -> Result<()> {
    open(Hosting::default(), "", async |page, site| {
        enter(page, site, "v=1&cp=2&heads=3&embed=1&panels=ring").await?;
        page.until_status("State", "Waiting for settings that can work").await?;
        let told = texts(page, ".embedded > .error").await?;
        ensure!(told.len() == 1 && told[0].starts_with("heads = 3: "), "{told:?}");
        Ok(())
    })
}

#[test]
fn a_sandboxed_frame_says_what_it_lacks() -> Result<()> {
    open(Hosting::default(), "", async |page, site| {
        page.go(&site.course("v=1&embed=1")).await?;
        let sandbox = "const frame = document.querySelector('iframe'), other = frame.cloneNode();
            other.sandbox = 'allow-scripts';
            frame.replaceWith(other);";
        page.script(sandbox, json!([])).await?;
        page.enter_frame("iframe").await?;
        let says = async |page: &Page| Ok(page.shown().await.contains("allow-same-origin"));
        page.until("the frame to say what it lacks", says).await?;
        Ok(())
    })
}
