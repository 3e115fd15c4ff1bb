//! Flags of `ringside train`.

use std::path::PathBuf;

use clap::Args;

use super::{RunArgs, value};

const EXAMPLES: &str = "\
Examples:
  ringside train
  ringside train --text my.txt --steps 500 --seq-len 512
  ringside train --task recall --cp 8 --layout zigzag --metrics losses.jsonl
  ringside train --config run.toml --lr 0.001 --trace trace.json
  ringside train --steps 200 --until 100 --save half.safetensors
  ringside train --steps 200 --resume half.safetensors --save whole.safetensors

A config file has the flags of a run as keys, for example:
  seq_len = 512
  cp = 8
  layout = \"zigzag\"
  documents = [200, 312]";

/// Flags of `ringside train`.
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrainArgs {
    /// The run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Stop once this many steps are done; --steps still shapes the learning rate
    #[arg(long, value_name = "STEPS", value_parser = value::steps, help_heading = "Training")]
    pub until: Option<u32>,
    /// Write a line of JSON for every step; with --resume, behind the lines that the file has
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Files")]
    pub metrics: Option<PathBuf>,
    /// Write what every rank did, for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE.json", help_heading = "Files")]
    pub trace: Option<PathBuf>,
    /// Write parameters, optimiser state and steps done at the end
    #[arg(long, value_name = "FILE.safetensors", help_heading = "Files")]
    pub save: Option<PathBuf>,
    /// Go on from a file that --save wrote
    #[arg(long, value_name = "FILE.safetensors", help_heading = "Files")]
    pub resume: Option<PathBuf>,
    /// Show no progress bar
    #[arg(long, short)]
    pub quiet: bool,
}
