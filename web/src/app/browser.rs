//! The few things that the page asks of the browser itself.

mod files;
mod keyboard;
pub mod lessons;
pub mod picture;
pub mod store;

use crate::t;
use gloo_storage::{LocalStorage, Storage};
use gloo_timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition, UrlSearchParams, Window,
};

use crate::app::language::Language;

pub use files::fetch_language;
pub use keyboard::{keep_single_keys, on_keys, single_keys};

fn window() -> Window {
    web_sys::window().expect("the page runs in a window")
}

/// The element with this id.
pub fn element(id: &str) -> Option<Element> {
    window().document()?.get_element_by_id(id)
}

/// Scrolls `element` to the middle, where no bar that sticks to an edge covers it.
pub fn bring_into_sight(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Center);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Shows the page from its beginning, once what is under way is drawn.
pub fn scroll_up() {
    Timeout::new(0, || window().scroll_to_with_x_and_y(0.0, 0.0)).forget();
}

/// Brings the keyboard's focus to the heading of what is looked at, once what is under way is drawn.
pub fn focus_heading() {
    Timeout::new(0, || {
        focus(window().document().and_then(|d| d.query_selector("main h2").ok().flatten()));
    })
    .forget();
}

/// Brings the heading of `view` to the top, and the keyboard's focus to it.
pub fn go_to(view: &str) {
    let heading = element(&format!("{view}-title"));
    focus(heading.clone());
    if let Some(heading) = heading {
        heading.scroll_into_view();
    }
}

fn focus(heading: Option<Element>) {
    if let Some(heading) = heading.and_then(|heading| heading.dyn_into::<HtmlElement>().ok()) {
        // It is refused only where the heading is no longer on the page.
        let _ = heading.set_attribute("tabindex", "-1");
        let _ = heading.focus();
    }
}

/// What stands behind the `#` of the address.
pub fn address() -> String {
    window().location().hash().unwrap_or_default()
}

/// Replaces what stands behind the `#`, without an entry in the history.
pub fn set_address(address: &str) {
    let url = link(address);
    if let Ok(history) = window().history() {
        // Where a browser refuses, the page works on with an old address.
        let _ = history.replace_state_with_url(&JsValue::from_str(OURS), "", Some(&url));
    }
}

/// What marks entries of the history that this page has written itself.
const OURS: &str = "ringside";

/// Writes what stands behind the `#` as a new entry of the history.
pub fn push_address(address: &str) {
    if let Ok(history) = window().history() {
        let url = link(address);
        let _ = history.push_state_with_url(&JsValue::from_str(OURS), "", Some(&url));
    }
}

/// Whether the entry of the history that is shown was written by this page, and not by a link.
pub fn is_own_entry() -> bool {
    let state = window().history().and_then(|history| history.state());
    state.is_ok_and(|state| state.as_string().as_deref() == Some(OURS))
}

/// An address for a link: this page with `address` behind the `#`.
pub fn link(address: &str) -> String {
    let location = window().location();
    // A bare fragment would be resolved against <base>, and lose the page's file name.
    let place = |part: Result<String, JsValue>| part.unwrap_or_default();
    format!("{}{}#{address}", place(location.pathname()), place(location.search()))
}

/// Where the language that the user chose is kept.
const LANGUAGE: &str = "ringside.language";

/// The language that the user chose here before, or else one of those that the browser asks for.
pub fn language() -> Language {
    let chosen: Option<String> = LocalStorage::get(LANGUAGE).ok();
    let asked = window().navigator().languages().into_iter().filter_map(|tag| tag.as_string());
    Language::preferred(chosen.into_iter().chain(asked))
}

/// Keeps the language that the user chose for the next visit.
pub fn keep_language(language: Language) {
    // Where a browser keeps nothing, the choice holds for this visit.
    let _ = LocalStorage::set(LANGUAGE, language.code());
}

/// Speaks `language` from the next drawing on, and says so in the page's `lang`.
pub fn speak(language: Language) {
    rust_i18n::set_locale(language.code());
    let root = window().document().and_then(|document| document.document_element());
    let root = root.and_then(|root| root.dyn_into::<HtmlElement>().ok());
    // Setting what is set already would make the browser style the whole page anew.
    if let Some(root) = root.filter(|root| root.lang() != language.code()) {
        root.set_lang(language.code());
    }
}

