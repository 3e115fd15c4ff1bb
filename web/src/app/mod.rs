//! The page: a state with actions, and components that draw it.

pub mod address;
pub mod backend;
pub mod beat_text;
mod browser;
pub mod choices;
pub mod cursor;
pub mod cursor_text;
pub mod doctor;
pub mod embed;
pub mod engine;
pub mod fields;
pub mod form;
pub mod format;
pub mod geometry;
pub mod groups;
mod hear;
pub mod language;
pub mod memory_log;
pub mod metric;
mod pace;
pub mod places;
mod probe;
pub mod record;
pub mod reference;
mod root;
pub mod share;
pub mod shared;
pub mod span_text;
pub mod state;
pub mod timeline;
mod update;
mod view;
pub mod whole;

/// Draws the page and starts its workers.
pub fn start() {
    browser::show_panics();
    if let Some(host) = browser::element("app") {
        yew::Renderer::<root::App>::with_root(host).render();
    }
}
