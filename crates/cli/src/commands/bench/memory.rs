//! Memory of a rank as the sequence grows, predicted beside measured.
//!
//! A process's peak cannot be set back, so each length is measured in a child of its own.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use plan::{RunConfig, memory::memory};
use serde::{Deserialize, Serialize};

use crate::args::MachineArgs;
use crate::commands::train::{Range, train};
use crate::job::Job;
use crate::output::table;
use crate::ranks::Clock;

/// Ranks in every measurement.
pub const RANKS: usize = 4;
const SEQ_LENS: [usize; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// Bytes of a rank at one sequence length.
#[derive(Debug, Serialize)]
pub struct Memory {
    seq_len: usize,
    tokens_per_rank: usize,
    /// Activations, keys and values by the plan: what grows with the sequence.
    predicted: u64,
    /// Parameters, gradients and optimiser state by the plan: what does not.
    predicted_fixed: u64,
    /// How much the process grew at its peak, by ranks; absent where the system does not tell.
    measured: Option<u64>,
}

/// What a child says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct Peak {
    /// Bytes, `None` where the system does not tell.
    growth: Option<u64>,
}

/// Measures every length in a process of its own.
pub fn measure() -> Result<Vec<Memory>> {
    SEQ_LENS
        .into_iter()
        .map(|seq_len| {
            let job = job(seq_len)?;
            let rank = memory(&job.plan)[0];
            let growth = child(seq_len)?.growth;
            Ok(Memory {
                seq_len,
                tokens_per_rank: seq_len / RANKS,
                predicted: rank.activations + rank.kv,
                predicted_fixed: rank.parameters + rank.gradients + rank.optimizer,
                measured: growth.map(|bytes| bytes / RANKS as u64),
            })
        })
        .collect()
}

/// Trains one step and says how much memory that took at its peak.
pub fn of_this_process(seq_len: usize) -> Result<Peak> {
    let job = job(seq_len)?;
    let before = status("VmRSS:");
    train(&job, Range { from: 0, to: 1 }, Clock::Wall, None, false, |_| Ok(()))?;
    let growth = before.zip(status("VmHWM:")).map(|(before, peak)| peak.saturating_sub(before));
    Ok(Peak { growth })
}

fn job(seq_len: usize) -> Result<Job> {
    Job::of(RunConfig { seq_len, cp: RANKS, steps: 1, ..RunConfig::default() }, &MachineArgs::CPU)
}

fn child(seq_len: usize) -> Result<Peak> {
    let program = std::env::current_exe().context("this program's own path")?;
    let output = Command::new(program)
        .args(["bench", "--json", "--peak-of", &seq_len.to_string()])
        .output()
        .context("starting this program again")?;
    ensure!(
        output.status.success(),
        "one step of {seq_len} tokens failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    serde_json::from_slice(&output.stdout).context("what the child printed")
}

/// A line of Linux's /proc/self/status, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The section as people read it.
pub fn table(all: &[Memory]) -> comfy_table::Table {
    let mut rows = table::new([
        "tokens",
        "tokens a rank",
        "predicted, grows",
        "predicted, fixed",
        "measured",
        "measured a token",
    ]);
    for memory in all {
        let known = |of: fn(u64, u64) -> u64| match memory.measured {
            Some(bytes) => table::bytes(of(bytes, memory.tokens_per_rank as u64)),
            None => "unknown".to_owned(),
        };
        rows.add_row([
            table::right(memory.seq_len),
            table::right(memory.tokens_per_rank),
            table::right(table::bytes(memory.predicted)),
            table::right(table::bytes(memory.predicted_fixed)),
            table::right(known(|bytes, _| bytes)),
            table::right(known(|bytes, tokens| bytes / tokens)),
        ]);
    }
    rows
}
