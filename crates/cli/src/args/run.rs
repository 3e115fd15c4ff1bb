//! The flags that describe a run: one for each key of a config file, and where it runs.

use std::path::PathBuf;

use clap::Args;
use plan::{Fault, Layout, Optimizer, RunConfig, StrategyKind, Task};

use super::{MachineArgs, value};

/// What stands behind --fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultArg {
    /// A healthy run, whatever the config file says.
    Healthy,
    /// A run with this fault.
    Of(Fault),
    /// No run: the list of the faults.
    List,
}

impl From<FaultArg> for Option<Fault> {
    fn from(arg: FaultArg) -> Self {
        match arg {
            FaultArg::Of(fault) => Some(fault),
            FaultArg::Healthy | FaultArg::List => None,
        }
    }
}

/// Flags that describe a run; what is left out comes from --config, then from the default run.
#[derive(Clone, Debug, Default, Args)]
#[command(allow_negative_numbers = true)]
pub struct RunArgs {
    /// Read the run from a TOML file whose keys are the flags from --text to --threads, with
    /// underscores; flags given beside it win, and a path in it starts at the file's folder
    #[arg(long, value_name = "FILE.toml", help_heading = "Data")]
    pub config: Option<PathBuf>,
    /// Train on the bytes of this file
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub text: Option<PathBuf>,
    /// Built-in data
    #[arg(long, value_name = "NAME", value_parser = value::task(), help_heading = "Data")]
    pub task: Option<Task>,
    /// Tokens in a sequence
    #[arg(long, value_name = "TOKENS", value_parser = value::whole::<usize>, help_heading = "Data")]
    pub seq_len: Option<usize>,
    /// Lengths of packed documents, which never see each other; --seq-len is their sum
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = value::whole::<usize>, help_heading = "Data")]
    pub documents: Option<Vec<usize>>,
    /// Sequences a step on each dp replica
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Data")]
    pub batch: Option<usize>,
    /// Micro-batches that a step's gradient is summed over
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Data")]
    pub grad_accum: Option<usize>,

    /// Transformer layers
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Model")]
    pub layers: Option<usize>,
    /// Width of the model
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Model")]
    pub d_model: Option<usize>,
    /// Query heads
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Model")]
    pub heads: Option<usize>,
    /// Key/value heads [default: as many as --heads]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Model")]
    pub kv_heads: Option<usize>,
    /// How far back a query sees, itself included [default: to the beginning]
    #[arg(long, value_name = "TOKENS", value_parser = value::whole::<usize>, help_heading = "Model")]
    pub window: Option<usize>,
    /// Dropout on attention; only 0 is supported
    #[arg(long, value_name = "P", value_parser = value::number, help_heading = "Model")]
    pub dropout: Option<f64>,

    /// Ranks that share each sequence
    #[arg(long, value_name = "RANKS", value_parser = value::whole::<usize>, help_heading = "Parallelism")]
    pub cp: Option<usize>,
    /// Replicas of that group, each on its own sequences
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Parallelism")]
    pub dp: Option<usize>,
    /// How the ranks of a group share attention
    #[arg(long, value_name = "NAME", value_parser = value::strategy(), help_heading = "Parallelism")]
    pub strategy: Option<StrategyKind>,
    /// U of U x R ranks [default: the strategy chooses]
    #[arg(long, value_name = "U", value_parser = value::whole::<usize>, help_heading = "Parallelism")]
    pub ulysses_degree: Option<usize>,
    /// Which positions each rank holds
    #[arg(long, value_name = "NAME", value_parser = value::layout(), help_heading = "Parallelism")]
    pub layout: Option<Layout>,

    /// Optimiser steps, over which the learning rate rises and falls
    #[arg(long, value_name = "N", value_parser = value::steps, help_heading = "Training")]
    pub steps: Option<u32>,
    /// Peak learning rate
    #[arg(long, value_name = "RATE", value_parser = value::number, help_heading = "Training")]
    pub lr: Option<f64>,
    /// Steps over which the learning rate rises from 0
    #[arg(long, value_name = "N", value_parser = value::steps, help_heading = "Training")]
    pub warmup_steps: Option<u32>,
    /// How parameters follow gradients
    #[arg(long, value_name = "NAME", value_parser = value::optimizer(), help_heading = "Training")]
    pub optimizer: Option<Optimizer>,
    /// AdamW's decoupled weight decay
    #[arg(long, value_name = "RATE", value_parser = value::number, help_heading = "Training")]
    pub weight_decay: Option<f64>,
    /// Scale gradients of a larger global norm down to it; 0 turns it off
    #[arg(long, value_name = "NORM", value_parser = value::number, help_heading = "Training")]
    pub grad_clip: Option<f64>,
    /// Evaluate after every N steps; 0 is never
    #[arg(long, value_name = "N", value_parser = value::steps, help_heading = "Training")]
    pub eval_every: Option<u32>,
    /// Batches of an evaluation
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, help_heading = "Training")]
    pub eval_batches: Option<usize>,
    /// Seed of the parameters and the data
    #[arg(long, value_name = "SEED", value_parser = value::whole::<u64>, help_heading = "Training")]
    pub seed: Option<u64>,
    /// Train with a fault on purpose, to see its symptom; `list` says which there are and `none`
    /// is the default
    #[arg(long, value_name = "NAME", value_parser = value::fault(), hide_possible_values = true, help_heading = "Training")]
    pub fault: Option<FaultArg>,

    /// Where it runs.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Threads that each matrix product may use [default: $RAYON_NUM_THREADS, else 1: the ranks
    /// are the parallelism]
    #[arg(long, value_name = "N", value_parser = value::threads, help_heading = "Machine")]
    pub threads: Option<usize>,
}

