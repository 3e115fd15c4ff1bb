//! Measures the page on this machine and prints it; `cargo xtask bench` calls it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::site::Hosting;

const SPAN: Duration = Duration::from_secs(30);
const SETTLE: Duration = Duration::from_secs(5);
const READING: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(600);
/// What is printed as it stands on the page.
const TABLES: [&str; 4] = [
    "A step",
    "One long sequence, more and more ranks",
    "A message to the next rank",
    "Where a step's time goes",
];

/// Tasks of the main thread that took above 50 ms, which is what a browser calls long.
const WATCH: &str = "window.longTasks = [];
     new PerformanceObserver(list => longTasks.push(...list.getEntries().map(e => e.duration)))
         .observe({ type: 'longtask' });";

/// Prints what the Bench place of the page finds, table by table.
#[expect(clippy::print_stdout, reason = "its output is what it is for")]
fn place() -> Result<()> {
    open(Hosting::default(), "v=1&view=bench", async |page, _| {
        // The first workers also compile.
        tokio::time::sleep(SETTLE).await;
        page.press("Measure this machine").await?;
        let begun = Instant::now();
        page.until_status("Bench", "of").await?;
        while !page.status("Bench").await?.is_empty() {
            ensure!(begun.elapsed() < LONGEST, "the bench has not ended after {LONGEST:?}");
            tokio::time::sleep(READING).await;
        }
        ensure!(page.text(".bench .error").await?.is_empty(), "{}", page.text(".bench").await?);
        println!("\n{}", page.text("#bench-steps-title + .lead").await?);
        println!("{:<34} {:>12} {:>12}", "ms per step: d, heads, layers, T", "1 rank", "2 ranks");
        let rows = page.table("A step").await?;
        for pair in rows.chunks(2) {
            let [one, two] = pair else { continue };
            println!("{:<34} {:>12} {:>12}", one[0], one[3], two[3]);
        }
        for region in TABLES {
            println!("\n{region}");
            for row in page.table(region).await? {
                println!("{:<34} {}", row[0], row[1..].join("  "));
            }
        }
        Ok(())
    })
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
    place()
}
