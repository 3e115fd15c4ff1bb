//! The reference's trainer: the worker's binary has one, the page's does not.

#[cfg(not(feature = "worker"))]
mod absent;
#[cfg(feature = "worker")]
mod present;

#[cfg(not(feature = "worker"))]
pub use absent::Engine;
#[cfg(feature = "worker")]
pub use present::Engine;
