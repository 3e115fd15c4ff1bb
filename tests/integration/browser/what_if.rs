//! What a step would do on other links: modelled beside what was measured, and in the address.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

const TABLE: &str = "Measured and modelled times by rank";
const ENDS_MEASURED: &str = "Done after, measured (µs)";
const ENDS_MODELLED: &str = "Done after, modelled (µs)";
const READING: &str = ".what-if .reading";

/// A number with the page's thin spaces.
fn number(text: &str) -> Result<u64> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().with_context(|| format!("{text:?} is no number"))
}

/// The step that is modelled, and microseconds measured and modelled: when the last rank is done.
async fn times(page: &Page) -> Result<[u64; 3]> {
    let words = page.text(".what-if .reading b").await?;
    let (step, _) = words.split_once(':').context("no step")?;
    let last = async |column: &str| -> Result<u64> {
        let ends = page.column(TABLE, column).await?;
        let ends: Vec<u64> = ends.iter().map(|end| number(end)).collect::<Result<_>>()?;
        ends.into_iter().max().context("no rank")
    };
    Ok([number(step)?, last(ENDS_MEASURED).await?, last(ENDS_MODELLED).await?])
}

/// The spans of waiting in the modelled lanes: by rank, microseconds as drawn.
async fn drawn_waits(page: &Page, world: usize, length_us: u64) -> Result<Vec<f64>> {
    let script = "const svg = document.querySelector('.what-if .modelled svg');
         return [svg.viewBox.baseVal.width, svg.querySelector('.wait-span').getAttribute('d')];";
    let drawn = page.script(script, json!([])).await?;
    let width = drawn[0].as_f64().context("a width")? - 34.0;
    let mut waits = vec![0.0; world];
    for rect in drawn[1].as_str().context("a path")?.split('M').skip(1) {
        let numbers: Vec<f64> = rect
            .split([' ', 'h', 'v', 'z'])
            .filter(|part| !part.is_empty())
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        let rank = ((numbers[1] - 22.0) / 44.0) as usize;
        waits[rank] += numbers[2] / width * length_us as f64;
    }
    Ok(waits)
}

#[test]
fn a_long_link_is_modelled_beside_what_was_measured() -> Result<()> {
    open(Hosting::default(), "v=1&cp=4&steps=50", async |page, site| {
        page.until_ready(4).await?;
        for step in 1..=3 {
            page.press("Step").await?;
            page.until_step(step).await?;
        }
        ensure!(page.text(READING).await?.is_empty(), "nothing was asked yet");
        page.enter("Link latency", "0").await?;
        page.until("a modelled step", async |page| Ok(!page.text(READING).await?.is_empty()))
            .await?;
        let [step, measured, near] = times(page).await?;
        ensure!(step == 3 && near <= measured, "{step}: {near} of {measured} µs");
        page.until_status("Step on the timeline", "Step 3").await?;
        let on_timeline = page.status("Step on the timeline").await?;
        // It is told in milliseconds there, with one digit.
        let tenths = (measured as f64 / 100.0).round() / 10.0;
        ensure!(on_timeline.ends_with(&format!(" {tenths:.1} ms")), "{on_timeline}: {measured} µs");

        page.enter("Link latency", "10000").await?;
        let is_far = async |page: &Page| Ok(times(page).await?[2] > near);
        page.until("a longer modelled step", is_far).await?;
        let [_, still, far] = times(page).await?;
        ensure!(still == measured, "what was measured has changed: {still}, {measured}");
        // Two layers forward and back, each of three hops and more.
        ensure!(far > 12 * 10_000, "{far} µs");
        let words = page.text(READING).await?;
        ensure!(words.contains("The ring waits for its blocks"), "{words}");
        ensure!(page.text(".what-if .modelled figcaption").await? == "Modelled, not measured");

        let told = page.column(TABLE, "Waits, modelled (µs)").await?;
        let drawn = drawn_waits(page, 4, far).await?;
        // A span is drawn at least a pixel wide, and to a tenth of one.
        for (rank, (told, drawn)) in told.iter().zip(drawn).enumerate() {
            let told = number(told)? as f64;
            ensure!((told - drawn).abs() < 0.06 * told, "rank {rank}: {told} µs, drawn {drawn}");
        }
        let words = page.text(".what-if .reading b").await?;
        let in_words = format!("{:.0} ms modelled", far as f64 / 1e3);
        ensure!(words.contains(&in_words), "{words}: {far} µs");

        let address = page.script("return location.hash;", json!([])).await?.to_string();
        ensure!(address.contains("link_latency_us=10000"), "{address}");
        ensure!(!address.contains("slow_"), "{address}");
        ensure!(page.step().await? == 3, "the run began anew");
        page.go(&site.url("v=1&cp=2&link_latency_us=1000&slow_rank=1&slow_factor=4")).await?;
        page.until_ready(2).await?;
        for (label, value) in [("Link latency", "1000"), ("Slow rank", "1"), ("Slowdown", "4")] {
            ensure!(page.value(label).await? == value, "{label}");
        }
        page.press("Step").await?;
        page.until("the slow rank", async |page| {
            Ok(page.text(READING).await?.contains("Rank 1 computes 4 times as long"))
        })
        .await?;
        Ok(())
    })
}