impl RunArgs {
    /// These flags, and those of `base` where these are left out.
    pub fn over(self, base: Self) -> Self {
        macro_rules! over {
            ($($field:ident)*) => {
                Self {
                    machine: self.machine.over(base.machine),
                    $($field: self.$field.or(base.$field),)*
                }
            };
        }
        over!(
            config text task seq_len documents batch grad_accum layers d_model heads kv_heads window
            dropout cp dp strategy ulysses_degree layout steps lr warmup_steps optimizer weight_decay
            grad_clip eval_every eval_batches seed fault threads
        )
    }

    /// Puts every flag that was given over `config`.
    pub fn overlay(&self, config: &mut RunConfig) {
        macro_rules! overlay {
            ($($field:ident)*) => {
                $(if let Some(value) = &self.$field { config.$field = value.clone().into(); })*
            };
        }
        overlay!(
            task steps seq_len batch grad_accum layers d_model heads kv_heads cp dp strategy
            ulysses_degree layout documents window dropout lr warmup_steps optimizer weight_decay
            grad_clip eval_every eval_batches seed fault
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        run: RunArgs,
    }

    /// What the flags that `plan::flags` writes mean here.
    fn read_back(config: &RunConfig) -> RunConfig {
        let flags = plan::flags::flags(config);
        let words = flags.iter().flat_map(|(flag, value)| [format!("--{flag}"), value.clone()]);
        let line = Line::try_parse_from(std::iter::once("train".to_owned()).chain(words));
        let mut read = RunConfig::default();
        line.unwrap_or_else(|error| panic!("{flags:?}: {error}")).run.overlay(&mut read);
        read
    }

    #[test]
    fn the_line_that_the_page_copies_means_the_same_run() {
        let other = RunConfig {
            task: Task::Recall,
            steps: 7,
            seq_len: 128,
            batch: 4,
            grad_accum: 2,
            layers: 1,
            d_model: 96,
            heads: 6,
            kv_heads: Some(3),
            cp: 6,
            dp: 2,
            strategy: StrategyKind::Usp,
            ulysses_degree: Some(3),
            layout: Layout::Striped,
            documents: vec![64, 60, 4],
            window: Some(33),
            dropout: 0.25,
            lr: 1.0 / 3.0,
            warmup_steps: 0,
            optimizer: Optimizer::Sgd,
            weight_decay: 1e-9,
            grad_clip: 0.0,
            eval_every: 3,
            eval_batches: 2,
            seed: u64::MAX,
            fault: Some(Fault::LocalPositions),
        };
        assert_eq!(read_back(&RunConfig::default()), RunConfig::default());
        assert_eq!(read_back(&other), other);
        assert_eq!(plan::flags::flags(&other).len(), 26, "a new setting needs a flag as well");
    }
}
