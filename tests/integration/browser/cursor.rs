//! One cursor for all views: what is chosen in one lights up in every other, and is told in words;
//! curves, memory and traffic of each link say what the tables say.

use anyhow::{Context, Result, ensure};
use plan::{RunConfig, RunPlan};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

const STEPS: u32 = 8;
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";

fn plain(text: &str) -> String {
    text.replace('\u{202f}', "")
}

fn number(text: &str) -> Result<u64> {
    plain(text).trim().parse().with_context(|| format!("{text:?} is no number"))
}

async fn finished(page: &Page, world: usize) -> Result<()> {
    page.until_ready(world).await?;
    page.press("Run").await?;
    page.until_status("State", "Finished").await
}

async fn count(page: &Page, css: &str) -> Result<u64> {
    let script = "return document.querySelectorAll(arguments[0]).length;";
    page.script(script, json!([css])).await?.as_u64().context("a number of elements")
}

/// What an attribute says of everything that is found, in the order of the page.
async fn attributes(page: &Page, css: &str, name: &str) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll(arguments[0])]
         .map(element => element.getAttribute(arguments[1]) ?? '');";
    Ok(serde_json::from_value(page.script(script, json!([css, name])).await?)?)
}

/// Lets a pointer do something to what a CSS selector finds.
async fn point(page: &Page, css: &str, event: &str, kind: &str) -> Result<()> {
    let script = "document.querySelector(arguments[0]).dispatchEvent(
         new PointerEvent(arguments[1], { bubbles: true, pointerType: arguments[2] }));";
    page.script(script, json!([css, event, kind])).await?;
    Ok(())
}

#[test]
fn a_rank_chosen_in_the_ring_is_lit_in_every_view_and_told() -> Result<()> {
    let config = RunConfig { steps: STEPS, seq_len: 256, ..RunConfig::default() };
    let sent = RunPlan::new(config)?.run_traffic(0, STEPS);
    open(Hosting::default(), &format!("v=1&cp=4&seq_len=256&steps={STEPS}"), async |page, _| {
        finished(page, 4).await?;
        page.until_status("Lit", "Point at a rank").await?;
        for rank in ["Rank 0", "Rank 1", "Rank 2"] {
            page.keys(".ring-plot", RIGHT).await?;
            page.until_status("Chosen", rank).await?;
        }
        let told = plain(&page.status("Lit").await?);
        let numbers = format!("{} messages, {} bytes sent so far", sent.messages, sent.bytes);
        ensure!(told.contains("Rank 2: positions 128–191") && told.contains(&numbers), "{told}");
        let two = ["2".to_owned()];
        ensure!(attributes(page, ".ring-drawing .disc.is-lit", "data-rank").await? == two);
        ensure!(count(page, ".ring-drawing .disc.is-out").await? == 3);
        // One row of the matrix, and one lane of the timeline.
        let frame = attributes(page, ".matrix .frame", "d").await?;
        ensure!(frame.len() == 1 && frame[0].matches('M').count() == 4, "{frame:?}");
        ensure!(count(page, ".timeline-lanes .frame").await? == 1);
        for region in ["Traffic of each rank", "Ranks in figures", "Memory of each rank"] {
            let rows = format!("[aria-label='{region}'] tbody tr");
            let lit = attributes(page, &format!("{rows}.is-lit"), "data-rank").await?;
            ensure!(lit == two, "{region}: {lit:?}");
            let pressed = format!("{rows} [aria-pressed=true]");
            ensure!(attributes(page, &pressed, "data-rank").await? == two, "{region}");
        }
        page.keys(".ring-plot", ESCAPE).await?;
        page.until_status("Lit", "Point at a rank").await?;
        ensure!(count(page, ".is-lit, .is-out, .frame").await? == 0, "something is still lit");
        Ok(())
    })
}

