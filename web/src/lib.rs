//! The page, the bench in it, the rank worker and the doctor: four tiny bins over this library.

pub mod app;
pub mod bench;
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

// Every word that the page shows: one catalogue a language, of which the binary carries English.
rust_i18n::i18n!(
    "locales/built_in",
    fallback = "en",
    backend = crate::app::language::fetched::Fetched
);
