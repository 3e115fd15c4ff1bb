//! What can go wrong while ranks share attention.

/// An error of context-parallel attention.
#[derive(Debug, thiserror::Error)]
pub enum ParallelError {
    /// There is no context to share attention in.
    #[error(transparent)]
    NoContext(#[from] crate::NoContext),
    /// Ranks disagree, or one has stopped.
    #[error(transparent)]
    Comm(#[from] comm::CommError),
    /// A tensor operation failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
    /// A tensor given is of another type, or on another device, than the context was built for.
    #[error(
        "attention of rank {rank}: {what} is {got}, and the context was built for another type or \
         device; build the context with those of the model"
    )]
    Elsewhere {
        /// The rank within the context-parallel group.
        rank: plan::Rank,
        /// Which tensor.
        what: &'static str,
        /// What it is, and where.
        got: String,
    },
    /// The tensors given do not have the shape that the plan says.
    #[error("attention of rank {rank}: expected {what} of shape {expected:?}, got {got:?}")]
    Shape {
        /// The rank within the context-parallel group.
        rank: plan::Rank,
        /// Which tensor.
        what: &'static str,
        /// Shape by the plan.
        expected: Vec<usize>,
        /// Shape given.
        got: Vec<usize>,
    },
}
