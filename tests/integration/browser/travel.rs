//! Moving in time: back to any step and on again to the same losses, ring steps, speed, stop
//! conditions, forks, checkpoints of the page and of the native command, and the run after a reload.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::share::CATCH;
use super::site::Hosting;
use crate::cli::Folder;

/// A run that is quick on any machine.
const SMALL: &str = "v=1&cp=2&seq_len=64&layers=1";
/// Between wasm and native code sums are rounded otherwise.
const TOLERANCE: f64 = 2e-4;

async fn paused_after(page: &Page, steps: u32) -> Result<()> {
    page.until_step(steps).await?;
    page.press("Pause").await?;
    page.until_status("State", "Paused").await
}

/// The losses of the table by step, counted from 1, as they are written.
async fn losses(page: &Page) -> Result<BTreeMap<u32, String>> {
    let (steps, losses) =
        (page.column("Losses", "Step").await?, page.column("Losses", "Loss").await?);
    let steps = steps.iter().map(|step| step.parse::<u32>().context("a step is a number"));
    steps.zip(losses).map(|(step, loss)| Ok((step?, loss))).collect()
}

/// Waits until the run stands at `step`, with the loss of that step and traffic as predicted.
async fn until_at(page: &Page, step: u32, losses: &BTreeMap<u32, String>) -> Result<()> {
    page.until(&format!("to stand after step {step}"), async |page| {
        Ok(page.step().await? == step && page.status("State").await?.contains("Paused"))
    })
    .await?;
    if let Some(expect) = losses.get(&step) {
        let loss = page.status("Loss").await?;
        ensure!(loss.trim() == expect, "step {step}: {loss} is not {expect}");
    }
    // The tables follow once a second.
    page.until(&format!("the traffic of {step} steps"), async |page| {
        let rows = page.table("Traffic of each rank").await?;
        Ok(!rows.is_empty()
            && rows.iter().all(|row| {
                // Before the first step there is nothing to compare.
                row[2] == step.to_string() && (row[1].contains("equal") || step == 0)
            }))
    })
    .await?;
    Ok(())
}

/// Moves the slider, as a hand does: it points, and lets go.
async fn slide(page: &Page, step: u32, lets_go: bool) -> Result<()> {
    let script = "const slider = document.querySelector('.time-bar input[type=range]');
         const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
         set.call(slider, arguments[0]);
         slider.dispatchEvent(new Event('input', { bubbles: true }));
         if (arguments[1]) slider.dispatchEvent(new Event('change', { bubbles: true }));";
    page.script(script, json!([step.to_string(), lets_go])).await?;
    Ok(())
}

#[test]
fn the_run_goes_back_and_comes_to_the_same_losses_again() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=5000&speed=10"), async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        paused_after(page, 25).await?;
        let end = page.step().await?;
        let before = losses(page).await?;
        ensure!(before.len() as u32 == end.min(50), "{before:?}");
        until_at(page, end, &before).await?;

        // A hand on the slider looks; only letting go takes the ranks there.
        slide(page, 7, false).await?;
        let words = format!("step 7 of {end}: let go");
        page.until(&words, async |page| Ok(page.text(".time-words").await?.contains(&words)))
            .await?;
        ensure!(page.step().await? == end, "looking moved the ranks");
        slide(page, 7, true).await?;
        until_at(page, 7, &before).await?;
        let words = page.text(".time-words").await?;
        ensure!(words.contains(&format!("after step 7, of {end} seen")), "{words}");

        // The first step of all, then on: every loss comes again, to the digit.
        slide(page, 0, true).await?;
        until_at(page, 0, &before).await?;
        page.press("Run").await?;
        paused_after(page, end).await?;
        let again = losses(page).await?;
        for (step, loss) in before.iter().filter(|(step, _)| again.contains_key(step)) {
            ensure!(again[step] == *loss, "step {step}: {} after {loss}", again[step]);
        }
        ensure!(again.keys().filter(|step| before.contains_key(step)).count() > 10);

        let at = page.step().await?;
        page.press("Step back").await?;
        until_at(page, at - 1, &again).await?;
        page.press("Step").await?;
        until_at(page, at, &again).await
    })
}

