//! Flags of `ringside inspect`.

use clap::{Args, Subcommand};
use plan::{Layout, Optimizer, StrategyKind};

use super::{RuntimeArgs, value};

const EXAMPLES: &str = "\
Examples:
  ringside inspect shard --seq-len 8 --cp 2 --layout zigzag
  ringside inspect targets --ids 1,2,3,4,5,6,7,8 --cp 2
  ringside inspect schedule --seq-len 4096 --cp 8 --layout striped
  ringside inspect traffic --seq-len 4096 --cp 4 --strategy ulysses --heads 8 --json
  ringside inspect mesh --dp 2 --cp 4
  ringside inspect runtime --simulate h100-node";

const RUNTIME_EXAMPLES: &str = "\
Examples:
  ringside inspect runtime
  ringside inspect runtime --simulate h100-two-nodes --world-size 16
  ringside inspect runtime --simulate colab-t4 --device cuda --force-cpu --json

What cannot be had is refused at the end of the trail, with exit code 2.";

/// Flags of `ringside inspect`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// What to print
    #[command(subcommand)]
    pub view: View,
}

/// What to print. Every view of a run takes the same flags and reads those that concern it.
#[derive(Debug, Subcommand)]
pub enum View {
    /// Which positions each rank holds
    #[command(after_help = "Example:\n  ringside inspect shard --seq-len 8 --cp 2 --layout zigzag")]
    Shard(Shape),
    /// Each rank's token ids and targets, -100 for none
    #[command(after_help = "Example:\n  ringside inspect targets --ids 1,2,3,4,5,6,7,8 --cp 2")]
    Targets {
        /// Token ids of the whole sequence
        #[arg(long, required = true, value_name = "IDS", value_delimiter = ',', allow_hyphen_values = true, value_parser = value::whole::<i64>)]
        ids: Vec<i64>,
        /// How the sequence is shared.
        #[command(flatten)]
        shape: Shape,
    },
    /// Which tile of attention each rank computes at each step, and how even the work is
    #[command(
        after_help = "Example:\n  ringside inspect schedule --seq-len 64 --cp 4 --layout striped"
    )]
    Schedule(Shape),
    /// Messages and bytes that a rank sends for one layer, in f32
    #[command(
        after_help = "Example:\n  ringside inspect traffic --cp 4 --strategy usp --ulysses-degree 2"
    )]
    Traffic(Shape),
    /// Bytes that each rank holds while it trains, by purpose
    #[command(after_help = "Example:\n  ringside inspect memory --seq-len 8192 --cp 8 --layers 4")]
    Memory(Shape),
    /// Each rank's place in the mesh and its groups
    #[command(after_help = "Example:\n  ringside inspect mesh --dp 2 --cp 4")]
    Mesh(Shape),
    /// Which device, backend and number of ranks a machine comes to, decision by decision
    #[command(after_help = RUNTIME_EXAMPLES)]
    Runtime(RuntimeArgs),
}

/// How sequences are shared.
#[derive(Clone, Debug, Default, Args)]
#[command(allow_negative_numbers = true)]
pub struct Shape {
    /// Tokens in a sequence; with --documents, their sum
    #[arg(long, value_name = "TOKENS", value_parser = value::whole::<usize>)]
    pub seq_len: Option<usize>,
    /// Ranks that share each sequence
    #[arg(long, value_name = "RANKS", value_parser = value::whole::<usize>)]
    pub cp: Option<usize>,
    /// Which positions each rank holds
    #[arg(long, value_name = "NAME", value_parser = value::layout())]
    pub layout: Option<Layout>,
    /// Lengths of packed documents, which never see each other
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = value::whole::<usize>)]
    pub documents: Option<Vec<usize>>,
    /// How far back a query sees, itself included [default: to the beginning]
    #[arg(long, value_name = "TOKENS", value_parser = value::whole::<usize>)]
    pub window: Option<usize>,
    /// How the ranks of a group share attention
    #[arg(long, value_name = "NAME", value_parser = value::strategy())]
    pub strategy: Option<StrategyKind>,
    /// U of U x R ranks [default: the strategy chooses]
    #[arg(long, value_name = "U", value_parser = value::whole::<usize>)]
    pub ulysses_degree: Option<usize>,
    /// Query heads
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub heads: Option<usize>,
    /// Key/value heads [default: as many as --heads]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub kv_heads: Option<usize>,
    /// Size of a head [default: 16]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub head_dim: Option<usize>,
    /// Sequences in a forward pass
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub batch: Option<usize>,
    /// Transformer layers
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub layers: Option<usize>,
    /// Replicas of the group, each on its own sequences
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub dp: Option<usize>,
    /// How parameters follow gradients
    #[arg(long, value_name = "NAME", value_parser = value::optimizer())]
    pub optimizer: Option<Optimizer>,
}
