//! Flags of `ringside inspect runtime`.

use clap::Args;
use plan::runtime::{Feature, Preset};

use super::{MachineArgs, value};

/// What is asked of a machine, and of which.
#[derive(Clone, Debug, Default, Args)]
#[command(allow_negative_numbers = true)]
pub struct RuntimeArgs {
    /// The machine; a simulated one has a program built with all that it can use [default: this]
    #[arg(long, value_name = "MACHINE", value_parser = value::preset())]
    pub simulate: Option<Preset>,
    /// Ranks [default: as many as the backend offers by itself]
    #[arg(long, value_name = "RANKS", value_parser = value::whole::<usize>)]
    pub world_size: Option<usize>,
    /// What the training code wants to use
    #[arg(long = "feature", value_name = "NAMES", value_delimiter = ',', value_parser = value::feature())]
    pub features: Vec<Feature>,
    /// The machine's flags.
    #[command(flatten)]
    pub machine: MachineArgs,
}
