//! The workers' binary, compiled once for all of them. Workers that load it by themselves may each
//! get code of their own, and the browser then optimises it anew while a run begins.

use js_sys::{Promise, WebAssembly};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Worker;

use super::address::{WORKER, file};

thread_local! {
    static CODE: Promise = WebAssembly::compile_streaming(&fetch());
}

fn fetch() -> Promise {
    match web_sys::window() {
        Some(window) => window.fetch_with_str(&file(WORKER)),
        None => Promise::reject(&"no window".into()),
    }
}

/// Gives `worker` the code once it is there, or null: the worker then loads it by itself, and says
/// what is wrong with it.
pub fn give_to(worker: &Worker) {
    let (code, worker) = (CODE.with(Promise::clone), worker.clone());
    spawn_local(async move {
        let code = JsFuture::from(code).await.unwrap_or(JsValue::NULL);
        worker.post_message(&code).expect("code can be sent to a worker of the page");
    });
}
