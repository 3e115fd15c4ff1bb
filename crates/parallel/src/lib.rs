//! Context-parallel attention: block attention and its merge, and the strategies that move
//! queries, keys, values and their gradients between ranks. [`cp`] tells how a rank comes by its
//! context.
//!
//! Shape letters: B batch, T tokens on this rank, H query heads, K key/value heads, D head size,
//! c tokens of a slice; `kv_2bktd` holds keys and values in one tensor (2, B, K, T, D).

mod all_gather;
mod attention;
mod context;
mod contract;
pub mod cp;
mod error;
mod exchange;
pub mod grad_sync;
mod ring;
mod rows;
mod tiles;

pub use attention::Attended;
pub use context::CpContext;
pub use contract::{CONTRACT, Contract};
pub use cp::{Cp, NoContext};
pub use error::ParallelError;

/// What an operation of this crate returns.
pub type Result<T, E = ParallelError> = std::result::Result<T, E>;
