//! The page and the rank worker: two tiny bins over this library.

pub mod app;
pub mod build_id;
pub mod cluster;
pub mod control;
#[cfg(feature = "worker")]
mod panic_hook;
#[cfg(feature = "worker")]
pub mod rank;
pub mod reference;
mod turn;
pub mod wire;
