//! Ranks over NCCL, as far as it is compiled in: the same function either way.

#[cfg(not(feature = "nccl"))]
mod disabled;
#[cfg(feature = "nccl")]
mod enabled;

#[cfg(not(feature = "nccl"))]
pub use disabled::run;
#[cfg(feature = "nccl")]
pub use enabled::run;
