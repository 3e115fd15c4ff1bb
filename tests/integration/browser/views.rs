//! The page's places: links with addresses of their own, and a run that goes on behind them.

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

async fn hash(page: &Page) -> Result<String> {
    let hash = page.script("return location.hash;", json!([])).await?;
    Ok(hash.as_str().unwrap_or_default().to_owned())
}

async fn until_at(page: &Page, place: &str) -> Result<()> {
    page.until(&format!("the place {place}"), async |page| {
        Ok(page.text("nav [aria-current=page]").await? == place)
    })
    .await?;
    Ok(())
}

#[test]
fn the_run_goes_on_while_another_place_is_looked_at() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=100000", async |page, _| {
        page.until_ready(2).await?;
        until_at(page, "Play").await?;
        ensure!(!hash(page).await?.contains("view="), "the first place is not written");
        page.press("Run").await?;
        page.until_step(3).await?;
        for place in ["Groups", "Backend", "Doctor"] {
            page.follow(place).await?;
            until_at(page, place).await?;
            let view = format!("view={}", place.to_lowercase());
            let hash = hash(page).await?;
            ensure!(hash.contains(&view) && hash.contains("cp=2"), "{hash}");
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        page.script("history.back();", json!([])).await?;
        until_at(page, "Backend").await?;
        page.follow("Play").await?;
        until_at(page, "Play").await?;
        let step = page.step().await?;
        ensure!(step > 3, "it stood still at step {step}");
        ensure!(page.status("State").await?.contains("Training"));
        Ok(())
    })
}

#[test]
fn places_are_reached_by_keyboard() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        // From far down in the run the next place is shown from its beginning.
        page.script("document.activeElement.blur(); scrollTo(0, 2000);", json!([])).await?;
        page.keys("body", "2").await?;
        until_at(page, "Groups").await?;
        page.until("the top", async |page| {
            Ok(page.script("return scrollY;", json!([])).await? == json!(0))
        })
        .await?;
        page.keys("body", "1").await?;
        until_at(page, "Play").await?;
        page.keys("nav a[href*='view=groups']", "\u{e007}").await?;
        until_at(page, "Groups").await?;
        page.keys(".mesh-grid", "\u{e010}").await?;
        page.until_status("Chosen rank", "Rank 1:").await?;
        page.keys("nav a[href*='view=doctor']", "\u{e007}").await?;
        until_at(page, "Doctor").await?;
        page.keys("#doctor-config", "a: b: c").await?;
        page.until_status("Verdict", "will go wrong").await?;
        // One press of Tab further lies the button that opens a file.
        page.keys("#doctor-config", "\u{e004}").await?;
        let focused = page.script("return document.activeElement.textContent;", json!([])).await?;
        ensure!(focused == json!("Open a file"), "{focused}");
        Ok(())
    })
}

#[test]
fn a_link_opens_its_place_and_an_unknown_one_is_told() -> Result<()> {
    open(Hosting::default(), "v=1&view=doctor&cp=2", async |page, _| {
        until_at(page, "Doctor").await?;
        page.reload().await?;
        until_at(page, "Doctor").await?;
        page.script("location.hash = 'v=1&view=lab&cp=2';", json!([])).await?;
        page.until_status("Notices", "view “lab” is unknown").await?;
        until_at(page, "Play").await?;
        page.until_ready(2).await
    })
}

#[test]
fn the_row_of_views_leads_to_each_and_leaves_the_address() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        let before = hash(page).await?;
        let script = "const [button] = [...document.querySelectorAll('nav.jump button')]
                .slice(arguments[0]);
             if (!button) return null;
             scrollTo(0, 0);
             button.click();
             const at = document.activeElement, place = at.getBoundingClientRect();
             const seen = place.top >= 0 && place.bottom <= innerHeight;
             return [button.textContent, at.matches('h2, h3') && seen];";
        let mut count = 0;
        loop {
            let led = page.script(script, json!([count])).await?;
            if led.is_null() {
                break;
            }
            ensure!(led[1] == json!(true), "{led} leads nowhere");
            count += 1;
        }
        ensure!(count == 14, "{count} views");
        ensure!(hash(page).await? == before, "the address is the run's");
        Ok(())
    })
}
