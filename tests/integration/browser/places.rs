//! Any path will do to serve the page from, and its address brings a run back.

use anyhow::{Result, ensure};

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

async fn shows_the_link(page: &Page) -> Result<()> {
    page.until_ready(2).await?;
    ensure!(page.value("Ranks").await? == "2");
    ensure!(page.value("Seed").await? == "11");
    ensure!(page.value("Sequence length").await? == "128");
    page.press("Step").await?;
    page.until_step(1).await
}

#[test]
fn a_deep_link_below_a_path_survives_a_reload() -> Result<()> {
    let hosting = Hosting { prefix: "/sub/dir", ..Hosting::default() };
    open(hosting, "v=1&cp=2&seed=11&seq_len=128", async |page, site| {
        shows_the_link(page).await?;
        let first = page.loss().await?;
        page.reload().await?;
        page.until_back(2).await?;
        page.press("Reset").await?;
        shows_the_link(page).await?;
        ensure!(page.loss().await? == first, "the same link gave another loss");
        let missing = site.not_found();
        ensure!(missing.is_empty(), "the page asks for {missing:?}");
        Ok(())
    })
}

#[test]
fn what_a_link_cannot_give_is_said() -> Result<()> {
    open(Hosting::default(), "v=1&cp=99&colour=red", async |page, _| {
        page.until("notices", async |page| {
            let text = page.text("main").await?;
            Ok(text.contains("cp = 99") && text.contains("colour"))
        })
        .await?;
        page.until_ready(8).await
    })
}
