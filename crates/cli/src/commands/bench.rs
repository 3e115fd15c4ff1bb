//! `ringside bench`: what this machine does, section by section.

mod balance;
mod memory;
mod speed;

use anyhow::Result;
use serde::Serialize;

use crate::args::BenchArgs;
use crate::output::{self, Style, table};

#[derive(Serialize)]
struct View {
    speed: Vec<speed::Speed>,
    memory: Vec<memory::Memory>,
    balance: Vec<balance::Balance>,
}

/// Runs the command.
pub fn run(args: &BenchArgs, style: Style) -> Result<()> {
    if let Some(seq_len) = args.peak_of {
        return output::json(&memory::of_this_process(seq_len)?);
    }
    if style == Style::Json {
        return output::json(&View {
            speed: speed::measure()?,
            memory: memory::measure()?,
            balance: balance::measure()?,
        });
    }
    // Each section is announced before it is measured: it takes its time.
    output::line("The default run, one kernel thread a rank; efficiency is speed-up by ranks.")?;
    output::line(speed::table(&speed::measure()?))?;
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
