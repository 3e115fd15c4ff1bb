//! A plain one-device transformer that knows nothing of ranks.
//!
//! Token positions and attention come in from outside, so the same segments serve a whole
//! sequence on one device and a slice of it on one of many ranks.
//!
//! Shape letters: B batch, T tokens, N = B T, d width, H query heads, K key/value heads,
//! D head size, V vocabulary; `q_bhtd` is a tensor of shape (B, H, T, D).

mod config;
mod gpt;
mod gradients;
mod init;
mod loss;
pub mod reference;
mod rope;
mod segments;

pub use config::GptConfig;
pub use gpt::{Gpt, Qkv};
pub use gradients::Gradients;
pub use loss::{IGNORED, cross_entropy_sum};
pub use rope::Rope;
pub use segments::{Head, PostTape, PreTape};
