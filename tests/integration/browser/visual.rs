//! How the main views look, against pictures under `tests/visual` that a person has looked at.
//!
//! Text is set in a font of equal blocks, so that it takes the same place on every machine, and
//! what tells of time is hidden. Pictures are a quarter of the size and are compared by cells.
//! `RINGSIDE_VISUAL=write` writes them anew; what has changed is then in the diff, to be reviewed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// Width and height of what is taken of the page, from its top.
const SIZES: [(u32, u32); 3] = [(360, 2400), (1280, 1600), (1920, 1600)];
const THEMES: [&str; 2] = ["light", "dark"];

/// Pixels of the page for one of a picture.
const REDUCED: u32 = 4;

/// Sets the font, and hides what is another at every run; layout stays.
const MASK: &str = "const bytes = Uint8Array.from(arguments[0]);
     return new FontFace('Blocks', bytes).load().then(font => {
         document.fonts.add(font);
         const sheet = new CSSStyleSheet();
         sheet.replaceSync(`* { font-family: Blocks !important; caret-color: transparent !important }
             .timeline-lanes, .memory .plot, .numbers dd, .ranks .scroll, .share code
                 { visibility: hidden !important }`);
         document.adoptedStyleSheets = [sheet];
         return document.fonts.ready;
     }).then(() => true);";

/// The mean colour of each cell of 8 by 8 pixels of two pictures of one size: how many cells there
/// are, and how many of them differ so that one sees it.
const COMPARE: &str = "const cells = async (base64) => {
         const image = new Image();
         image.src = `data:image/png;base64,${base64}`;
         await image.decode();
         const canvas = new OffscreenCanvas(image.width, image.height);
         const pen = canvas.getContext('2d');
         pen.drawImage(image, 0, 0);
         const { data } = pen.getImageData(0, 0, image.width, image.height);
         const wide = Math.ceil(image.width / 8), high = Math.ceil(image.height / 8);
         const sums = new Float64Array(wide * high * 3), counts = new Float64Array(wide * high);
         for (let y = 0; y < image.height; y += 1) for (let x = 0; x < image.width; x += 1) {
             const cell = (y >> 3) * wide + (x >> 3), at = 4 * (y * image.width + x);
             counts[cell] += 1;
             for (let c = 0; c < 3; c += 1) sums[3 * cell + c] += data[at + c];
         }
         return { size: [image.width, image.height], mean: sums.map((sum, i) => sum / counts[Math.floor(i / 3)]) };
     };
     return Promise.all([cells(arguments[0]), cells(arguments[1])]).then(([a, b]) => {
         if (String(a.size) !== String(b.size)) return { cells: 1, differ: 1, size: [a.size, b.size] };
         let differ = 0;
         for (let i = 0; i < a.mean.length; i += 3) {
             const apart = [0, 1, 2].map(c => Math.abs(a.mean[i + c] - b.mean[i + c]));
             if (Math.max(...apart) > 16) differ += 1;
         }
         return { cells: a.mean.length / 3, differ, size: a.size };
     });";

/// Cells that may differ, of all: other versions of the browser draw controls otherwise.
const TOLERATED: f64 = 0.02;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("visual")
}

/// Whether the pictures are to be written instead of compared.
fn writes() -> bool {
    std::env::var("RINGSIDE_VISUAL").is_ok_and(|value| value == "write")
}

/// What the page looks like at a quarter of its size, as a PNG in base64.
async fn taken(page: &Page, (width, height): (u32, u32)) -> Result<String> {
    let clip = json!({
        "x": 0, "y": 0, "width": width, "height": height, "scale": 1.0 / f64::from(REDUCED),
    });
    let how = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
    let taken = page.devtools("Page.captureScreenshot", how).await?;
    Ok(taken["data"].as_str().context("there is a picture")?.to_owned())
}

