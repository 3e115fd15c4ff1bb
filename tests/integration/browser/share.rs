//! What is taken away from a run: each file's content, the command and the link.

use anyhow::{Context, Result, ensure};
use plan::{RunConfig, RunPlan};
use serde_json::{Value, json};

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// Keeps what the page hands out as downloads: name and content.
/// The policy lets the page fetch no blob, so each is kept as its address is made.
pub const CATCH: &str = "window.files = [];
     const blobs = new Map(), create = URL.createObjectURL;
     URL.createObjectURL = blob => {
         const url = create.call(URL, blob);
         blobs.set(url, blob);
         return url;
     };
     // data:image/png;base64,...
     const decoded = url => {
         const [head, data] = url.slice('data:'.length).split(',');
         const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
         return new Blob([bytes], { type: head.split(';')[0] });
     };
     document.addEventListener('click', event => {
         const link = event.target.closest?.('a[download]');
         if (!link) return;
         event.preventDefault();
         const file = { name: link.download, text: null, bytes: null, size: 0, type: '' };
         files.push(file);
         const blob = blobs.get(link.href) ?? decoded(link.href);
         file.size = blob.size;
         file.type = blob.type;
         blob.text().then(text => { file.text = text; });
         blob.arrayBuffer().then(bytes => { file.bytes = [...new Uint8Array(bytes)]; });
     }, true);";

/// Presses `button` and takes the file that comes: its name, its type and its text.
async fn kept(page: &Page, button: &str) -> Result<(String, String, String)> {
    // Not by pointer: views above that still fill move the button away under it.
    let press = "files.length = 0;
         const is_meant = button => button.textContent.trim() === arguments[0];
         const button = [...document.querySelectorAll('button')].find(is_meant);
         button?.click();
         return button != null;";
    let pressed = page.script(press, json!([button])).await?;
    ensure!(pressed == json!(true), "there is no button {button}");
    let script = "return files[0]?.text == null ? null : files[0];";
    page.until(&format!("the file of {button}"), async |page| {
        Ok(!page.script(script, json!([])).await?.is_null())
    })
    .await?;
    let file = page.script(script, json!([])).await?;
    let part = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
    page.until_status("Kept", &part("name")).await?;
    Ok((part("name"), part("type"), part("text")))
}

fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[test]
fn every_file_says_what_the_page_says() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&seq_len=128&steps=6&seed=5", async |page, _| {
        page.until_ready(2).await?;
        page.script(CATCH, json!([])).await?;
        page.press("Steps as CSV").await?;
        ensure!(page.script("return files.length;", json!([])).await? == json!(0));
        page.press("Run").await?;
        page.until_step(6).await?;
        page.until_status("State", "Finished").await?;

        let (name, _, csv) = kept(page, "Steps as CSV").await?;
        ensure!(name == "ringside-ring-contiguous-cp2-dp1-t128-seed5-step6-steps.csv", "{name}");
        let csv = rows(&csv);
        ensure!(csv[0][..3] == ["step", "loss", "grad_norm"] && csv.len() == 7, "{csv:?}");
        let (shown, norms) =
            (page.column("Losses", "Loss").await?, page.column("Losses", "Gradient norm").await?);
        for (row, (loss, norm)) in csv[1..].iter().rev().zip(shown.iter().zip(&norms)) {
            let number = |text: &str| text.parse::<f64>().map(|value| format!("{value:.4}"));
            ensure!(number(&row[1])? == *loss && number(&row[2])? == *norm, "{row:?}");
        }

        let (name, _, csv) = kept(page, "Traffic as CSV").await?;
        ensure!(name.ends_with("-seed5-step6-traffic.csv"), "{name}");
        let config = RunConfig { cp: 2, seq_len: 128, steps: 6, ..Default::default() };
        let sent = RunPlan::new(config)?.run_traffic(0, 6);
        for (rank, row) in rows(&csv)[1..].iter().enumerate() {
            let (m, b) = (sent.messages, sent.bytes);
            ensure!(row.join(",") == format!("{rank},6,{m},{m},{b},{b}"), "{row:?}");
        }
        the_trace_has_the_spans_of_the_table(page).await
    })
}

