//! The doctor's worker: gloo-worker runs the actor, a panic tells the page.

use gloo_worker::Registrable;

use super::helper::{Helper, last_words};

/// Listens to the page until it ends this worker.
pub fn serve() {
    crate::panic_hook::install(last_words);
    Helper::registrar().register();
}
