//! A worker's last words: after a panic its instance is dead, and nobody else would say why.

use std::cell::Cell;

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

thread_local! {
    static TELL: Cell<Option<fn(&str)>> = const { Cell::new(None) };
}

/// From now on a panic passes its text and place to `tell`, and ends this worker.
pub fn install(tell: fn(&str)) {
    TELL.set(Some(tell));
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        web_sys::console::error_1(&text.as_str().into());
        // Taken, so that a panic while telling ends there.
        if let Some(tell) = TELL.take() {
            tell(&text);
        }
        // The instance would go on with its other tasks, on a state that nobody vouches for.
        js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().close();
    }));
}
