//! The worker's global scope: its clock, its memory, and the way back to the page.

use plan::command::Report;
use wasm_bindgen::JsCast;
use web_sys::{DedicatedWorkerGlobalScope, UrlSearchParams};

use crate::wire::pack_report;

/// The scope itself.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// A part of the worker's own address, for example its role.
pub fn query(name: &str) -> Option<String> {
    let search = scope().location().search();
    UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Sends a report to the page.
pub fn report(report: &Report) {
    let parcel = pack_report(report);
    scope()
        .post_message_with_transfer(&parcel.message, &parcel.transfer)
        .expect("fresh bytes can be transferred");
}

/// Microseconds since `epoch_ms` on the clock that page and workers share.
pub fn clock(epoch_ms: f64) -> impl Fn() -> u64 + Clone {
    let performance = scope().performance();
    move || {
        performance.as_ref().map_or(0, |performance| {
            let ms = performance.time_origin() + performance.now() - epoch_ms;
            (ms * 1e3).max(0.0) as u64
        })
    }
}

/// Bytes of wasm memory that this worker holds.
pub fn memory() -> u64 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    u64::from(buffer.byte_length())
}