async fn the_trace_has_the_spans_of_the_table(page: &Page) -> Result<()> {
    // It follows once a second.
    page.until_status("Step on the timeline", "Step 6").await?;
    page.script("document.querySelector('.timeline summary').click();", json!([])).await?;
    page.until_status("Step on the timeline", "held").await?;
    let (name, kind, text) = kept(page, "Trace of the step").await?;
    ensure!(name.ends_with("-step6-trace.json") && kind == "application/json", "{name} {kind}");
    let trace: Value = serde_json::from_str(&text)?;
    let entries = trace["traceEvents"].as_array().context("there are no events")?;
    let begin = entries.iter().filter_map(|e| e["ts"].as_u64()).min().context("no times")?;
    for rank in 0..2 {
        page.enter("Spans of rank", &rank.to_string()).await?;
        let mut expect: Vec<(u64, u64, u64)> = entries
            .iter()
            .filter(|e| e["ph"] == "X" || e["ph"] == "b")
            .filter(|e| e["tid"] == rank && e["cat"] != "step")
            .map(|e| {
                let number = |value: &Value| value.as_u64().unwrap_or_default();
                let bytes = number(&e["args"]["bytes"]);
                // A collective is told by its two ends.
                let end = entries.iter().find(|end| end["ph"] == "e" && end["id"] == e["id"]);
                let took = match end {
                    Some(end) => number(&end["ts"]) - number(&e["ts"]),
                    None => number(&e["dur"]),
                };
                (number(&e["ts"]) - begin, took, bytes)
            })
            .collect();
        expect.sort();
        let is_equal = async |page: &Page| {
            let mut shown: Vec<(u64, u64, u64)> = Vec::new();
            for row in page.table("Spans").await? {
                let number = |text: &str| digits(text).parse().unwrap_or(0);
                shown.push((number(&row[4]), number(&row[5]), number(&row[6])));
            }
            shown.sort();
            Ok(shown == expect)
        };
        page.until(&format!("the table of rank {rank} to equal the trace"), is_equal).await?;
        ensure!(expect.len() > 20, "rank {rank} has but {} spans", expect.len());
    }
    Ok(())
}

#[test]
fn pictures_need_no_style_sheet() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=4", async |page, _| {
        page.until_ready(2).await?;
        page.script(CATCH, json!([])).await?;
        page.press("Run").await?;
        page.until_step(4).await?;
        page.until_status("Step on the timeline", "Step 4").await?;
        for (name, of) in [
            ("Ring", "ring"),
            ("Matrix", "matrix"),
            ("Loss curve", "curve"),
            ("Timeline", "timeline"),
            ("Traffic of each link", "links"),
        ] {
            let (file, kind, svg) = kept(page, &format!("{name} as SVG")).await?;
            let ending = format!("-step4-{of}.svg");
            ensure!(file.ends_with(&ending) && kind == "image/svg+xml", "{file} {kind}");
            ensure!(!svg.contains("var("), "{name}: {svg}");
            // It stands alone: parsed as a file, it is a drawing with a size and colours.
            let stands =
                "const svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
                 return svg.documentElement.nodeName === 'svg'
                     && +svg.documentElement.getAttribute('width') > 100
                     && svg.querySelector('title').textContent === arguments[1]
                     && svg.querySelectorAll('[fill], [stroke]').length > 3;";
            let title = file.trim_end_matches(".svg");
            let stands = page.script(stands, json!([svg, title])).await?;
            ensure!(stands == json!(true), "{name}: {svg}");
            let (file, kind, png) = kept(page, &format!("{name} as PNG")).await?;
            ensure!(file.ends_with(".png") && kind == "image/png", "{file} {kind}");
            ensure!(png.contains("PNG") && png.len() > 1000, "{name}: {} bytes", png.len());
        }
        Ok(())
    })
}

#[test]
fn the_command_and_the_link_are_those_of_the_run() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2&steps=3&layout=zigzag", async |page, site| {
        page.until_ready(2).await?;
        let command = page.text("#run-command").await?;
        ensure!(command == "ringside train --cp 2 --layout zigzag --steps 3", "{command}");
        let link = page.text("#run-link").await?;
        ensure!(link.starts_with(&site.url("")[..20]) && link.contains("#v=1&"), "{link}");
        page.enter("Strategy", "ulysses").await?;
        page.until("the new strategy", async |page| {
            let (command, link) = (page.text("#run-command").await?, page.text("#run-link").await?);
            Ok(command.contains("--strategy ulysses") && link.contains("strategy=ulysses"))
        })
        .await?;
        Ok(())
    })
}
