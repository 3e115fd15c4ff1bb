//! What can go wrong while a rank trains.

use parallel::{NoContext, ParallelError};

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
    /// The checkpoint is of a run that had diverged: going on from it, the learning rate would be
    /// blamed.
    #[error(
        "checkpoint, {tensor}: {count} numbers are NaN or infinite, the first at index {first}; \
         the run that saved it had diverged"
    )]
    NotFinite {
        /// Which tensor.
        tensor: String,
        /// How many of its numbers.
        count: usize,
        /// The place of the first.
        first: usize,
    },
    /// The loss or the gradient is no longer a number.
    #[error(
        "step {}: {}; the parameters have left the range of numbers, try a smaller lr or a \
         grad_clip above 0",
        *step + 1,
        not_finite(*loss, *grad_norm)
    )]
    Diverged {
        /// The step, from 0; people count from 1.
        step: u32,
        /// Its loss.
        loss: f64,
        /// The norm of its gradient.
        grad_norm: f64,
    },
}

impl TrainError {
    /// What kind of error it is, as one word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Comm(_) | Self::Parallel(ParallelError::Comm(_)) => "comm",
            Self::Parallel(ParallelError::NoContext(cause)) => match cause {
                NoContext::NotConfigured => "cp-not-configured",
                NoContext::BeforeGroup { .. } => "cp-before-group",
                NoContext::Unsupported(_) => "cp-unsupported",
                NoContext::OtherContract { .. } => "cp-version",
            },
            Self::Parallel(_) | Self::Tensor(_) => "tensor",
            Self::Checkpoint { .. } | Self::NotFinite { .. } => "checkpoint",
            Self::Diverged { .. } => "diverged",
        }
    }
}

fn not_finite(loss: f64, grad_norm: f64) -> String {
    if loss.is_finite() {
        format!("the loss is {loss:.4} and the norm of its gradient is {grad_norm}")
    } else {
        format!("the loss is {loss}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_diverged_says_what_is_no_number() {
        let text = |loss, grad_norm| TrainError::Diverged { step: 7, loss, grad_norm }.to_string();
        assert!(text(f64::NAN, f64::NAN).starts_with("step 8: the loss is NaN; "));
        let gradient = text(3.25, f64::INFINITY);
        assert!(gradient.contains("the loss is 3.2500 and the norm of its gradient is inf"));
    }
}