#[test]
fn a_ring_step_stands_within_the_step_that_step_completes() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&seq_len=64&layers=1", async |page, _| {
        page.until_ready(4).await?;
        page.press("Step").await?;
        page.until_step(1).await?;
        page.until_status("State", "Paused").await?;
        let first = losses(page).await?;
        for _ in 0..2 {
            page.press("Ring step").await?;
            page.until_status("State", "Paused within a step").await?;
        }
        ensure!(page.step().await? == 1, "a ring step is no step");
        page.until("the step under way on the ring", async |page| {
            Ok(page.text(".ring").await?.contains("Step 2,"))
        })
        .await?;
        // As many ring steps as a step has end it; Step does so at once.
        page.press("Step").await?;
        until_at(page, 2, &first).await?;
        let hopped = losses(page).await?;
        page.press("Step back").await?;
        until_at(page, 1, &hopped).await?;
        page.press("Step").await?;
        until_at(page, 2, &hopped).await
    })
}

#[test]
fn a_speed_is_not_exceeded_and_full_speed_is_more() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=9000&speed=3"), async |page, _| {
        page.until_ready(2).await?;
        let begun = Instant::now();
        page.press("Run").await?;
        page.until_step(6).await?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let steps = page.step().await?;
        // A slow machine makes fewer; the one more is the first, which waits for nothing.
        let most = begun.elapsed().as_secs_f64() * 3.0 + 2.0;
        ensure!(f64::from(steps) <= most, "{steps} steps, where {most:.1} may be");
        // It changes while the run goes, and the run stays.
        page.enter("Speed", "").await?;
        page.until_step(steps + 20).await?;
        ensure!(page.status("State").await?.contains("Training"));
        Ok(())
    })
}

#[test]
fn stop_conditions_pause_the_run_and_say_why() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=9000&stop_loss=5"), async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("Why it paused", "Paused by the stop condition: the loss").await?;
        page.until_status("State", "Paused").await?;
        let shown = losses(page).await?;
        let (last, rest) = shown
            .iter()
            .next_back()
            .map(|(last, loss)| (*last, loss))
            .map_or((None, None), |(last, loss)| {
                (Some((last, loss.clone())), Some(shown.range(..last)))
            });
        let (last, loss) = last.context("there are losses")?;
        ensure!(page.step().await? == last && loss.parse::<f64>()? <= 5.0, "{shown:?}");
        let mut rest = rest.into_iter().flatten();
        ensure!(rest.all(|(_, loss)| loss.parse().is_ok_and(|loss: f64| loss >= 5.0)), "{shown:?}");
        let told = page.status("Why it paused").await?;
        ensure!(told.contains(&format!("the loss of step {last} is {loss}")), "{told}");

        // Run goes past it, and says so.
        page.press("Run").await?;
        page.until_status("Why it paused", "goes past this stop condition").await?;
        paused_after(page, last + 3).await?;
        let last = page.step().await?;

        page.enter("Stop at loss", "").await?;
        page.enter("Stop after", "0.5").await?;
        page.press("Run").await?;
        page.until_status("Why it paused", "of training are over").await?;
        page.until_status("State", "Paused").await?;
        ensure!(page.step().await? > last, "it did not go on");
        Ok(())
    })
}

