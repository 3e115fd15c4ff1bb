//! The timeline: its spans are the step's events with their numbers, it is read by keyboard, and
//! it holds a step while others follow.

use anyhow::{Context, Result, ensure};
use plan::{Layout, RunConfig, RunPlan};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

const PLOT: &str = ".timeline-plot";

/// A number with the page's thin spaces.
fn number(text: &str) -> Result<u64> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().with_context(|| format!("{text:?} is no number"))
}

async fn press_key(page: &Page, key: &str) -> Result<()> {
    let script = "document.querySelector(arguments[0]).dispatchEvent(new KeyboardEvent('keydown',
         { key: arguments[1], bubbles: true, cancelable: true }));";
    page.script(script, json!([PLOT, key])).await?;
    Ok(())
}

async fn reading(page: &Page) -> Result<String> {
    page.text(".timeline > .reading").await
}

async fn until_reads(page: &Page, words: &str) -> Result<()> {
    page.until(&format!("{words:?} to be read"), async |page| {
        Ok(reading(page).await?.contains(words))
    })
    .await?;
    Ok(())
}

async fn open_table(page: &Page) -> Result<()> {
    page.script("document.querySelector('.timeline summary').click();", json!([])).await?;
    page.until("the table", async |page| Ok(!page.table("Spans").await?.is_empty())).await?;
    Ok(())
}

#[test]
fn the_spans_of_a_step_are_what_the_plan_says_must_happen() -> Result<()> {
    let fragment = "v=1&cp=4&layout=zigzag&layers=3&steps=50";
    let config =
        RunConfig { cp: 4, layout: Layout::Zigzag, layers: 3, steps: 50, ..Default::default() };
    let plan = RunPlan::new(config)?;
    open(Hosting::default(), fragment, async |page, _| {
        page.until_ready(4).await?;
        ensure!(reading(page).await?.contains("Nothing to read"));
        page.press("Step").await?;
        page.until_step(1).await?;
        page.until_status("Step on the timeline", "Step 1").await?;
        open_table(page).await?;
        page.until_status("Step on the timeline", "held").await?;
        for rank in 0..4 {
            page.enter("Spans of rank", &rank.to_string()).await?;
            let attention = plan.attention();
            let is_own = async |page: &Page| {
                let rows = page.table("Spans").await?;
                let tile = rows.iter().find(|row| row[0].starts_with("attention"));
                Ok(tile.is_some_and(|row| row[3] == rank.to_string()))
            };
            page.until(&format!("the spans of rank {rank}"), is_own).await?;
            let rows = page.table("Spans").await?;
            let tiles: Vec<_> = rows.iter().filter(|r| r[0].starts_with("attention")).collect();
            // Forward and backward, where the tile on the rank's own keys is computed in two shares.
            let expect = 3 * (2 * attention.steps() + 1);
            ensure!(tiles.len() == expect, "rank {rank}: {} tiles", tiles.len());
            for row in tiles {
                let (step, kv_from) = (number(&row[2])? - 1, number(&row[3])?);
                ensure!((kv_from + step) % 4 == rank, "rank {rank} at ring step {step}: {row:?}");
            }
            let sends = rows.iter().filter(|row| row[0].starts_with("send:"));
            let bytes: Result<Vec<u64>> = sends.map(|row| number(&row[6])).collect();
            let bytes = bytes?;
            let traffic = plan.step_traffic();
            let sent = (bytes.len() as u64, bytes.iter().sum::<u64>());
            ensure!(sent == (traffic.messages, traffic.bytes), "rank {rank}: {sent:?}");
        }
        Ok(())
    })
}

#[test]
fn it_is_read_and_zoomed_by_keyboard_while_the_run_goes_on() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=100000", async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_step(3).await?;
        page.until_status("Step on the timeline", "Step").await?;
        press_key(page, "Home").await?;
        until_reads(page, "Rank 0: compute: forward").await?;
        page.until_status("Step on the timeline", "held").await?;
        let held = page.status("Step on the timeline").await?;
        let step = page.step().await?;
        press_key(page, "ArrowDown").await?;
        until_reads(page, "Rank 1:").await?;
        press_key(page, "End").await?;
        until_reads(page, "compute: optimizer").await?;
        ensure!(page.text(".timeline-lanes .tick").await? == "0 ms");
        for _ in 0..4 {
            press_key(page, "+").await?;
        }
        // The last span is still in sight, so the window has moved away from the beginning.
        press_key(page, "End").await?;
        let away = async |page: &Page| Ok(page.text(".timeline-lanes .tick").await? != "0 ms");
        page.until("a closer look", away).await?;
        let lit = "return document.querySelectorAll('.timeline-lanes .told').length;";
        ensure!(page.script(lit, json!([])).await? == json!(1));
        press_key(page, "0").await?;
        press_key(page, "Escape").await?;
        until_reads(page, "Point at a span").await?;
        page.until_step(step + 5).await?;
        ensure!(page.status("Step on the timeline").await? == held, "it was held");
        page.press("Hold this step").await?;
        page.until("newer steps to be shown", async |page| {
            let shown = page.status("Step on the timeline").await?;
            Ok(shown != held && !shown.contains("held"))
        })
        .await?;
        // Another run has no step to hold.
        press_key(page, "Home").await?;
        page.until_status("Step on the timeline", "held").await?;
        page.press("Reset").await?;
        page.until_status("Step on the timeline", "No step").await
    })
}

#[test]
fn a_pointer_reads_a_span_and_the_wheel_zooms_at_it() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=50", async |page, _| {
        page.until_ready(2).await?;
        page.press("Step").await?;
        page.until_status("Step on the timeline", "Step 1").await?;
        // Over the widest of rank 0's own spans: which of a block's tiles comes first is the ranks'
        // affair, and another rank's may lie over a gap of rank 0.
        let over = "const plot = document.querySelector(arguments[0]);
             const mark = document.querySelector('.timeline-lanes .lane-mark').getBoundingClientRect();
             const [left, top] = [mark.x + mark.width / 2 - 13, plot.getBoundingClientRect().y];
             const spans = [...document.querySelectorAll('.tile-span, .compute-span')]
                 .flatMap(path => [...(path.getAttribute('d') ?? '').matchAll(/M([\\d.]+) ([\\d.]+)h([\\d.]+)/g)])
                 .map(([, x, y, width]) => ({ x: Number(x), y: Number(y), width: Number(width) }))
                 .filter(span => top + span.y < mark.bottom);
             const widest = spans.reduce((one, other) => one.width < other.width ? other : one);
             const at = { bubbles: true, cancelable: true, pointerId: 1,
                 clientX: left + widest.x + widest.width / 2, clientY: mark.y + mark.height / 2 };
             plot.dispatchEvent(new PointerEvent('pointermove', at));
             const wheel = new WheelEvent('wheel', { ...at, deltaY: -200, ctrlKey: arguments[1] });
             return plot.dispatchEvent(wheel);";
        let scrolls = page.script(over, json!([PLOT, false])).await?;
        ensure!(scrolls == json!(true), "a plain wheel scrolls the page");
        until_reads(page, "Rank 0:").await?;
        ensure!(!page.status("Step on the timeline").await?.contains("held"));
        let scrolls = page.script(over, json!([PLOT, true])).await?;
        ensure!(scrolls == json!(false), "with Ctrl it must not zoom the page as well");
        page.until_status("Step on the timeline", "held").await
    })
}
