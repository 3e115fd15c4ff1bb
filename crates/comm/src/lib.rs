//! Process groups: messages between ranks, the collectives built on them, and their backends.
//!
//! [`ProcessGroup`] asks a backend for two things, [`ProcessGroup::isend`] and
//! [`ProcessGroup::irecv`]; every collective is built on those in [`collectives`]. Backends:
//! [`threads`] (one rank a thread of this process), `workers` (one rank a web worker), `nccl`
//! (one rank a GPU) and `mpi` (one rank a process).
//! Decorators: [`Traced`] records each message, [`Gated`] stands before each exchange, [`SubGroup`]
//! is some of a group's ranks, [`Lane`] lets an operation run beside the others.

#[cfg(feature = "threads")]
mod channels;
pub mod collectives;
pub mod conformance;
mod error;
mod gated;
mod group;
#[cfg(any(feature = "threads", feature = "workers", feature = "mpi"))]
mod inbox;
mod lane;
#[cfg(feature = "mpi")]
pub mod mpi;
#[cfg(feature = "nccl")]
pub mod nccl;
#[cfg(feature = "threads")]
mod park;
mod recorder;
mod solo;
mod subgroup;
#[cfg(feature = "threads")]
pub mod threads;
mod traced;
#[cfg(feature = "workers")]
pub mod workers;

pub use error::{CommError, Fault};
pub use gated::{Gate, Gated};
pub use group::{Mark, PendingRecv, ProcessGroup, Tag, Wanted};
pub use lane::Lane;
pub use recorder::Recorder;
pub use solo::Solo;
pub use subgroup::SubGroup;
pub use traced::Traced;

/// What an operation between ranks returns.
pub type Result<T, E = CommError> = std::result::Result<T, E>;
