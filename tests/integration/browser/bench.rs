//! How fast the page and its workers are on this machine; `cargo xtask bench` prints it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use plan::bench::{
    Bench, File, Heard, Hop, KIND, Profiled, SHARED_TOKENS, Shape, Sharing, Sizes, Task,
};
use plan::command::{Command, Report, RunId};
use plan::profile::Kind;
use plan::{RunConfig, RunPlan};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

const SPAN: Duration = Duration::from_secs(30);
const SETTLE: Duration = Duration::from_secs(5);
const READING: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(300);
/// Names the file of JSON to write.
const JSON: &str = "RINGSIDE_BENCH_JSON";

/// Tasks of the main thread that took above 50 ms, which is what a browser calls long.
const WATCH: &str = "window.longTasks = [];
     new PerformanceObserver(list => longTasks.push(...list.getEntries().map(e => e.duration)))
         .observe({ type: 'longtask' });";

/// Ranks of their own, on which nobody watches: files, code and links are as the page's, what they
/// are told comes as bytes by rank. `measured` holds what each has said since it was ready.
const MEASURE: &str = "const commands = arguments[0].map(bytes => Uint8Array.from(bytes));
     const address = file => performance.getEntriesByType('resource').map(entry => entry.name)
         .find(name => name.includes(file));
     window.code ??= WebAssembly.compileStreaming(fetch(address('worker_bg.wasm')));
     const ports = commands.map(() => commands.map(() => null));
     for (let a = 0; a < commands.length; a += 1) for (let b = 0; b < a; b += 1) {
         const link = new MessageChannel();
         [ports[a][b], ports[b][a]] = [link.port1, link.port2];
     }
     window.measured = commands.map(() => []);
     window.ranks?.forEach(rank => rank.terminate());
     window.ranks = commands.map((command, rank) => {
         const worker = new Worker(address('worker_loader.js'), { type: 'module' });
         code.then(code => worker.postMessage(code));
         let ready = false;
         worker.onmessage = ({ data }) => {
             if (ready) return measured[rank].push([...data]);
             ready = true;
             const given = ports[rank].filter(port => port);
             worker.postMessage([command, ...ports[rank]], [command.buffer, ...given]);
         };
         return worker;
     });";

/// What a world of `ranks` says once each has said something: `command` is told to each.
async fn said(page: &Page, ranks: usize, command: impl Fn(u16) -> Command) -> Result<Vec<Report>> {
    let commands = (0..ranks as u16).map(|rank| postcard::to_allocvec(&command(rank)));
    let commands = commands.collect::<Result<Vec<_>, _>>()?;
    page.script(MEASURE, json!([commands])).await?;
    let begun = Instant::now();
    let script = "return measured.every(said => said.length) ? measured : null;";
    let said: Vec<Vec<Vec<u8>>> = loop {
        tokio::time::sleep(READING).await;
        let said = page.script(script, json!([])).await?;
        if !said.is_null() {
            break serde_json::from_value(said)?;
        }
        ensure!(begun.elapsed() < LONGEST, "{:?} has not ended after {LONGEST:?}", command(0));
    };
    page.script("ranks.forEach(rank => rank.terminate());", json!([])).await?;
    Ok(said.iter().flatten().map(|bytes| postcard::from_bytes(bytes)).collect::<Result<_, _>>()?)
}

/// What the ranks of `task` say, and the peak where one is alone.
async fn measured(page: &Page, task: Task) -> Result<(Option<f64>, Vec<Heard>)> {
    let ((config, warm_up, steps), (_, ranks)) = (task.run(), task.sizes());
    let measure = |rank| {
        let (run, config) = (RunId(1), Box::new(config.clone()));
        Command::Measure { run, rank, config, warm_up, steps }
    };
    let (mut peak, mut heard) = (None, Vec::new());
    for report in said(page, ranks, measure).await? {
        match report {
            Report::Measured { peak_gflops, took_us, profile, .. } => {
                peak = peak.or(peak_gflops);
                heard.push((took_us, profile));
            }
            other => bail!("{task:?}: {other:?}"),
        }
    }
    Ok((peak, heard))
}

/// Half a round trip of messages of some sizes between two workers.
async fn hops(page: &Page) -> Result<Vec<Hop>> {
    let test = |rank| Command::SelfTest { run: RunId(1), rank, world_size: 2 };
    match said(page, 2, test).await?.into_iter().next() {
        Some(Report::SelfTested { round_trips, .. }) => {
            Ok(round_trips.into_iter().map(|(bytes, us)| Hop::copied(bytes, us / 2.0)).collect())
        }
        other => bail!("{other:?}"),
    }
}

/// Measures and prints steps, sharing and profiles, and writes all of it to a file of JSON if one
/// is named.
fn steps() -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    open(Hosting::default(), "v=1&cp=1", async |page, _| {
        page.until_ready(1).await?;
        let machine = page.script("return navigator.userAgent;", json!([])).await?;
        let machine = machine.as_str().unwrap_or_default().to_owned();
        let mut bench = Bench { machine, hops: hops(page).await?, ..Bench::default() };
        for task in Task::all() {
            let (peak, heard) = measured(page, task).await?;
            bench.peak_gflops = bench.peak_gflops.or(peak);
            bench.note(task, cores, heard);
        }
        print(&bench);
        if let Some(path) = std::env::var_os(JSON) {
            std::fs::write(path, serde_json::to_vec_pretty(&File::new(KIND, &bench))?)?;
        }
        Ok(())
    })
}