/// The bytes of a text in base64, and the other way round: the browser does it.
async fn decoded(page: &Page, base64: &str) -> Result<Vec<u8>> {
    let script = "return [...atob(arguments[0])].map(letter => letter.charCodeAt(0));";
    Ok(serde_json::from_value(page.script(script, json!([base64])).await?)?)
}

async fn encoded(page: &Page, bytes: &[u8]) -> Result<String> {
    let script = "return btoa(arguments[0].map(byte => String.fromCharCode(byte)).join(''));";
    let text = page.script(script, json!([bytes])).await?;
    Ok(text.as_str().context("a text")?.to_owned())
}

/// What is wrong with how `view` looks now, in every size and theme.
async fn differences(page: &Page, view: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let font = fs::read(folder().join("blocks.ttf"))?;
    page.script(MASK, json!([font])).await?;
    for theme in THEMES {
        page.prefer(theme).await?;
        for size in SIZES {
            page.resize(size.0, size.1).await?;
            page.script("window.scrollTo(0, 0);", json!([])).await?;
            // Two frames: the first one measures what the second one draws.
            let drawn = "return new Promise(done => requestAnimationFrame(() =>
                 requestAnimationFrame(() => setTimeout(() => done(true), 200))));";
            page.script(drawn, json!([])).await?;
            let now = taken(page, size).await?;
            let name = format!("{view}-{}-{theme}.png", size.0);
            let path = folder().join(&name);
            if writes() {
                fs::write(&path, decoded(page, &now).await?)?;
                continue;
            }
            let was = fs::read(&path)
                .with_context(|| format!("{name} is missing: RINGSIDE_VISUAL=write makes it"))?;
            let was = encoded(page, &was).await?;
            let compared = page.script(COMPARE, json!([was, now])).await?;
            let number = |key: &str| compared[key].as_f64().context("a number of cells");
            let (cells, differ) = (number("cells")?, number("differ")?);
            if differ > cells * TOLERATED {
                // Beside the one that it should be, to look at both.
                let seen = std::env::temp_dir().join(format!("ringside-{name}"));
                fs::write(&seen, decoded(page, &now).await?)?;
                found.push(format!(
                    "{name}: {differ} of {cells} cells differ ({}); it is {} now",
                    compared["size"],
                    seen.display()
                ));
            }
        }
    }
    Ok(found)
}

fn none(found: Vec<String>) -> Result<()> {
    ensure!(
        found.is_empty(),
        "{}\nIf it is meant to look so, RINGSIDE_VISUAL=write cargo xtask test --only browser \
         writes the pictures anew; look at them before you commit them",
        found.join("\n")
    );
    Ok(())
}

#[test]
fn the_run_looks_as_it_was_reviewed() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&seq_len=256&steps=6&layout=zigzag", async |page, _| {
        // Without motion from the beginning: the ring stands, and so do its blocks.
        page.prefer("light").await?;
        page.reload().await?;
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_status("State", "Finished").await?;
        page.until("the tables", async |page| {
            let rows = page.table("Traffic of each rank").await?;
            Ok(rows.len() == 4 && rows.iter().all(|row| row[2] == "6"))
        })
        .await?;
        none(differences(page, "play").await?)
    })
}

#[test]
fn the_other_places_look_as_they_were_reviewed() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups&cp=4&dp=2", async |page, _| {
        let mut found = Vec::new();
        page.until_status("Mesh", "8 ranks").await?;
        found.extend(differences(page, "groups").await?);
        page.follow("Backend").await?;
        page.until("the backend", async |page| Ok(!page.text(".tree").await?.is_empty())).await?;
        // Not this browser, whose facts are those of the machine.
        page.enter("Machine", "h100-node").await?;
        found.extend(differences(page, "backend").await?);
        page.follow("Doctor").await?;
        page.until_status("Verdict", "Nothing to diagnose").await?;
        page.press("CP in accelerate 1.12.0").await?;
        page.until_status("Verdict", "will go wrong").await?;
        found.extend(differences(page, "doctor").await?);
        none(found)
    })
}
