//! The doctor's place: a configuration is pasted, its finding read, its fix copied and pasted, and
//! its mesh opened; what is no configuration gets a message.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use doctor::{Input, diagnose};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;
use crate::doctor::support::{CP_2, yaml};

/// Remembers what is copied, and copies it.
const REMEMBER: &str = "window.copied = null;
     const write = navigator.clipboard.writeText.bind(navigator.clipboard);
     navigator.clipboard.writeText = text => { window.copied = text; return write(text); };";

const CONFIG: &str = "accelerate configuration";

fn hosting() -> Hosting {
    Hosting { script: Some(REMEMBER), ..Hosting::default() }
}

async fn give(page: &Page, config: &str, accelerate: &str) -> Result<()> {
    page.enter("accelerate", accelerate).await?;
    page.enter("torch", "2.7.1").await?;
    page.enter(CONFIG, config).await
}

async fn copied(page: &Page, button: &str) -> Result<String> {
    page.script("window.copied = null;", json!([])).await?;
    page.press(button).await?;
    page.until("a copy", async |page| {
        Ok(page.script("return window.copied;", json!([])).await?.is_string())
    })
    .await?;
    let text = page.script("return window.copied;", json!([])).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

#[test]
fn the_fix_that_is_copied_is_clean() -> Result<()> {
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        let broken = yaml(&[("fsdp_version: 2", "fsdp_version: 1")]);
        give(page, &broken, "1.12.0").await?;
        page.until_status("Verdict", "will go wrong").await?;
        let findings = page.text(".findings").await?;
        for id in ["cp-needs-fsdp2", "cp-context-never-built"] {
            ensure!(findings.contains(id), "{findings}");
        }
        page.until_status("CP context", "stops").await?;
        let install = copied(page, "Copy the command").await?;
        ensure!(install == "pip install \"accelerate>=1.13.0\"", "{install}");
        let fix = copied(page, "Copy the configuration").await?;
        ensure!(fix.contains("fsdp_version: 2"), "{fix}");
        give(page, &fix, "1.13.0").await?;
        page.until_status("Verdict", "Nothing speaks against this run").await?;
        ensure!(page.text(".findings").await?.is_empty(), "findings are left");
        Ok(())
    })
}

#[test]
fn the_corrected_run_is_taken_over_with_one_button() -> Result<()> {
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        for sample in ["CP in accelerate 1.12.0", "Colab without a GPU"] {
            page.press(sample).await?;
            page.until_status("Verdict", "will go wrong").await?;
            page.press("Use it as your run").await?;
            page.until_status("Verdict", "Nothing speaks against this run").await?;
            ensure!(page.value("accelerate").await? == "1.13.0");
        }
        Ok(())
    })
}

#[test]
fn an_error_is_named_with_what_leads_to_it() -> Result<()> {
    let text = "[rank0]: Traceback (most recent call last):\n[rank0]: AttributeError: 'Accelerator' \
                object has no attribute '_cp_context'\n";
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        // It is taken for one where it was pasted into another input.
        for label in [CONFIG, "Error message"] {
            page.enter(label, text).await?;
            page.until_status("Verdict", "This error is known").await?;
            let card = page.text(".findings .finding").await?;
            for part in ["has no attribute '_cp_context'", "cp-context-before-prepare: "] {
                ensure!(card.contains(part), "{card}");
            }
            let findings = page.text(".findings").await?;
            ensure!(
                findings.contains("Move it to “Error message”") == (label == CONFIG),
                "{findings}"
            );
            page.enter(label, "").await?;
            page.until_status("Verdict", "Nothing to diagnose yet").await?;
        }
        page.press("CP in accelerate 1.12.0").await?;
        page.until_status("Verdict", "will go wrong").await?;
        page.enter("Error message", text).await?;
        page.until("the finding to be the error", async |page| {
            Ok(page.text(".findings").await?.contains("this is your error"))
        })
        .await?;
        let lesson = "return document.querySelector('.findings .finding a').href;";
        let lesson = page.script(lesson, json!([])).await?;
        let lesson = lesson.as_str().unwrap_or_default().to_owned();
        ensure!(lesson.ends_with("#v=1&view=doctor&lesson=no-context"), "{lesson}");
        page.press("Use it as your run").await?;
        page.until_status("Verdict", "Nothing speaks against this run").await?;
        ensure!(page.value("Error message").await?.is_empty());
        ensure!(page.text(".findings .finding").await?.is_empty());
        page.enter("Error message", "ZeroDivisionError: division by zero").await?;
        page.until_status("Verdict", "not known here").await?;
        Ok(())
    })
}

