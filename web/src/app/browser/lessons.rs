//! What lessons ask of the browser: their files, what was done of them, and the controls that they
//! are about.

use std::collections::BTreeSet;

use gloo_storage::{LocalStorage, Storage};
use gloo_timers::callback::Timeout;
use js_sys::{ArrayBuffer, Uint8Array};
use lesson::{FOLDER, INDEX};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement, Response};

use super::window;
use crate::app::lesson::File;
use crate::cluster;

/// Where it is kept which steps were done.
const PROGRESS: &str = "ringside.lessons";
/// What marks the controls that a step is about.
const MARK: &str = "data-shown";

/// A file of the lessons; nothing if it does not come.
pub async fn fetch(file: &File) -> Option<Vec<u8>> {
    let name = file.lesson.as_ref().map_or(INDEX, |(_, file)| file);
    let url = cluster::file(&format!("{FOLDER}/{}/{name}", file.language.code()));
    let response: Response = JsFuture::from(window().fetch_with_str(&url)).await.ok()?.into();
    if !response.ok() {
        return None;
    }
    let buffer: Result<JsValue, _> = JsFuture::from(response.array_buffer().ok()?).await;
    Some(Uint8Array::new(&buffer.ok()?.unchecked_into::<ArrayBuffer>()).to_vec())
}

/// The steps that were done on this device.
pub fn progress() -> BTreeSet<String> {
    let kept: String = LocalStorage::get(PROGRESS).unwrap_or_default();
    kept.split_whitespace().map(str::to_owned).collect()
}

/// Keeps them for the next visit.
pub fn keep_progress(done: &str) {
    // Where a browser keeps nothing, they count for this visit.
    let _ = LocalStorage::set(PROGRESS, done);
}

/// Marks the controls of these names, and no others.
pub fn mark(controls: &[String]) {
    let wanted: Vec<(&String, Element)> =
        controls.iter().filter_map(|name| Some((name, control(name)?))).collect();
    let Some(document) = window().document() else { return };
    if let Ok(marked) = document.query_selector_all(&format!("[{MARK}]")) {
        for element in (0..marked.length()).filter_map(|at| marked.get(at)) {
            let element: Element = element.unchecked_into();
            if wanted.iter().all(|(_, wanted)| *wanted != element) {
                // It fails only for names that are none.
                let _ = element.remove_attribute(MARK);
            }
        }
    }
    for (name, element) in wanted {
        if element.get_attribute(MARK).as_ref() != Some(name) {
            let _ = element.set_attribute(MARK, name);
        }
    }
}

/// Brings a control into sight, and the keyboard's focus to it, once what is under way is drawn.
pub fn reveal(name: String) {
    Timeout::new(0, move || reveal_now(&name)).forget();
}

fn reveal_now(name: &str) {
    let Some(element) = control(name) else { return };
    if let Ok(Some(folded)) = element.closest("details:not([open])") {
        let _ = folded.set_attribute("open", "");
    }
    super::bring_into_sight(&element);
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        // A panel takes no focus; it is in sight.
        let _ = element.focus();
    }
}

/// The button, setting, input or panel of this name.
fn control(name: &str) -> Option<Element> {
    let document = window().document()?;
    let find = |selector: String| document.query_selector(&selector).ok().flatten();
    find(format!("[data-control='{name}']"))
        .or_else(|| find(format!("#field-{name}")))
        .or_else(|| find(format!("main [id='{name}']")))
        .or_else(|| find(format!("main .{name}")))
}
