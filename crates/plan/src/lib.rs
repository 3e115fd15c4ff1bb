//! All that is known of a run without touching a tensor.
//!
//! The kernels, the page and the tests read the same tables from here: which rank holds which
//! positions ([`sequence`]), which tile is skipped, full or partial ([`schedule`]), how many
//! bytes move ([`traffic`]) and how much memory a rank needs ([`memory`]).

pub mod bench;
pub mod bucket;
pub mod command;
pub mod config;
pub mod cp;
pub mod elsewhere;
pub mod event;
pub mod fault;
pub mod flags;
pub mod fold;
pub mod grid;
pub mod layout;
pub mod mask;
pub mod memory;
pub mod mesh;
pub mod message;
pub mod profile;
pub mod rank;
pub mod refusal;
pub mod run;
pub mod runtime;
pub mod saved;
pub mod schedule;
pub mod sequence;
pub mod simulate;
pub mod snapshot;
pub mod strategy;
pub mod targets;
pub mod trace;
pub mod traffic;
pub mod version;
pub mod work;

pub use config::{Optimizer, RunConfig, Task};
pub use cp::{CpConfig, CpPlan, Heads};
pub use event::{Axis, Event, EventKind, Op, Pass};
pub use fault::Fault;
pub use grid::Grid;
pub use layout::Layout;
pub use mask::Mask;
pub use mesh::Mesh;
pub use message::Message;
pub use rank::{Rank, WorldSize};
pub use refusal::Refusal;
pub use run::RunPlan;
pub use schedule::{AttentionPlan, Tile, TileKind};
pub use sequence::Sequence;
pub use strategy::{Strategy, StrategyKind};
