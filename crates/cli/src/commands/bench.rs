//! `ringside bench`: what this machine does, section by section.

mod balance;
mod memory;
mod speed;

use anyhow::Result;
use plan::WorldSize;
use serde::Serialize;

use crate::args::BenchArgs;
use crate::device;
use crate::output::{self, Style, table};

#[derive(Serialize)]
struct View {
    speed: Vec<speed::Speed>,
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
    // Before anything is measured: what cannot be had is refused at once.
    let on_cpu = device::resolve(&args.machine(), WorldSize::ONE)?.devices.is_cpu();
    if style == Style::Json {
        let speed = speed::measure(&args.machine())?;
        return output::json(&match on_cpu {
            true => View { speed, memory: memory::measure()?, balance: balance::measure()? },
            false => View { speed, memory: Vec::new(), balance: Vec::new() },
        });
    }
    // Each section is announced before it is measured: it takes its time.
    output::line("The default run, one kernel thread a rank; efficiency is speed-up by ranks.")?;
    output::line(speed::table(&speed::measure(&args.machine())?))?;
    if !on_cpu {
        return Ok(());
    }
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

/// Two decimals, at the right.
fn ratio(value: f64) -> comfy_table::Cell {
    table::right(format!("{value:.2}"))
}
