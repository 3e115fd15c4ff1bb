//! What one rank does: pick its share of the data, train a step with the others, keep state.

pub mod checkpoint;
pub mod data;
mod error;
mod faults;
mod learning_rate;
mod optimizer;
mod parts;
mod pass;
mod profile;
pub mod reference;
mod trainer;

pub use error::TrainError;
pub use optimizer::{ADAMW_CONSTANTS, AdamW, Optimizer};
pub use trainer::{Gradients, StepReport, Trainer};

/// What an operation of this crate returns.
pub type Result<T, E = TrainError> = std::result::Result<T, E>;
