//! axe-core finds nothing to complain of: every view, in both themes and both languages.
//!
//! `RINGSIDE_AXE` is its script; `cargo xtask test` fetches it.

use anyhow::{Context, Result, ensure};
use plan::command::Command;
use serde_json::{Value, json};

use super::drive::open;
use super::page::Page;
use super::panics::KEEP_WORKERS;
use super::site::Hosting;

/// What is found of a rule, in few words: which rule, where, and why.
const JUDGE: &str = "const rules = arguments[0];
     const options = { resultTypes: ['violations'] };
     if (rules.length) options.runOnly = { type: 'rule', values: rules };
     return axe.run(document, options).then(found => found.violations.map(violation => {
         const places = violation.nodes.slice(0, 6)
             .map(node => `${node.target.join(' ')} (${node.failureSummary.replace(/\\s+/g, ' ')})`);
         return `${violation.id}: ${violation.nodes.length} × ${places.join('; ')}`;
     }));";

fn axe() -> Result<String> {
    let path = std::env::var("RINGSIDE_AXE").context(
        "RINGSIDE_AXE names no axe.min.js: `cargo xtask test --only browser` fetches it",
    )?;
    std::fs::read_to_string(&path).with_context(|| format!("could not read {path}"))
}

/// Holds what is shown now to `rules`, or to all of them.
async fn judge(page: &Page, what: &str, rules: &[&str]) -> Result<()> {
    if page.script("return typeof axe;", json!([])).await? == json!("undefined") {
        // A script that is given as a function's body sets nothing of the window by itself.
        let script = format!("{}\nwindow.axe = axe;", axe()?);
        page.script(&script, json!([])).await?;
    }
    let found = page.script(JUDGE, json!([rules])).await?;
    ensure!(found == json!([]), "{what}: {}", lines(&found));
    Ok(())
}

fn lines(found: &Value) -> String {
    let found = found.as_array().map(Vec::as_slice).unwrap_or_default();
    found.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// Holds what is shown to everything in the light theme, and to what a theme changes in the dark.
pub async fn judge_both(page: &Page, what: &str) -> Result<()> {
    page.prefer("light").await?;
    judge(page, what, &[]).await?;
    page.prefer("dark").await?;
    judge(page, &format!("{what}, dark"), &["color-contrast", "link-in-text-block"]).await
}

/// Opens everything that is folded: what is hidden is not judged.
pub async fn unfold(page: &Page) -> Result<()> {
    let script = "document.querySelectorAll('details').forEach(part => { part.open = true; });";
    page.script(script, json!([])).await?;
    Ok(())
}

async fn finished(page: &Page) -> Result<()> {
    page.press("Run").await?;
    page.until_status("State", "Finished").await?;
    page.until_status("Step on the timeline", "Step 4").await
}

#[test]
fn the_run_before_and_after_its_steps() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&seq_len=64&steps=4", async |page, _| {
        page.until_ready(2).await?;
        judge_both(page, "idle").await?;
        finished(page).await?;
        page.press("Keep this run to compare").await?;
        page.until("the kept run", async |page| {
            Ok(page.text(".compare").await?.contains("Forget the kept run"))
        })
        .await?;
        unfold(page).await?;
        judge_both(page, "after four steps, with a run kept and all unfolded").await?;
        // A rank is lit, and a setting cannot work.
        page.keys(".ring-plot", "\u{e014}").await?;
        page.until_status("Chosen", "Rank 0").await?;
        page.enter("Heads", "5").await?;
        page.until("the complaint", async |page| Ok(!page.complaint("Heads").await?.is_empty()))
            .await?;
        judge_both(page, "with a rank lit and a wrong setting").await
    })
}

