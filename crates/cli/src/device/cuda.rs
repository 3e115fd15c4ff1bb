//! CUDA as far as it is compiled in: the same functions either way, so that callers hold no cfg.

#[cfg(not(feature = "cuda"))]
mod disabled;
#[cfg(feature = "cuda")]
mod enabled;
#[cfg(feature = "cuda")]
mod unsafe_driver;

#[cfg(not(feature = "cuda"))]
pub use disabled::{build, gpus, open};
#[cfg(feature = "cuda")]
pub use enabled::{build, gpus, open};