/// Names the page after the place that is looked at.
pub fn set_title(place: &str) {
    if let Some(document) = window().document() {
        document.set_title(&t!("page.title", place = place));
    }
}

/// The value of `name` in the query of the page's address.
pub fn query(name: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// What the browser calls itself.
pub fn machine() -> String {
    window().navigator().user_agent().unwrap_or_default()
}

/// Makes the frame in which this page is, if it is in one of its own, as high as its content.
pub fn fit_frame() {
    let frame = window().frame_element().ok().flatten();
    let content = element("app").and_then(|app| app.dyn_into::<HtmlElement>().ok());
    if let (Some(frame), Some(content)) = (frame, content) {
        // Refused, the frame scrolls.
        let _ = frame.set_attribute("height", &content.offset_height().to_string());
    }
}

/// Loads the page again.
pub fn reload() {
    // Where a browser refuses, the user's own way of loading again is left.
    let _ = window().location().reload();
}

/// The event by which offline.js says that another build of the page has come.
pub const OTHER_BUILD: &str = "other-build";

/// Whether it said so before anybody listened.
pub fn has_other_build() -> bool {
    let root = window().document().and_then(|document| document.document_element());
    root.is_some_and(|root| root.has_attribute("data-other-build"))
}

/// The whole address of this page with `address` behind the `#`, for others to open.
pub fn whole_link(address: &str) -> String {
    let href = window().location().href().unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    format!("{page}#{address}")
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// The shortest time that the browser's clock tells apart, in microseconds; `None` where it is
/// longer than a page should wait to find out.
pub fn clock_step_us() -> Option<f64> {
    // The shortest of some ticks: a longer gap is a moment in which something else ran.
    const TICKS: usize = 12;
    const ENOUGH: usize = 3;
    const PATIENCE_MS: f64 = 20.0;
    let begun = now_ms();
    let (mut last, mut steps) = (begun, Vec::new());
    while steps.len() < TICKS && last - begun < PATIENCE_MS {
        let now = next_tick(last)?;
        steps.push(now - last);
        last = now;
    }
    let shortest = steps.iter().copied().fold(f64::INFINITY, f64::min);
    (steps.len() >= ENOUGH).then(|| (shortest * 1e3).round())
}

/// The first reading after `last`; the number of tries ends the wait on a clock that stands.
fn next_tick(last: f64) -> Option<f64> {
    const TRIES: usize = 200_000;
    (0..TRIES).map(|_| now_ms()).find(|&now| now > last)
}

/// Whether the user asked the system for less motion.
pub fn reduced_motion() -> bool {
    window()
        .match_media("(prefers-reduced-motion: reduce)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches())
}

/// Hands `text` to the clipboard; false where the browser does not let a page do that.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    // Without a secure context there is no clipboard, whatever its type says.
    if clipboard.is_undefined() {
        return false;
    }
    wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// Selects what stands in the element with this id, ready to be copied by hand.
pub fn select(id: &str) {
    let selection = window().get_selection().ok().flatten();
    if let (Some(element), Some(selection)) = (element(id), selection) {
        // Nothing is lost where it fails: the text is still there.
        let _ = selection.select_all_children(&element);
    }
}

/// A seed that is short enough to read out.
pub fn random_seed() -> u64 {
    (js_sys::Math::random() * 1e6) as u64
}

/// A panic of the page itself leaves it dead; at least it says so.
pub fn show_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = t!("page.failed", panic = panic);
        web_sys::console::error_1(&(*text).into());
        let Some(document) = window().document() else { return };
        if let (Ok(alert), Some(body)) = (document.create_element("p"), document.body()) {
            alert.set_class_name("alert");
            alert.set_text_content(Some(&text));
            // There is nothing left to do if these fail as well.
            let _ = alert.set_attribute("role", "alert");
            let _ = body.insert_before(&alert, body.first_child().as_ref());
        }
    }));
}
