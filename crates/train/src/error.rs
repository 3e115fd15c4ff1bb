//! What can go wrong while a rank trains.

/// An error of a training run.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The run that was asked for cannot be had.
    #[error(transparent)]
    Refused(#[from] plan::Refusal),
    /// Ranks disagree, or one has stopped.
    #[error(transparent)]
    Comm(#[from] comm::CommError),
    /// Attention over ranks failed.
    #[error(transparent)]
    Parallel(#[from] parallel::ParallelError),
    /// A tensor operation failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
    /// The checkpoint does not fit this run.
    #[error("checkpoint, {what}: expected {expected}, got {got}")]
    Checkpoint {
        /// Which tensor or entry.
        what: String,
        /// What this run needs.
        expected: String,
        /// What the file holds.
        got: String,
    },
    /// The loss is no longer a number.
    #[error(
        "step {step}: the loss is {loss}; the parameters have left the range of numbers, \
         try a smaller lr or a grad_clip above 0"
    )]
    Diverged {
        /// The step, from 0.
        step: u32,
        /// Its loss.
        loss: f64,
    },
}
