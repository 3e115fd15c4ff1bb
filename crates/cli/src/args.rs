//! The command line as clap parses it.

mod bench;
mod doctor;
mod inspect;
mod machine;
mod run;
mod runtime;
mod train;
mod value;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use plan::RunConfig;

pub use bench::{BenchArgs, ProfileShape};
pub use doctor::DoctorArgs;
pub use inspect::{InspectArgs, Shape, View};
pub use machine::{BackendName, DeviceName, MachineArgs};
pub use run::{FaultArg, RunArgs};
pub use runtime::RuntimeArgs;
pub use train::TrainArgs;

const EXAMPLES: &str = "\
Examples:
  ringside                                       the default run: 4 ranks, a ring, 200 steps
  ringside train --text my.txt --layout zigzag   train on a file
  ringside verify --cp 8 --strategy all-gather   compare with one rank in f64
  ringside inspect schedule --seq-len 8 --cp 2   who computes which tile
  ringside bench                                 what this machine does
  ringside doctor --accelerate-config cp.yaml    what that configuration will do
  ringside faults                                what can be wrong with a run on purpose

Exit codes: 0 done, 1 the run failed, 2 the request cannot be met.";

/// Context parallelism that happens: W ranks share each sequence and train one small GPT.
///
/// Without a command it trains the default run, as `ringside train` does.
#[derive(Debug, Parser)]
#[command(name = "ringside", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    /// Print JSON for machines, one object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train a GPT on the ranks, each a thread
    Train(TrainArgs),
    /// Compare loss, logits and every gradient with a one-rank run in f64
    Verify(VerifyArgs),
    /// Print what is known of a run before it begins
    Inspect(InspectArgs),
    /// Measure this machine: time per step, memory of a rank, balance of zigzag
    Bench(BenchArgs),
    /// Say what an accelerate configuration will do, and why
    Doctor(DoctorArgs),
    /// List what can be wrong with a run on purpose, each with its symptom
    #[command(after_help = FAULTS_EXAMPLES)]
    Faults,
}

impl Default for Command {
    fn default() -> Self {
        Self::Train(TrainArgs::default())
    }
}

impl Command {
    /// The flags of the run that it is about.
    pub fn run_mut(&mut self) -> Option<&mut RunArgs> {
        match self {
            Self::Train(args) => Some(&mut args.run),
            Self::Verify(args) => Some(&mut args.run),
            Self::Inspect(_) | Self::Doctor(_) | Self::Bench(_) | Self::Faults => None,
        }
    }

    /// Threads that each matmul may use; `None` where nothing is multiplied.
    pub fn kernel_threads(&self) -> Option<KernelThreads> {
        let of_run = |run: &RunArgs| {
            Some(run.threads.map_or(KernelThreads::FromEnvironment, KernelThreads::Exactly))
        };
        match self {
            Self::Train(args) => of_run(&args.run),
            Self::Verify(args) => of_run(&args.run),
            Self::Inspect(_) | Self::Doctor(_) | Self::Faults => None,
            // What it measures is one thread a rank.
            Self::Bench(_) => Some(KernelThreads::Exactly(1)),
        }
    }
}

/// Threads that each matmul may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelThreads {
    /// So many.
    Exactly(usize),
    /// What the user has set in the environment, else 1.
    FromEnvironment,
}

const FAULTS_EXAMPLES: &str = "\
Examples:
  ringside faults
  ringside train --task recall --batch 8 --seq-len 64 --steps 300 --fault no-exchange
  ringside train --layout striped --fault shift-after-sharding
  ringside train --task recall --fault mean-of-means
  ringside train --cp 8 --seq-len 64 --batch 4 --fault local-positions
  ringside verify --fault local-positions

Each of these runs shows its symptom beside the same line without --fault. Where recall is asked, all
tokens that count lie on the last rank of contiguous slices, so that a mean of means is 1 / cp of the
loss, and its gradient too.";

const VERIFY_EXAMPLES: &str = "\
Examples:
  ringside verify
  ringside verify --cp 8 --layout zigzag --seq-len 250 --kv-heads 2
  ringside verify --dp 2 --cp 4 --strategy usp --documents 100,156 --json

The ranks compute in f32. The relative norm ||a - b|| / ||b|| of the loss, the logits and each
gradient must be at most 1e-5, or 1e-4 on CUDA; otherwise the exit code is 1. The reference runs
on the CPU.

What is compared is the first step's batch at the first parameters. So a run's line can be taken
as it is; of its training flags, --seed alone changes what is computed.";

/// Flags of `ringside verify`.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    /// The run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Parses the process's arguments; ends the process with clap's message where they are wrong.
pub fn parse() -> Cli {
    let matches = command().get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The command with the default run's values in its help, so that they are written down once.
fn command() -> clap::Command {
    let defaults = serde_json::to_value(RunConfig::default()).unwrap_or_default();
    with_defaults(Cli::command(), &defaults)
}

fn with_defaults(command: clap::Command, defaults: &serde_json::Value) -> clap::Command {
    command
        .mut_args(|arg| {
            let shown = match (arg.get_action(), &defaults[arg.get_id().as_str()]) {
                (ArgAction::Set, serde_json::Value::Number(number)) => number.to_string(),
                (ArgAction::Set, serde_json::Value::String(text)) => text.clone(),
                _ => return arg,
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            arg.help(format!("{help} [default: {shown}]"))
        })
        .mut_subcommands(|sub| with_defaults(sub, defaults))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_shows_the_default_run() {
        let mut command = command();
        let train = command.find_subcommand_mut("train").expect("there is such a command");
        let help = train.render_help().to_string();
        assert!(help.contains("Tokens in a sequence [default: 256]"), "{help}");
        assert!(help.contains("[default: ring]") && help.contains("[default: 0.003]"), "{help}");
    }

    #[test]
    fn every_key_of_a_run_is_a_flag() {
        let mut command = command();
        let train = command.find_subcommand_mut("train").expect("there is such a command");
        let flags: Vec<_> = train.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let config = serde_json::to_value(RunConfig::default()).expect("a config is JSON");
        for key in config.as_object().expect("an object").keys() {
            assert!(flags.contains(key), "--{key} is missing");
        }
    }
}