#[test]
fn tables_tiles_and_blocks_choose_too() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&seq_len=256", async |page, _| {
        page.until_ready(4).await?;
        let first = "[aria-label='Traffic of each rank'] button.mark";
        page.keys(first, ENTER).await?;
        page.until_status("Chosen", "Rank 0").await?;
        page.keys(first, DOWN).await?;
        let focused = page.script("return document.activeElement.textContent;", json!([])).await?;
        ensure!(focused == json!("1"), "{focused}");
        // The matrix by keys: the last tile of the first row is above the diagonal.
        page.keys(".matrix .matrix-plot", END).await?;
        page.until_status("Chosen", "Rank 0, Block 3").await?;
        page.until_status("Lit", "see none of the keys of rank 3").await?;
        // A finger taps a block that a rank holds, and taps it again.
        point(page, ".chip[data-block='1']", "pointerover", "touch").await?;
        point(page, ".chip[data-block='1']", "click", "touch").await?;
        page.until_status("Lit", "Block 1, keys and values of positions 64–127").await?;
        page.until_status("Lit", "at rank 2 in ring step 2").await?;
        point(page, ".chip[data-block='1']", "click", "touch").await?;
        page.until_status("Lit", "Point at a rank").await?;
        // A mouse lights what it is over, and nothing when it has gone.
        point(page, ".tile[data-rank='3'][data-block='1']", "pointerover", "mouse").await?;
        page.until_status("Lit", "in ring step 3 of 4: 4").await?;
        ensure!(page.status("Chosen").await?.is_empty(), "nothing was chosen");
        ensure!(attributes(page, ".disc.is-lit", "data-rank").await? == ["3"]);
        point(page, ".masthead", "pointerover", "mouse").await?;
        point(page, ".settings", "pointerover", "mouse").await?;
        page.until_status("Lit", "Point at a rank").await
    })
}

#[test]
fn links_add_up_to_what_each_rank_has_sent() -> Result<()> {
    let fragment = format!("v=1&cp=4&strategy=ulysses&steps={STEPS}");
    open(Hosting::default(), &fragment, async |page, _| {
        finished(page, 4).await?;
        let rows = page.table("Traffic of each link").await?;
        let (sums, links): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[1] == "all");
        ensure!((sums.len(), links.len()) == (4, 12), "each sends to each: {rows:?}");
        ensure!(count(page, ".links-matrix .link-bytes").await? == 12);
        for (rank, of_rank) in page.table("Traffic of each rank").await?.iter().enumerate() {
            let measured = (number(&of_rank[3])?, number(&of_rank[5])?);
            let mut sum = (0, 0);
            for link in links.iter().filter(|link| link[0] == rank.to_string()) {
                sum = (sum.0 + number(&link[2])?, sum.1 + number(&link[3])?);
            }
            ensure!(sum == measured && sum.1 > 0, "rank {rank}: {sum:?} is not {measured:?}");
            ensure!(sums[rank][4].contains("equal"), "{:?}", sums[rank]);
        }
        // From rank 0 to rank 1: the cell of the picture says what the table says.
        point(page, ".link-cell[data-rank='0'][data-peer='1']", "click", "mouse").await?;
        let link = links.iter().find(|link| link[0] == "0" && link[1] == "1");
        let link = link.context("there is a link from 0 to 1")?;
        let words = format!(
            "Rank 0 to rank 1: {} messages, {} bytes",
            number(&link[2])?,
            number(&link[3])?
        );
        page.until(&words, async |page| Ok(plain(&page.status("Lit").await?).contains(&words)))
            .await?;
        ensure!(attributes(page, ".disc.is-lit", "data-rank").await? == ["0", "1"]);
        Ok(())
    })
}

#[test]
fn each_curve_reads_the_step_of_its_table() -> Result<()> {
    open(Hosting::default(), &format!("v=1&cp=2&steps={STEPS}"), async |page, _| {
        finished(page, 2).await?;
        for (name, words) in [
            ("Gradient norm", "gradient norm {}"),
            ("Tokens per second", "{} tokens per second"),
            ("Loss", "loss {}"),
        ] {
            page.tick(name).await?;
            page.until(name, async |page| Ok(page.text(".curve h2").await? == name)).await?;
            for (key, step) in [(HOME, 1), (END, STEPS)] {
                page.keys(".curve .plot", key).await?;
                page.until_status("Chosen", &format!("Step {step}")).await?;
                // The newest stands first.
                let column = page.column("Losses", name).await?;
                let value = &column[(STEPS - step) as usize];
                let expect = format!("Step {step}: {}", words.replace("{}", value));
                let reading = page.text(".curve .reading").await?;
                ensure!(reading == expect, "{reading:?} is not {expect:?}");
                let lit = "[aria-label='Losses'] tr.is-lit";
                let at = (step - 1).to_string();
                ensure!(attributes(page, lit, "data-step").await? == [at]);
            }
        }
        page.until_status("Lit", &format!("Step {STEPS}: loss")).await?;
        ensure!(page.text(".memory .reading").await?.starts_with(&format!("Step {STEPS}: rank 0")));
        ensure!(count(page, ".memory .plot .cursor").await? == 1, "the same step is marked there");
        Ok(())
    })
}