#[test]
fn a_fork_goes_on_from_there_with_another_layout_and_is_compared() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=12"), async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        let whole = losses(page).await?;
        slide(page, 6, true).await?;
        until_at(page, 6, &whole).await?;
        page.press("Fork from here").await?;
        page.until("the fork", async |page| {
            Ok(page.text(".origin").await?.contains("from the state after step 6"))
        })
        .await?;
        page.until_ready(2).await?;
        let command = page.text("#run-command").await?;
        ensure!(command.contains("--resume ringside-") && command.contains("-step6."), "{command}");
        ensure!(page.text(".toolbar").await?.contains("(to step 6)"));
        page.enter("Layout", "zigzag").await?;
        page.until("the new layout", async |page| {
            Ok(page.text(".compare").await?.contains("Zigzag"))
        })
        .await?;
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        // The layout changes who computes what, and no loss: to rounding it is the same run.
        let forked = losses(page).await?;
        // The table has those before the fork as well.
        ensure!(forked.keys().copied().eq(1..=12), "{forked:?}");
        for (step, loss) in &forked {
            let (is, was): (f64, f64) = (loss.parse()?, whole[step].parse()?);
            ensure!((is - was).abs() <= TOLERANCE, "step {step}: {is} is not {was}");
        }
        let text = page.text(".compare").await?;
        ensure!(text.contains("What was changed") && text.contains("Contiguous"), "{text}");
        page.until_status("Difference of the two runs", "steps in common: 6").await?;
        page.until_status("Difference of the two runs", "agree to one part in 10 000").await
    })
}

#[test]
fn a_fork_and_the_run_that_it_left_change_places() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=12"), async |page, _| {
        page.until_ready(2).await?;
        for step in 1..=3 {
            page.press("Step").await?;
            page.until_step(step).await?;
        }
        page.until_status("State", "Paused").await?;
        page.press("Fork from here").await?;
        page.until_ready(2).await?;
        page.press("Step").await?;
        page.until_step(4).await?;
        page.until_status("State", "Paused").await?;
        let text = page.text(".compare").await?;
        ensure!(text.contains("The kept run stopped at step 3"), "{text}");
        page.press("Swap them").await?;
        page.until_step(3).await?;
        page.until_status("State", "Paused").await?;
        page.press("Step").await?;
        page.until_status("Difference of the two runs", "At step 4, the last in common").await?;
        page.until_status("Difference of the two runs", "agree to one part in 10 000").await
    })
}

/// The file that the page hands out, its name and its bytes.
async fn saved(page: &Page) -> Result<(String, Vec<u8>)> {
    page.script(CATCH, json!([])).await?;
    page.press("Save the checkpoint").await?;
    let script = "return files[0]?.bytes == null ? null : files[0];";
    page.until("the checkpoint", async |page| Ok(!page.script(script, json!([])).await?.is_null()))
        .await?;
    let file = page.script(script, json!([])).await?;
    let name = file["name"].as_str().context("it has a name")?.to_owned();
    Ok((name, serde_json::from_value(file["bytes"].clone())?))
}

/// The losses that the native command wrote.
fn native(folder: &Folder, name: &str) -> Vec<f64> {
    folder.lines(name).iter().filter_map(|line| line["loss"].as_f64()).collect()
}

fn are_close(shown: &BTreeMap<u32, String>, native: &[f64]) -> Result<()> {
    ensure!(shown.len() == native.len(), "{shown:?} are not as many as {native:?}");
    for ((step, shown), native) in shown.iter().zip(native) {
        let shown: f64 = shown.parse()?;
        ensure!((shown - native).abs() <= TOLERANCE, "step {step}: {shown} is not {native}");
    }
    Ok(())
}

#[test]
fn a_checkpoint_of_the_page_trains_on_natively() -> Result<()> {
    // Built before a browser waits for it.
    crate::cli::binary();
    open(Hosting::default(), &format!("{SMALL}&steps=16&optimizer=adamw"), async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        let whole = losses(page).await?;
        slide(page, 9, true).await?;
        until_at(page, 9, &whole).await?;
        let (name, bytes) = saved(page).await?;
        ensure!(name.ends_with("-step9.safetensors"), "{name}");
        let folder = Folder::new();
        folder.write(&name, bytes);
        let line = page.text("#run-command").await?;
        let line = line.strip_prefix("ringside ").context("it is our command")?;
        folder.done(&format!("{line} --resume {name} --metrics m.jsonl"));
        are_close(
            &whole.into_iter().filter(|(step, _)| *step > 9).collect(),
            &native(&folder, "m.jsonl"),
        )
    })
}