#[test]
fn its_mesh_opens_in_the_playground() -> Result<()> {
    let input = Input { config: Some(CP_2.to_owned()), ..Input::default() };
    let run = diagnose(&input)?.playground.context("the mesh has CP")?.run;
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        give(page, CP_2, "1.13.0").await?;
        page.until_status("Mesh", "8 ranks: dp_shard 4 × cp 2").await?;
        page.enter("Rank", "5").await?;
        page.until("the groups of rank 5", async |page| {
            let rows = page.table("Groups of the chosen rank").await?;
            Ok(rows.iter().any(|row| row[0] == "cp" && row[2] == "4"))
        })
        .await?;
        page.follow("Open this mesh in the playground").await?;
        page.until_ready(run.cp * run.dp).await?;
        ensure!(page.value("Ranks").await? == run.cp.to_string());
        ensure!(page.value("Replicas (dp)").await? == run.dp.to_string());
        ensure!(page.value("Layout").await? == run.layout.name());
        let ranks = page.column("Ranks in figures", "Rank").await?;
        ensure!(ranks.len() == run.cp * run.dp, "{ranks:?}");
        Ok(())
    })
}

#[test]
fn what_is_no_configuration_gets_a_message_and_no_hang() -> Result<()> {
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        page.enter(CONFIG, "a: b: c\n").await?;
        page.until_status("Verdict", "will go wrong").await?;
        let finding = page.text(".findings").await?;
        ensure!(finding.contains("bad-yaml") && finding.contains("line 1, column"), "{finding}");
        page.until_status("CP context", "not known").await?;

        let paste = "const area = document.getElementById('doctor-config');
             area.value = 'key: value\\n'.repeat(1e6);
             area.dispatchEvent(new InputEvent('input', { bubbles: true }));";
        page.script(paste, json!([])).await?;
        page.until_status("Verdict", "Not diagnosed").await?;
        ensure!(page.complaint(CONFIG).await?.contains("11.0 MB"));

        let file = "const bytes = new Uint8Array(arguments[1]).fill(97);
             bytes[arguments[1] - 1] = 0;
             const given = new DataTransfer();
             given.items.add(new File([bytes], arguments[0]));
             const picker = document.getElementById('doctor-file');
             picker.files = given.files;
             picker.dispatchEvent(new Event('change', { bubbles: true }));";
        for (name, size, says) in
            [("huge.yaml", 10_000_000, "10.0 MB"), ("model.bin", 900, "does not look like text")]
        {
            page.script(file, json!([name, size])).await?;
            page.until_status("File", says).await?;
            page.until_status("File", name).await?;
        }
        page.enter("Variables and facts", "WORLD_SIZE").await?;
        page.until("a complaint about the variable", async |page| {
            Ok(page.complaint("Variables and facts").await?.contains("NAME=VALUE"))
        })
        .await?;
        page.press("8 GPUs, in order").await?;
        page.until_status("Verdict", "Nothing speaks against this run").await?;
        ensure!(page.status("File").await?.is_empty());
        Ok(())
    })
}

#[test]
fn a_diagnosis_takes_less_than_ten_milliseconds() -> Result<()> {
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        let mut took = Vec::new();
        for round in 0..9 {
            let processes = 8 << (round % 3);
            give(
                page,
                &yaml(&[("num_processes: 8", &format!("num_processes: {processes}"))]),
                "1.12.0",
            )
            .await?;
            tokio::time::sleep(Duration::from_millis(400)).await;
            let text = page.status("Verdict").await?;
            let ms = text.split("Diagnosed in ").nth(1).and_then(|rest| rest.split(' ').next());
            took.push(ms.with_context(|| text.clone())?.parse::<f64>()?);
        }
        took.sort_by(f64::total_cmp);
        ensure!(took[4] < 10.0, "diagnoses took {took:?} ms");
        Ok(())
    })
}

#[test]
fn what_the_doctor_cannot_know_is_ticked_off() -> Result<()> {
    open(hosting(), "v=1&view=doctor", async |page, _| {
        page.until_status("Verdict", "Nothing to diagnose yet").await?;
        page.press("CP in accelerate 1.12.0").await?;
        page.until_status("Verdict", "will go wrong").await?;
        let list = page.text(".checklists").await?;
        ensure!(list.contains("at fault") && list.contains("not known"), "{list}");
        page.tick("I have looked").await?;
        page.until("the tick", async |page| {
            Ok(page.text(".checklists").await?.contains("ticked off by you"))
        })
        .await?;
        Ok(())
    })
}
