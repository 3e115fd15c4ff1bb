//! The bench's place: times come one after another, end when told to, and go into a file that opens
//! again beside them.

use anyhow::{Result, ensure};
use plan::bench::Task;
use serde_json::{Value, json};

use super::accessibility::judge_both;
use super::drive::open;
use super::page::Page;
use super::share::CATCH;
use super::site::Hosting;
use crate::cli::Folder;

const FRAME: &str = "iframe.part";

async fn file(page: &Page) -> Result<String> {
    page.script("files.length = 0;", json!([])).await?;
    page.press("Save as JSON").await?;
    let script = "return files[0]?.text ?? null;";
    let come = async |page: &Page| Ok(!page.script(script, json!([])).await?.is_null());
    page.until("the file", come).await?;
    Ok(page.script(script, json!([])).await?.as_str().unwrap_or_default().to_owned())
}

async fn open_file(page: &Page, folder: &Folder, name: &str, text: &str) -> Result<()> {
    folder.write(name, text);
    page.keys("#bench-file", &folder.path(name).display().to_string()).await
}

/// Waits for the frame's own page, and goes into it.
async fn enter(page: &Page) -> Result<()> {
    page.until("the bench in its frame, as high as it is", async |page| {
        let script = "const frame = document.querySelector(arguments[0]);
             return Number(frame?.getAttribute('height')) > 100;";
        Ok(page.script(script, json!([FRAME])).await? == json!(true))
    })
    .await?;
    page.enter_frame(FRAME).await
}

#[test]
fn this_machine_is_measured_and_set_beside_a_file() -> Result<()> {
    let folder = Folder::new();
    open(Hosting::default(), "v=1&view=bench&cp=2&steps=9000", async |page, site| {
        enter(page).await?;
        page.script(CATCH, json!([])).await?;
        page.press("Measure this machine").await?;
        // Every step that is timed, and the messages.
        let all = Task::all().len() + 1;
        let first = format!("Timing 1 of {all}: 64, 4, 2, 256, ranks: 1");
        page.until_status("Bench", &first).await?;
        page.until("times of one rank and two", async |page| {
            Ok(page.table("A step in figures").await?.len() >= 2)
        })
        .await?;
        page.press("Stop").await?;
        page.until("the end", async |page| Ok(page.status("Bench").await?.is_empty())).await?;
        let rows = page.table("A step in figures").await?;
        let [one, two] = [&rows[0], &rows[1]];
        ensure!(one[..2] == ["64, 4, 2, 256", "1"] && two[..2] == ["64, 4, 2, 256", "2"]);
        ensure!(one[5] == "1.00" && one[2] == two[2], "{rows:?}");
        let ms = |row: &[String]| row[3].parse::<f64>();
        ensure!(ms(one)? > 0.0 && ms(two)? > 0.0, "{rows:?}");

        // The profile's parts are the step.
        let profile = page.table("Where the time of a step goes in figures").await?;
        let shares: f64 = profile.iter().filter_map(|row| row[3].parse::<f64>().ok()).sum();
        ensure!(profile.len() > 10 && (shares - 100.0).abs() < 1.0, "{shares}: {profile:?}");
        ensure!(profile.iter().any(|row| row[0] == "attention forward" && !row[4].is_empty()));

        // What is saved says the same, and the command line reads it.
        let text = file(page).await?;
        let saved: Value = serde_json::from_str(&text)?;
        ensure!(saved["kind"] == "bench" && saved["peak_gflops"].as_f64() > Some(0.0), "{text}");
        let step = &saved["shapes"][0]["milliseconds"][1];
        let told = step["milliseconds"].as_f64().map(|ms| format!("{ms:.1}"));
        ensure!(told.as_deref() == Some(two[3].as_str()), "{text}");
        open_file(page, &folder, "there.json", &text).await?;
        page.until("both side by side", async |page| {
            let rows = page.table("A step in figures").await?;
            Ok(rows.iter().take(2).all(|row| row.last().is_some_and(|ratio| ratio == "1.00")))
        })
        .await?;
        ensure!(
            page.column("A step in figures", "there.json").await?[..2]
                == [one[3].clone(), two[3].clone()]
        );
        folder.done("bench --compare there.json there.json");
        open_file(page, &folder, "notes.json", "{\"kind\":\"notes\"}").await?;
        ensure!(page.alert().await?.contains("notes.json cannot be compared"));
        // What was found is there when one comes back. As a page of its own it can be judged whole.
        let address = page.script("return location.href;", json!([])).await?;
        page.go(address.as_str().unwrap_or_default()).await?;
        page.until("the kept times", async |page| {
            Ok(page
                .script("return document.querySelectorAll('table').length > 1;", json!([]))
                .await?
                == json!(true))
        })
        .await?;
        judge_both(page, "the bench").await?;
        let missing = site.not_found();
        ensure!(missing.is_empty(), "the page asks for {missing:?}");
        Ok(())
    })
}

#[test]
fn a_run_that_goes_is_paused_for_it() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&seq_len=64&steps=9000", async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_step(3).await?;
        page.follow("Bench").await?;
        enter(page).await?;
        ensure!(page.text("main").await?.contains("Measure this machine"));
        page.leave_frame().await?;
        page.follow("Play").await?;
        page.until_status("State", "Paused").await
    })
}