async fn choose_file(page: &Page, path: &Path) -> Result<()> {
    page.keys(".checkpoint input[type=file]", &path.display().to_string()).await
}

#[test]
fn a_native_checkpoint_trains_on_in_the_page_and_a_wrong_file_is_refused() -> Result<()> {
    let folder = Folder::new();
    let run = "train --cp 2 --seq-len 64 --layers 1 --steps 16";
    folder.done(&format!("{run} --until 9 --save native.safetensors"));
    folder.done(&format!("{run} --resume native.safetensors --metrics m.jsonl"));
    folder.write("notes.safetensors", "these are my notes, and no tensors");
    open(Hosting::default(), &format!("{SMALL}&steps=16"), async |page, _| {
        page.until_ready(2).await?;
        choose_file(page, &folder.path("notes.safetensors")).await?;
        page.until_status("Notices", "notes.safetensors is no safetensors file").await?;
        page.press("Dismiss").await?;
        choose_file(page, &folder.path("native.safetensors")).await?;
        page.until("the checkpoint", async |page| {
            let text = page.text(".origin").await?;
            Ok(text.contains("began from native.safetensors, after step 9"))
        })
        .await?;
        page.until_ready(2).await?;
        ensure!(page.step().await? == 9);
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        are_close(&losses(page).await?, &native(&folder, "m.jsonl"))?;
        // The seed is a press away.
        page.press("Start over from the seed").await?;
        page.until_ready(2).await?;
        ensure!(page.step().await? == 0 && page.text(".origin").await?.is_empty());
        Ok(())
    })
}

#[test]
fn the_last_run_is_there_after_a_reload_and_goes_on() -> Result<()> {
    open(Hosting::default(), &format!("{SMALL}&steps=24"), async |page, _| {
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        let whole = losses(page).await?;
        page.press("Keep this run to compare").await?;
        slide(page, 13, true).await?;
        until_at(page, 13, &whole).await?;
        let is_kept = "return caches.keys()
             .then(names => names.filter(name => name.startsWith('ringside-last-run')))
             .then(names => Promise.all(names.map(name => caches.open(name))))
             .then(all => Promise.all(all.map(cache => cache.keys())))
             .then(keys => keys.flat().length);";
        page.until("the run to be kept", async |page| {
            Ok(page.script(is_kept, json!([])).await? == json!(1))
        })
        .await?;
        page.reload().await?;
        page.until_status("Notices", "Your last run is back, after step").await?;
        page.until("the ranks to stand there", async |page| {
            Ok(page.step().await? > 0 && page.status("State").await?.contains("Paused"))
        })
        .await?;
        let at = page.step().await?;
        until_at(page, at, &whole).await?;
        page.until_status("Step on the timeline", "are not kept").await?;
        ensure!(page.text(".compare").await?.contains("Forget the kept run"));
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        ensure!(losses(page).await? == whole, "{:?} is not {whole:?}", losses(page).await?);
        Ok(())
    })
}

#[test]
fn a_run_that_was_reset_is_had_back_and_goes_on() -> Result<()> {
    for fragment in ["v=1&cp=2&steps=30", "v=1&cp=2&steps=30&embed=1&panels=curve"] {
        open(Hosting::default(), fragment, async |page, _| {
            page.until_ready(2).await?;
            page.press("Run").await?;
            page.until_status("State", "Finished").await?;
            let loss = page.loss().await?;
            page.press("Reset").await?;
            page.until_status("Step", "0").await?;
            page.press("Bring it back").await?;
            page.until_step(30).await?;
            ensure!(page.loss().await? == loss, "the same run");
            Ok(())
        })?;
    }
    Ok(())
}
