//! What helps to understand: presets, explanations, keys with their help, the same run elsewhere,
//! and a file that is dropped on the page.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// As WebDriver names it.
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";

/// The name of what has the focus.
async fn focused(page: &Page) -> Result<String> {
    let script = "return document.activeElement?.textContent.trim() ?? '';";
    Ok(page.script(script, json!([])).await?.as_str().unwrap_or_default().to_owned())
}

async fn is_true(page: &Page, script: &str) -> Result<bool> {
    Ok(page.script(script, json!([])).await? == json!(true))
}

/// Takes the focus to what `css` finds, as the keyboard would.
async fn focus(page: &Page, css: &str) -> Result<()> {
    let script = "document.querySelector(arguments[0]).focus({ focusVisible: true });";
    page.script(script, json!([css])).await?;
    Ok(())
}

const HELP_IS_OPEN: &str = "return document.querySelector('dialog.help').open;";

#[test]
fn a_question_mark_opens_the_help_and_escape_gives_the_focus_back() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        ensure!(!is_true(page, HELP_IS_OPEN).await?);
        focus(page, ".preset").await?;
        let before = focused(page).await?;
        page.keys(".preset", "?").await?;
        page.until("the help", async |page| is_true(page, HELP_IS_OPEN).await).await?;
        // The focus is inside, and Tab keeps it there: all else is inert.
        let inside =
            "return document.querySelector('dialog.help').contains(document.activeElement);";
        ensure!(is_true(page, inside).await?, "the focus stayed behind");
        let text = page.text("dialog.help").await?;
        ensure!(text.contains("Train one step") && text.contains("Efficiency"), "{text}");
        page.keys("dialog.help button", ESCAPE).await?;
        page.until("the help to close", async |page| Ok(!is_true(page, HELP_IS_OPEN).await?))
            .await?;
        ensure!(focused(page).await? == before, "the focus is on {:?}", focused(page).await?);
        // It opens again, by its button as well.
        page.press("Help").await?;
        page.until("the help", async |page| is_true(page, HELP_IS_OPEN).await).await?;
        page.press("Close").await?;
        page.until("the help to close", async |page| Ok(!is_true(page, HELP_IS_OPEN).await?))
            .await?;
        Ok(())
    })
}

#[test]
fn keys_drive_the_run_and_are_quiet_where_somebody_types() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=10000", async |page, _| {
        page.until_ready(2).await?;
        page.keys("body", "s").await?;
        page.until_step(1).await?;
        page.until_status("State", "Paused").await?;
        page.keys("body", "r").await?;
        page.until_status("State", "Training").await?;
        // The button that was just pressed rests: there the space bar means the run as well.
        page.keys("[data-control=run]", " ").await?;
        page.until_status("State", "Paused").await?;
        page.keys("[data-control=pause]", " ").await?;
        page.until_status("State", "Training").await?;
        page.keys("body", " ").await?;
        page.until_status("State", "Paused").await?;
        let steps = page.step().await?;

        // In a field they are letters, and on a button the space bar is the button's.
        page.keys("#own-text", "srn0? 2").await?;
        page.until_status("State", "settings that can work").await?;
        ensure!(!is_true(page, HELP_IS_OPEN).await?, "a question mark in a text opened the help");
        let script = "return document.getElementById('own-text').value;";
        ensure!(page.script(script, json!([])).await? == json!("srn0? 2"));
        ensure!(page.step().await? == 0 && steps > 0);
        page.press("Use the built-in text").await?;

        // Places, and back; there the run's keys do nothing.
        page.keys("body", "3").await?;
        page.until("the backend", async |page| {
            Ok(page.text(".masthead [aria-current]").await? == "Backend")
        })
        .await?;
        page.keys("body", "1").await?;
        page.until_ready(2).await?;

        // Turned off, they do nothing, and the choice is kept.
        page.press("Help").await?;
        page.until("the help", async |page| is_true(page, HELP_IS_OPEN).await).await?;
        page.tick("Single keys").await?;
        page.press("Close").await?;
        page.keys("body", "s").await?;
        page.reload().await?;
        page.until_back(2).await?;
        let back = page.step().await?;
        page.keys("body", "s").await?;
        page.press("Step").await?;
        page.until_step(back + 1).await?;
        page.until_status("State", "Paused").await?;
        ensure!(page.step().await? == back + 1, "a key that is turned off took a step");
        Ok(())
    })
}

#[test]
fn a_preset_sets_the_run_and_its_address_and_a_change_unmarks_it() -> Result<()> {
    let marked =
        async |page: &Page| -> Result<String> { page.text(".preset[aria-pressed=true]").await };
    open(Hosting::default(), "", async |page, _| {
        page.until_ready(4).await?;
        ensure!(marked(page).await? == "Ring of 4", "{}", marked(page).await?);
        page.press("USP 2 × 2").await?;
        page.until("the preset", async |page| Ok(page.value("Strategy").await? == "usp")).await?;
        ensure!(marked(page).await? == "USP 2 × 2");
        ensure!(page.status("Look for:").await?.contains("neighbours exchange heads"));
        let hash = page.script("return location.hash;", json!([])).await?;
        ensure!(hash.as_str().unwrap_or_default().contains("strategy=usp"), "{hash}");
        page.reload().await?;
        page.until_ready(4).await?;
        ensure!(marked(page).await? == "USP 2 × 2", "the address opens another run");
        page.enter("Layout", "contiguous").await?;
        page.until("no mark", async |page| Ok(marked(page).await?.is_empty())).await?;
        ensure!(page.status("Look for:").await?.contains("your own"));
        page.press("One rank").await?;
        page.until_ready(1).await?;
        page.press("Step").await?;
        page.until_step(1).await
    })
}

