//! The few things that the page asks of the browser itself.

use wasm_bindgen::JsValue;
use web_sys::{Element, Window};

fn window() -> Window {
    web_sys::window().expect("the page runs in a window")
}

/// The element with this id.
pub fn element(id: &str) -> Option<Element> {
    window().document()?.get_element_by_id(id)
}

/// What stands behind the `#` of the address.
pub fn address() -> String {
    window().location().hash().unwrap_or_default()
}

/// Replaces what stands behind the `#`, without an entry in the history.
pub fn set_address(address: &str) {
    let location = window().location();
    // A bare fragment would be resolved against <base>, and lose the page's file name.
    let place = |part: Result<String, JsValue>| part.unwrap_or_default();
    let url = format!("{}{}#{address}", place(location.pathname()), place(location.search()));
    if let Ok(history) = window().history() {
        // Where a browser refuses, the page works on with an old address.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Whether the user asked the system for less motion.
pub fn reduced_motion() -> bool {
    window()
        .match_media("(prefers-reduced-motion: reduce)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches())
}

/// A seed that is short enough to read out.
pub fn random_seed() -> u64 {
    (js_sys::Math::random() * 1e6) as u64
}

/// A panic of the page itself leaves it dead; at least it says so.
pub fn show_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = format!("The page itself failed: {panic}. Reload it to go on.");
        web_sys::console::error_1(&text.as_str().into());
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
