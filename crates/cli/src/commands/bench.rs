//! `ringside bench`: what this machine does, section by section.

mod balance;
mod compare;
mod equal_work;
mod hop;
mod memory;
mod profile;
mod shapes;
mod sharing;
mod speed;

use anyhow::Result;
use plan::WorldSize;
use plan::bench::{Bench, File, KIND, SHARED_TOKENS};
use serde::Serialize;

use crate::args::{BenchArgs, ProfileShape};
use crate::device;
use crate::output::{self, Style, table};

fn json(kind: &'static str, holds: impl Serialize) -> Result<()> {
    output::json(&File::new(kind, holds))
}

#[derive(Default, Serialize)]
struct View {
    speed: Vec<speed::Speed>,
    /// What the page measures as well.
    #[serde(flatten)]
    both: Bench,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<memory::Memory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    balance: Vec<balance::Balance>,
}

/// Runs the command.
pub fn run(args: &BenchArgs, style: Style) -> Result<()> {
    if let Some(seq_len) = args.peak_of {
        return output::json(&memory::of_this_process(seq_len)?);
    }
    if let Some(paths) = &args.compare {
        return compare::run(paths, style);
    }
    if let Some(folder) = &args.equal_work {
        return equal(folder, style);
    }
    if let Some(shape) = args.profile {
        return profile(shape, args.ranks, style);
    }
    // Before anything is measured: what cannot be had is refused at once.
    let on_cpu = device::resolve(&args.machine(), WorldSize::ONE)?.devices.is_cpu();
    if style == Style::Json {
        let speed = speed::measure(&args.machine())?;
        let view = match on_cpu {
            true => {
                let peak = shapes::peak()?;
                let both = Bench {
                    peak_gflops: Some(peak),
                    shapes: shapes::measure(peak)?,
                    sharing: sharing::measure()?,
                    hops: hop::measure()?,
                    ..Bench::default()
                };
                View { speed, both, memory: memory::measure()?, balance: balance::measure()? }
            }
            false => View { speed, ..View::default() },
        };
        return json(KIND, view);
    }
    // Each section is announced before it is measured: it takes its time.
    output::line("The default run, one kernel thread a rank; efficiency is speed-up by ranks.")?;
    output::line(speed::table(&speed::measure(&args.machine())?))?;
    if !on_cpu {
        return Ok(());
    }
    let peak = shapes::peak()?;
    output::line(format!(
        "\nThe quickest step, optimiser included; the peak is {peak:.0} GFLOP/s a core, of a large \
         matrix product. dp 2: two replicas train a sequence each, told by sequence; about the \
         best that two cores can do for ranks that share one."
    ))?;
    output::line(shapes::table(&shapes::measure(peak)?))?;
    output::line(format!(
        "\nWhat sharing costs: time computed by all ranks, {} tokens, zigzag, ring, by that of one rank \
         alone and of one while as many cores work on sequences of their own; efficiency is speed-up \
         by the cores that there are for them.",
        SHARED_TOKENS
    ))?;
    output::line(sharing::table(&sharing::measure()?))?;
    output::line(
        "\nA hop from thread to thread, half a round trip: handed on as it came, or copied by each.",
    )?;
    output::line(hop::table(&hop::measure()?))?;
    output::line(format!(
        "\nMemory of a rank at ring, {} ranks; measured is the process's growth by ranks.",
        memory::RANKS
    ))?;
    output::line(memory::table(&memory::measure()?))?;
    output::line(format!(
        "\nWork of the slowest rank by the mean, {} tokens on {} ranks.",
        balance::SEQ_LEN,
        balance::RANKS
    ))?;
    output::line(balance::table(&balance::measure()?))
}

fn profile(shape: ProfileShape, ranks: usize, style: Style) -> Result<()> {
    let view = profile::measure(shape, ranks, shapes::peak()?)?;
    if style == Style::Json {
        return json("profile", view);
    }
    output::line(profile::title(&view))?;
    output::line(profile::table(&view))?;
    output::line(profile::summary(&view))
}

fn equal(folder: &std::path::Path, style: Style) -> Result<()> {
    #[derive(Serialize)]
    struct Steps {
        steps: Vec<equal_work::Equal>,
    }
    let steps = equal_work::measure(folder)?;
    if style == Style::Json {
        return json("equal work", Steps { steps });
    }
    output::line("Forward and backward from the reference's weights; quickest and mean step.")?;
    output::line(equal_work::table(&steps))
}

/// Two decimals, at the right.
fn ratio(value: f64) -> comfy_table::Cell {
    table::right(format!("{value:.2}"))
}
