//! The page, the rank worker and the doctor: three tiny bins over this library.

pub mod app;
pub mod build_id;
pub mod cluster;
pub mod control;
pub mod diagnosis;
#[cfg(any(feature = "worker", feature = "doctor"))]
mod panic_hook;
#[cfg(feature = "worker")]
pub mod rank;
pub mod reference;
mod silence;
mod turn;
pub mod wire;

// Every word that the page shows: one catalogue a language.
rust_i18n::i18n!("locales", fallback = "en");
