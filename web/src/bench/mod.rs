//! The bench: how fast this machine's browser trains. It is a page in a frame of the page, with a
//! binary of its own that is loaded when its place is first opened.

mod root;
mod state;
mod view;

use crate::app::{browser, language::Language};
use crate::cluster;

/// The address of the bench in `language`.
pub fn address(language: Language) -> String {
    format!("{}&lang={}", cluster::part("bench"), language.code())
}

/// Draws it, in the language that its address asks for if that can be had.
pub fn start() {
    browser::show_panics();
    yew::platform::spawn_local(async {
        let asked = browser::query("lang").and_then(|tag| Language::of_tag(&tag));
        let asked = asked.unwrap_or_else(browser::language);
        // The page around it says why a language is not here.
        let fetched = browser::fetch_language(asked).await;
        browser::speak(if fetched.is_ok() { asked } else { Language::default() });
        if let Some(host) = browser::element("app") {
            yew::Renderer::<root::Root>::with_root(host).render();
        }
    });
}
