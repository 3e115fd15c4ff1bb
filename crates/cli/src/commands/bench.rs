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
    let view =
        View { speed: speed::measure()?, memory: memory::measure()?, balance: balance::measure()? };
    if style == Style::Json {
        return output::json(&view);
    }
    output::line("The default run, one kernel thread a rank; efficiency is speed-up by ranks.")?;
    output::line(speed::table(&view.speed))?;
    output::line(format!(
        "\nMemory of a rank at ring, {} ranks; measured is the process's growth by ranks.",
        memory::RANKS
    ))?;
    output::line(memory::table(&view.memory))?;
    output::line(format!(
        "\nWork of the slowest rank by the mean, {} tokens on {} ranks.",
        balance::SEQ_LEN,
        balance::RANKS
    ))?;
    output::line(balance::table(&view.balance))
}

/// Two decimals, at the right.
fn ratio(value: f64) -> comfy_table::Cell {
    table::right(format!("{value:.2}"))
}
