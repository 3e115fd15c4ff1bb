//! Keys that were pressed anywhere on the page, and whether single ones count.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_storage::{LocalStorage, Storage};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, KeyboardEvent};
use yew::Callback;

use crate::app::keys::{Command, Focus, Press, meaning};
use crate::app::places::Place;

/// Where it is kept whether single keys drive the page.
const SINGLE_KEYS: &str = "ringside.single-keys";

/// Whether single keys drive the page: they do until the user turns them off.
pub fn single_keys() -> bool {
    LocalStorage::get(SINGLE_KEYS).unwrap_or(true)
}

/// Keeps the user's choice for the next visit.
pub fn keep_single_keys(on: bool) {
    // Where a browser keeps nothing, the choice holds for this visit.
    let _ = LocalStorage::set(SINGLE_KEYS, on);
}

/// Tells `on` what each key means at the place that is looked at, for as long as the listener
/// lives. A key that something on the page has taken is not told.
pub fn on_keys(place: Rc<Cell<Option<Place>>>, on: Callback<Command>) -> Option<EventListener> {
    let window = web_sys::window()?;
    let options = EventListenerOptions::enable_prevent_default();
    Some(EventListener::new_with_options(&window, "keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        let press = Press {
            key: &event.key(),
            with_modifier: event.ctrl_key() || event.alt_key() || event.meta_key(),
            repeats: event.repeat(),
            focus: focus(event),
        };
        let counts = |command: &Command| place.get().is_some_and(|place| command.counts_at(place));
        if let Some(command) = meaning(press).filter(counts).filter(|_| !event.default_prevented())
        {
            // Where Space means nothing here it still scrolls.
            event.prevent_default();
            on.emit(command);
        }
    }))
}

/// Where the focus is, as far as keys are concerned.
fn focus(event: &KeyboardEvent) -> Focus {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return Focus::Free;
    };
    let is = |selector: &str| target.closest(selector).ok().flatten().is_some();
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        return match input.type_().as_str() {
            "checkbox" | "radio" | "button" | "file" | "range" => Focus::Pressed,
            _ => Focus::Typing,
        };
    }
    if is("textarea, select, [contenteditable], dialog[open]") {
        return Focus::Typing;
    }
    // A region that scrolls takes the space bar as well.
    // A button that does nothing now takes no key either.
    if is("button:not([aria-disabled=true]), summary, a[href], [role=slider], [tabindex]") {
        return Focus::Pressed;
    }
    Focus::Free
}
