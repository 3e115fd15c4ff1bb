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

// Every word that the page shows: one catalogue a language.
rust_i18n::i18n!("locales", fallback = "en");