#[test]
fn an_explanation_opens_by_keyboard_and_pointer_beside_its_word() -> Result<()> {
    const TEXT: &str = "#explanation";
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        ensure!(page.text(TEXT).await?.is_empty());
        let word = ".term[data-term=loss]";
        // The numbers follow the buttons.
        page.keys(".buttons button:last-child", TAB).await?;
        page.until("the explanation", async |page| Ok(page.text(TEXT).await?.contains("nats")))
            .await?;
        // What is seen is what is heard, and nothing covers the word.
        let same = "const word = document.querySelector('.term[data-term=loss]');
             const heard = document.getElementById(word.getAttribute('aria-describedby'));
             const box = document.getElementById('explanation');
             const [a, b] = [word.getBoundingClientRect(), box.getBoundingClientRect()];
             const apart = b.top >= a.bottom || b.bottom <= a.top;
             return apart && box.textContent.includes(heard.textContent);";
        ensure!(is_true(page, same).await?);
        page.keys(word, ESCAPE).await?;
        page.until("it to close", async |page| Ok(page.text(TEXT).await?.is_empty())).await?;
        page.script("document.querySelector('.term[data-term=verdict]').click();", json!([]))
            .await?;
        page.until("another", async |page| Ok(page.text(TEXT).await?.contains("byte"))).await?;
        page.script("document.querySelector('h1').click();", json!([])).await?;
        page.until("it to close", async |page| Ok(page.text(TEXT).await?.is_empty())).await?;
        // Every word has its text.
        let lost = "return [...document.querySelectorAll('.term')]
             .filter(word => !document.getElementById(word.getAttribute('aria-describedby'))?.textContent)
             .map(word => word.textContent);";
        let lost = page.script(lost, json!([])).await?;
        ensure!(lost == json!([]), "without an explanation: {lost}");
        Ok(())
    })
}

/// Drags files over the page and drops them; each is a name with its bytes.
async fn drop_files(page: &Page, files: Value) -> Result<()> {
    let script = "const data = new DataTransfer();
         for (const [name, bytes] of arguments[0]) {
             data.items.add(new File([new Uint8Array(bytes)], name));
         }
         const tell = kind => document.querySelector('h1').dispatchEvent(
             new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
         tell('dragenter');
         tell('dragover');
         await new Promise(done => setTimeout(done, 100));
         const seen = Boolean(document.querySelector('.drop-here'));
         const left = tell('drop');
         return seen && !left;";
    let script = format!("return (async () => {{ {script} }})();");
    ensure!(
        page.script(&script, json!([files])).await? == json!(true),
        "the page does not show that it takes a file, or lets the browser open it"
    );
    Ok(())
}

#[test]
fn a_dropped_file_is_read_or_refused_with_the_reason() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        let good: Vec<u8> = (0..400).map(|i| (i % 251) as u8).collect();
        for (files, says) in [
            (json!([["empty.txt", []]]), "empty.txt is empty"),
            (json!([["a.txt", [65]], ["b.txt", [66]]]), "2 things"),
            (json!([["bytes.bin", good]]), "bytes.bin: 400 bytes"),
        ] {
            drop_files(page, files).await?;
            page.until(&format!("{says:?}"), async |page| {
                Ok(page.status("Your text").await?.replace('\u{202f}', "").contains(says))
            })
            .await?;
            ensure!(!is_true(page, "return Boolean(document.querySelector('.drop-here'));").await?);
        }
        // Too short for a sequence: what the run says of it, as with a file that is opened.
        drop_files(page, json!([["short.txt", [65, 66, 67]]])).await?;
        page.until("a reason", async |page| {
            Ok(page.text("#own-text-error").await?.contains("3 bytes"))
        })
        .await?;
        drop_files(page, json!([["bytes.bin", good]])).await?;
        page.until_ready(2).await?;
        page.press("Step").await?;
        page.until_step(1).await
    })
}

#[test]
fn the_same_run_elsewhere_is_code_or_a_reason() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&strategy=usp&layout=zigzag", async |page, _| {
        page.until_ready(4).await?;
        ensure!(page.text(".elsewhere").await?.contains("PyTorch has no equivalent"));
        page.press("Megatron-LM").await?;
        page.until("Megatron's flags", async |page| {
            let code = page.text("#elsewhere-shell").await?;
            Ok(code.contains("--cp-comm-type a2a+p2p")
                && code.contains("--hierarchical-context-parallel-sizes 2 2"))
        })
        .await?;
        page.press("accelerate").await?;
        page.enter("Strategy", "ulysses").await?;
        page.until("accelerate's file", async |page| {
            let code = page.text("#elsewhere-yaml").await?;
            Ok(code.contains("parallelism_config_sp_size: 4"))
        })
        .await?;
        Ok(())
    })
}
