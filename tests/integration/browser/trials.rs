//! What a page of workers must survive, beyond what the other parts hold: memory that comes back,
//! focus and drags while it runs, a hidden tab, and the longest run.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// Keeps the memory of the page's own binary where a test can measure it.
const KEEP_MEMORY: &str = "const made = WebAssembly.instantiateStreaming, plain = WebAssembly.instantiate;
     const keep = found => { window.kept = (found.instance ?? found).exports.memory; return found; };
     WebAssembly.instantiateStreaming = (...a) => made.apply(WebAssembly, a).then(keep);
     WebAssembly.instantiate = (...a) => plain.apply(WebAssembly, a).then(keep);";

/// Keeps count of the workers that the page has started and not ended.
const COUNT_WORKERS: &str = "window.living = 0;
     window.Worker = class extends Worker {
         constructor(...a) { super(...a); living += 1; }
         terminate() { if (!this.ended) living -= 1; this.ended = true; super.terminate(); }
     };";

/// Bytes of wasm memory that the page's ranks hold, as the page says.
async fn held(page: &Page) -> Result<f64> {
    let column = page.column("Ranks in figures", "Memory held").await?;
    let number = |text: &String| text.split_whitespace().next()?.parse::<f64>().ok();
    let all: Option<Vec<f64>> = column.iter().map(number).collect();
    Ok(all.with_context(|| format!("{column:?} are no sizes"))?.iter().sum())
}

/// Presses Step, and returns what the ranks hold after it.
async fn held_after_a_step(page: &Page, world: usize) -> Result<f64> {
    page.until_ready(world).await?;
    page.press("Step").await?;
    page.until_step(1).await?;
    page.until("all ranks' memory", async |page| Ok(held(page).await.is_ok())).await?;
    held(page).await
}

#[test]
fn memory_comes_back_after_a_big_run() -> Result<()> {
    let hosting = Hosting { script: Some(COUNT_WORKERS), ..Hosting::default() };
    open(hosting, "v=1&cp=2&seq_len=64&layers=1", async |page, _| {
        let small = held_after_a_step(page, 2).await?;
        page.press("Long sequence").await?;
        let big = held_after_a_step(page, 8).await?;
        ensure!(big > 2.0 * small, "{big} MB are not much more than {small} MB");
        ensure!(page.script("return living;", json!([])).await? == json!(8));
        // Small again, then Reset: the memory of ended workers is the browser's again.
        for (label, value) in
            [("Sequence length", "64"), ("Layers", "1"), ("Ranks", "2"), ("Layout", "contiguous")]
        {
            page.enter(label, value).await?;
        }
        let again = held_after_a_step(page, 2).await?;
        ensure!(again < 1.2 * small, "the small run holds {again} MB after {small} MB");
        page.press("Reset").await?;
        let reset = held_after_a_step(page, 2).await?;
        ensure!(reset < 1.2 * small, "after Reset it holds {reset} MB after {small} MB");
        ensure!(page.script("return living;", json!([])).await? == json!(2));
        Ok(())
    })
}

#[test]
fn focus_a_half_typed_value_and_a_drag_survive_fifty_steps() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&seq_len=64&layers=1&steps=9000&speed=10", async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_step(20).await?;
        page.keys("#field-seq_len", "12").await?;
        let typed = page.value("Sequence length").await?;
        let from = page.step().await?;
        page.until_step(from + 50).await?;
        ensure!(page.value("Sequence length").await? == typed, "what was typed is gone");
        let focused = "return document.activeElement.id;";
        ensure!(page.script(focused, json!([])).await? == json!("field-seq_len"));
        // As it was, so that the run goes on.
        page.keys("#field-seq_len", "\u{e003}\u{e003}").await?;

        // Away from the bar that stays at the window's top.
        let show = "document.querySelector('.time-bar').scrollIntoView({ block: 'center' });";
        page.script(show, json!([])).await?;
        let place = "const box = document.querySelector('.time-bar input').getBoundingClientRect();
             return [box.x, box.y + box.height / 2, box.width];";
        let place: [f64; 3] = serde_json::from_value(page.script(place, json!([])).await?)?;
        let at = |share: f64| PointerAction::MoveTo {
            duration: Some(Duration::from_millis(50)),
            x: place[0] + place[2] * share,
            y: place[1],
        };
        let grip = MouseActions::new("mouse".into())
            .then(at(0.9))
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(at(0.5));
        page.point(grip).await?;
        let value = "return document.querySelector('.time-bar input').value;";
        let looked = page.script(value, json!([])).await?;
        page.until("a look at an earlier step", async |page| {
            Ok(page.text(".time-words").await?.contains("let go"))
        })
        .await?;
        let from = page.step().await?;
        page.until_step(from + 50).await?;
        ensure!(page.script(value, json!([])).await? == looked, "the drag lost its step");
        ensure!(page.text(".time-words").await?.contains("let go"));
        ensure!(page.status("State").await?.contains("Training"), "the drag stopped the run");
        let release =
            MouseActions::new("mouse".into()).then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        page.point(release).await?;
        page.until("the step that was let go at", async |page| {
            let is_there = page.step().await?.to_string() == looked.as_str().unwrap_or_default();
            Ok(is_there && page.status("State").await?.contains("Paused"))
        })
        .await?;
        Ok(())
    })
}