#[expect(clippy::print_stdout, reason = "its output is what it is for")]
fn print(bench: &Bench) {
    let peak = bench.peak_gflops.unwrap_or(f64::NAN);
    println!("\na large matrix product in a worker: {peak:.1} GFLOP/s");
    println!("{:<34} {:>12} {:>12}", "ms per step: d, heads, layers, T", "1 rank", "2 ranks");
    for shape in &bench.shapes {
        let Shape { d_model, heads, layers, seq_len, milliseconds, .. } = shape;
        let ms: Vec<f64> = milliseconds.iter().map(|step| step.milliseconds).collect();
        let sizes = format!("{d_model}, {heads}, {layers}, {seq_len}");
        println!("{sizes:<34} {:>12.1} {:>12.1}", ms[0], ms[1]);
        let of_peak: Vec<String> =
            milliseconds.iter().map(|step| format!("{:.0} %", 1e2 * step.of_peak)).collect();
        let by_one = ms[1] / ms[0];
        println!("  of the peak {}; two ranks by one {by_one:.2}", of_peak.join(", "));
        if let Some(replicas) = &shape.replicas {
            let by_one = replicas.milliseconds / ms[0];
            println!("  two replicas, by sequence, by one rank {by_one:.2}");
        }
    }
    println!("\n{SHARED_TOKENS} tokens, ring, zigzag: ms per step on 1, 2, 4, 8 ranks");
    for Sharing { world_size, wall_seconds, efficiency, .. } in &bench.sharing {
        println!("  {world_size}: {:.0} ms, efficiency {efficiency:.2}", 1e3 * wall_seconds);
    }
    for Hop { bytes, copied_microseconds: us, copied_gigabytes_per_s: rate, .. } in &bench.hops {
        println!("a hop of {bytes} bytes: {us:.0} us, {rate:.2} GB/s");
    }
    for Profiled { sizes, world_size, mean } in &bench.profiles {
        let Sizes { d_model, heads, layers, seq_len } = sizes;
        println!(
            "\nwhere a step goes: {d_model}, {heads}, {layers}, {seq_len}, ranks {world_size}"
        );
        let percent = |kind| 1e2 * mean.share(kind);
        println!(
            "  {:.1} % in kernels, {:.1} % in messages and waiting, {:.1} % outside both",
            percent(Kind::Kernel),
            percent(Kind::Exchange),
            percent(Kind::Upkeep)
        );
        println!("  {:<28} {:>6} {:>8} {:>6} {:>8}", "operation", "times", "ms", "%", "GFLOP/s");
        for operation in &mean.operations {
            let rate = operation.gflops().map_or_else(String::new, |rate| format!("{rate:.1}"));
            println!(
                "  {:<28} {:>6.0} {:>8.3} {:>6.1} {rate:>8}",
                operation.operation,
                operation.count,
                1e3 * operation.seconds,
                1e2 * operation.seconds / mean.seconds
            );
        }
    }
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
    steps()
}

#[test]
fn ranks_that_nobody_watches_tell_what_their_steps_took_and_did() -> Result<()> {
    let config = RunConfig { cp: 2, seq_len: 64, layers: 1, steps: 7, ..RunConfig::default() };
    let plan = RunPlan::new(config.clone())?;
    open(Hosting::default(), "v=1&cp=1", async |page, _| {
        page.until_ready(1).await?;
        let measure = |rank| {
            let (run, config) = (RunId(1), Box::new(config.clone()));
            Command::Measure { run, rank, config, warm_up: 1, steps: 3 }
        };
        let said = said(page, 2, measure).await?;
        for (rank, report) in plan.mesh().world().ranks().zip(said) {
            let Report::Measured { peak_gflops, took_us, profile, .. } = report else {
                bail!("{report:?}");
            };
            ensure!(peak_gflops.is_none() && took_us.len() == 3, "{took_us:?}");
            ensure!(took_us.iter().all(|&us| us > 0) && profile.steps == 3);
            let gflop = plan::work::step(&plan, rank) as f64 * 1e-9;
            ensure!((profile.gflop() - gflop).abs() < 1e-9 * gflop, "{profile:?}");
            ensure!(profile.share(Kind::Kernel) > 0.0 && profile.share(Kind::Exchange) > 0.0);
        }
        // A world that cannot be had is refused by each of its ranks.
        let wrong = RunConfig { heads: 5, ..config.clone() };
        let measure = |rank| {
            let (run, config) = (RunId(2), Box::new(wrong.clone()));
            Command::Measure { run, rank, config, warm_up: 1, steps: 3 }
        };
        for report in self::said(page, 2, measure).await? {
            let Report::Failed { message, .. } = report else { bail!("{report:?}") };
            ensure!(message.contains("heads"), "{message}");
        }
        Ok(())
    })
}