#[test]
fn a_fault_would_be_found() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups", async |page, _| {
        page.until_status("Mesh", "4 ranks").await?;
        let script = "const text = document.querySelector('main').appendChild(
                 document.createElement('p'));
             text.textContent = 'Hardly to be read';
             text.style.color = 'rgb(128 128 128)';
             text.style.background = 'rgb(150 150 150)';
             document.querySelector('main').append(document.createElement('button'));";
        page.script(script, json!([])).await?;
        let found = judge(page, "with faults", &[]).await.err().context("none was found")?;
        let found = found.to_string();
        ensure!(found.contains("color-contrast") && found.contains("button-name"), "{found}");
        Ok(())
    })
}

#[test]
fn help_and_an_explanation() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&seq_len=64", async |page, _| {
        page.until_ready(2).await?;
        page.script("document.querySelector('.term[data-term=loss]').click();", json!([])).await?;
        page.until("an explanation", async |page| Ok(!page.text("#explanation").await?.is_empty()))
            .await?;
        judge_both(page, "an explanation").await?;
        page.press("Help").await?;
        let is_open = "return document.querySelector('dialog.help').open;";
        page.until("the help", async |page| {
            Ok(page.script(is_open, json!([])).await? == json!(true))
        })
        .await?;
        judge_both(page, "the help").await
    })
}

#[test]
fn a_failure() -> Result<()> {
    let hosting = Hosting { script: Some(KEEP_WORKERS), ..Hosting::default() };
    open(hosting, "v=1&cp=2&seq_len=64", async |page, _| {
        page.until_ready(2).await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        let crash = postcard::to_allocvec(&Command::Crash)?;
        page.script("kept[1].postMessage([new Uint8Array(arguments[0])]);", json!([crash])).await?;
        page.until("the alert", async |page| Ok(page.alert().await?.contains("Rank 1 stopped")))
            .await?;
        unfold(page).await?;
        judge_both(page, "a failure").await
    })
}

#[test]
fn the_places_beside_the_run() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups&cp=2&dp=2", async |page, site| {
        page.until_status("Mesh", "4 ranks").await?;
        unfold(page).await?;
        judge_both(page, "groups").await?;
        page.follow("Backend").await?;
        page.until("the backend", async |page| Ok(!page.text(".tree").await?.is_empty())).await?;
        unfold(page).await?;
        judge_both(page, "backend").await?;
        page.follow("Doctor").await?;
        page.until_status("Verdict", "Nothing to diagnose").await?;
        judge_both(page, "the doctor, idle").await?;
        page.press("CP in accelerate 1.12.0").await?;
        page.until_status("Verdict", "will go wrong").await?;
        unfold(page).await?;
        judge_both(page, "the doctor's verdict").await?;
        page.go(&site.course("v=1&cp=2&embed=1")).await?;
        page.enter_frame("iframe").await?;
        page.until_ready(2).await?;
        judge_both(page, "embedded").await
    })
}

#[test]
fn in_chinese_too() -> Result<()> {
    let fragment = "v=1&cp=2&seq_len=64&steps=2&lang=zh-CN";
    open(Hosting::default(), fragment, async |page, site| {
        page.prefer("light").await?;
        let begin = "document.querySelector('.toolbar .primary')?.click();";
        let rows = "return document.querySelectorAll('.curve tbody tr').length;";
        page.until("the workers", async |page| {
            page.script(begin, json!([])).await?;
            Ok(page.script(rows, json!([])).await? == json!(2))
        })
        .await?;
        unfold(page).await?;
        judge(page, "the run in Chinese", &[]).await?;
        for view in ["groups", "backend", "doctor"] {
            page.go(&site.url(&format!("v=1&cp=2&view={view}&lang=zh-CN"))).await?;
            page.until(view, async |page| {
                let at = "return document.querySelector('nav [aria-current]')?.href ?? '';";
                let at = page.script(at, json!([])).await?;
                Ok(at.as_str().is_some_and(|at| at.contains(&format!("view={view}"))))
            })
            .await?;
            unfold(page).await?;
            judge(page, &format!("{view} in Chinese"), &[]).await?;
        }
        Ok(())
    })
}