#[test]
fn in_a_hidden_tab_the_run_goes_on_whole() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&seq_len=64&layers=1&steps=10000", async |page, site| {
        page.until_ready(4).await?;
        let watch = "window.seen = [];
             document.addEventListener('visibilitychange', () => seen.push(document.hidden));";
        page.script(watch, json!([])).await?;
        page.press("Run").await?;
        page.until_step(5).await?;
        let before = page.step().await?;
        let run = page.open_tab(&site.url("v=1&view=doctor")).await?;
        page.until_status("Verdict", "Nothing to diagnose").await?;
        tokio::time::sleep(Duration::from_secs(10)).await;
        page.go_to_tab(run).await?;
        let seen = page.script("return seen;", json!([])).await?;
        ensure!(seen.as_array().is_some_and(|seen| seen.contains(&json!(true))), "never hidden");
        page.until_step(before + 5).await?;
        page.until("all ranks to stand or go together", async |page| {
            page.press("Pause").await?;
            Ok(["Paused", "Finished"].contains(&page.status("State").await?.trim()))
        })
        .await?;
        let step = page.step().await?;
        page.until("the figures", async |page| {
            let rows = page.table("Traffic of each rank").await?;
            let is_whole =
                |row: &Vec<String>| row[1].contains("equal") && row[2] == step.to_string();
            Ok(rows.len() == 4 && rows.iter().all(is_whole))
        })
        .await?;
        Ok(())
    })
}

/// Bytes that the page itself takes: its script's heap and its wasm memory.
async fn page_bytes(page: &Page) -> Result<f64> {
    page.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    let heap = page.devtools("Runtime.getHeapUsage", json!({})).await?;
    let heap = heap["usedSize"].as_f64().context("a size of the heap")?;
    let wasm = page.script("return kept.buffer.byteLength;", json!([])).await?;
    Ok(heap + wasm.as_f64().context("the binary's memory")?)
}

/// Steps that a run can have; at full speed that is minutes, and an hour holds no more.
const LONGEST: f64 = 10_000.0;
const MOST_BYTES: f64 = 200e6;

#[test]
fn the_longest_run_stays_within_the_pages_bound() -> Result<()> {
    let hosting = Hosting { script: Some(KEEP_MEMORY), ..Hosting::default() };
    let fragment = "v=1&cp=4&seq_len=16&layers=2&d_model=16&heads=2&steps=10000";
    open(hosting, fragment, async |page, _| {
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(500).await?;
        let (early, first) = (page.step().await?, page_bytes(page).await?);
        for step in [1000, 1500, 2000, 2500] {
            page.until_step(step).await?;
        }
        let (late, last) = (page.step().await?, page_bytes(page).await?);
        let a_step = (last - first).max(0.0) / f64::from(late - early);
        let whole = last + a_step * (LONGEST - f64::from(late));
        ensure!(
            whole < MOST_BYTES,
            "{:.1} MB after {early} steps and {:.1} MB after {late} make {:.1} MB",
            first / 1e6,
            last / 1e6,
            whole / 1e6
        );
        Ok(())
    })
}
