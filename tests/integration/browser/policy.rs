//! A strict content security policy, from the page and from its host: nothing violates it.

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

#[test]
fn nothing_violates_the_policy() -> Result<()> {
    let hosting = Hosting { policy: true, ..Hosting::default() };
    open(hosting, "v=1&cp=4&strategy=usp&ulysses_degree=2&check=1", async |page, site| {
        page.until_ready(4).await?;
        page.press("Test the links").await?;
        page.until_status("Links", "laws hold").await?;
        page.press("Run").await?;
        page.until_step(5).await?;
        page.press("Pause").await?;
        page.until_status("State", "Paused").await?;
        for place in ["Groups", "Backend", "Doctor", "Play"] {
            page.follow(place).await?;
            let there = format!("the place {place}");
            let is_there =
                async |page: &Page| Ok(page.text("nav [aria-current=page]").await? == place);
            page.until(&there, is_there).await?;
            if place == "Doctor" {
                page.press("8 GPUs, in order").await?;
                page.until_status("Verdict", "Nothing speaks against this run").await?;
            }
        }
        page.until_kept().await?;
        // What was drawn has its styles: bars are as long as they should be.
        let script = "return [...document.querySelectorAll('.bar')].map(bar => bar.style.width);";
        let widths = page.script(script, json!([])).await?;
        ensure!(widths.to_string().contains("\"100%\""), "the longest bar is full: {widths}");
        let violations = site.violations();
        ensure!(violations.is_empty(), "{violations:#?}");
        // That nothing was heard says something only where something would have been.
        page.script("document.body.setAttribute('style', 'color: red');", json!([])).await?;
        let heard = async |_: &Page| {
            Ok(site.violations().iter().any(|report| report.contains("style-src")))
        };
        page.until("a report of what the test does", heard).await?;
        Ok(())
    })
}
