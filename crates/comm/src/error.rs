//! What goes wrong between ranks.

use plan::Rank;

use crate::Tag;

/// Why a message did not come as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something else came: the ranks do not run the same program.
    Mismatch,
    /// Nothing came in time.
    Timeout,
    /// The other rank ended its part, by an error or too early.
    PeerStopped,
}

/// An error between ranks; ranks are numbered within the world.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// A message did not come as expected.
    #[error("rank {rank}, {tag}: expected {expected}, got {got}")]
    Exchange {
        /// Why.
        fault: Fault,
        /// The rank that reports it.
        rank: Rank,
        /// The operation and its sequence number within the group.
        tag: Tag,
        /// What it waited for, and from whom.
        expected: String,
        /// What came instead.
        got: String,
    },
    /// The caller's tensors do not fit the operation.
    #[error("rank {rank}, {tag}: expected {expected}, got {got}")]
    Usage {
        /// The rank that reports it.
        rank: Rank,
        /// The operation and its sequence number within the group.
        tag: Tag,
        /// What the operation takes.
        expected: String,
        /// What it was given.
        got: String,
    },
    /// The transport could not carry a message.
    #[error("rank {rank}, to rank {peer}: the message could not be sent: {reason}")]
    Transport {
        /// The sender.
        rank: Rank,
        /// The receiver.
        peer: Rank,
        /// What the transport said.
        reason: String,
    },
    /// A tensor operation failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}
