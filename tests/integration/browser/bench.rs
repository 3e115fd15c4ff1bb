//! Measures the page on this machine and prints it; `cargo xtask bench` calls it.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::drive::open;
use super::site::Hosting;

const SPAN: Duration = Duration::from_secs(30);
const SETTLE: Duration = Duration::from_secs(5);
const READING: Duration = Duration::from_millis(500);
const READINGS: usize = 10;

/// Tasks of the main thread that took above 50 ms, which is what a browser calls long.
const WATCH: &str = "window.longTasks = [];
     new PerformanceObserver(list => longTasks.push(...list.getEntries().map(e => e.duration)))
         .observe({ type: 'longtask' });";

/// What the page says of its speed, with thin spaces between the digits.
const TOKENS_PER_SECOND: &str = "return [...document.querySelectorAll('dl.numbers div')]
    .find(entry => entry.querySelector('dt').textContent === 'Tokens/s')
    .querySelector('dd').textContent;";

/// (d_model, heads, layers, tokens), as `ringside bench` has them.
const SHAPES: [(u32, u32, u32, u32); 3] = [(64, 4, 2, 256), (128, 4, 4, 256), (128, 4, 4, 1024)];

/// Milliseconds of a step, by the page's own tokens a second over its last ten steps: the best of
/// some readings.
#[expect(clippy::print_stdout, reason = "its output is what it is for")]
fn shapes() -> Result<()> {
    println!("\n{:<34} {:>12} {:>12}", "ms per step: d, heads, layers, T", "1 rank", "2 ranks");
    for (d, heads, layers, tokens) in SHAPES {
        let mut best = [f64::INFINITY; 2];
        for (ranks, best) in (1..).zip(&mut best) {
            let address = format!(
                "v=1&cp={ranks}&d_model={d}&heads={heads}&layers={layers}&seq_len={tokens}\
                 &layout=zigzag&steps=10000"
            );
            open(Hosting::default(), &address, async |page, _| {
                page.until_ready(ranks).await?;
                tokio::time::sleep(SETTLE).await;
                page.press("Run").await?;
                page.until_step(15).await?;
                for _ in 0..READINGS {
                    tokio::time::sleep(READING).await;
                    let text = page.script(TOKENS_PER_SECOND, json!([])).await?;
                    let digits = text.as_str().unwrap_or_default().replace('\u{202f}', "");
                    *best = best.min(1e3 * f64::from(tokens) / digits.parse::<f64>()?);
                }
                Ok(())
            })?;
        }
        let sizes = format!("{d}, {heads}, {layers}, {tokens}");
        println!("{sizes:<34} {:>12.1} {:>12.1}", best[0], best[1]);
    }
    Ok(())
}

#[test]
#[ignore = "it measures, and takes minutes"]
#[expect(clippy::print_stdout, reason = "its output is what it is for")]
fn bench_page() -> Result<()> {
    open(Hosting::default(), "v=1&steps=100000", async |page, _| {
        page.until_ready(4).await?;
        // Right after loading, the browser still compiles in the background, on the same cores.
        tokio::time::sleep(SETTLE).await;
        page.press("Test the links").await?;
        page.until_status("Links", "laws").await?;
        println!("\n{:<34} {:>12}", "round trip to the next rank", "median");
        for row in page.table("Links").await? {
            println!("{:<34} {:>12}", row[0], row[1]);
        }
        page.script(WATCH, json!([])).await?;
        page.press("Run").await?;
        // The first steps also load code.
        page.until_step(5).await?;
        let (first, begun) = (page.step().await?, Instant::now());
        page.script("longTasks.length = 0;", json!([])).await?;
        tokio::time::sleep(SPAN).await;
        let steps = f64::from(page.step().await? - first);
        let rate = steps / begun.elapsed().as_secs_f64();
        let long = page.script("return longTasks;", json!([])).await?;
        let long: Vec<f64> = serde_json::from_value(long)?;
        println!("\n{:<34} {:>12}", "default run, 4 ranks", "");
        println!("{:<34} {:>12.1}", "steps per second", rate);
        println!("{:<34} {:>12}", "tasks above 50 ms in 30 s", long.len());
        let longest = long.iter().copied().fold(0.0, f64::max);
        let longest =
            if long.is_empty() { "< 50 ms".to_owned() } else { format!("{longest:.0} ms") };
        println!("{:<34} {:>12}", "longest of them", longest);
        Ok(())
    })?;
    shapes()
}
