//! The page: a state with actions, and components that draw it.

pub mod address;
mod allowed;
pub mod backend;
pub mod beat_text;
pub mod beside;
pub(crate) mod browser;
pub mod choices;
pub mod cost;
pub mod cursor;
pub mod cursor_text;
pub mod doctor;
pub mod embed;
pub mod engine;
pub mod entered;
pub mod fields;
pub mod form;
pub mod format;
pub mod geometry;
pub mod glossary;
mod gradual;
pub mod groups;
mod hear;
pub mod history;
pub mod keys;
pub mod language;
pub mod last_run;
pub mod laws;
pub mod lesson;
pub mod memory_log;
pub mod metric;
pub mod notice;
mod order;
pub mod origin;
pub mod own_text;
mod pace;
pub mod places;
pub mod presets;
pub(crate) mod probe;
pub mod put_away;
pub mod record;
pub mod recorded;
pub mod reference;
mod root;
pub mod run_error;
pub mod self_test;
pub mod share;
pub mod shared;
pub mod snapshots;
pub mod span_text;
pub mod state;
pub mod timeline;
mod travel;
pub mod turn;
mod update;
pub(crate) mod view;
pub mod what_if;
pub mod whole;

/// Draws the page and starts its workers, once it can speak the language that it is to speak.
pub fn start() {
    browser::show_panics();
    yew::platform::spawn_local(async {
        let asked = address::read(&browser::address()).language;
        let fetched = browser::fetch_language(asked.unwrap_or_else(browser::language)).await;
        if let Some(host) = browser::element("app") {
            let props = root::Props { mute: fetched.err() };
            yew::Renderer::<root::App>::with_root_and_props(host, props).render();
        }
    });
}
