//! What this browser offers, as a probe of the machine that the page runs on.

use std::cell::Cell;
use std::rc::Rc;

use crate::cluster::{Role, loader};
use js_sys::{Object, Reflect, Uint8Array, WebAssembly};
use plan::runtime::{Browser, Build, Gpus, Launch, MIB, Place, Probe, Support};
use wasm_bindgen::prelude::*;
use web_sys::Worker;

/// The smallest module that uses a 128-bit vector: `i8x16.splat(i32.const 0)`, dropped.
const SIMD_MODULE: [u8; 29] = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26,
    11,
];

/// Looks at the browser.
pub fn probe() -> Probe {
    Probe {
        place: Place::Browser(Browser {
            simd: Support::of(has_simd()),
            workers: Support::of(has_module_workers()),
            isolation: Support::of(is_isolated()),
        }),
        // What a page can never have.
        build: Build::PLAIN,
        gpus: Gpus::NoDriver,
        launch: Launch::Alone,
        cores: cores(),
        memory: memory(),
    }
}

fn has_simd() -> bool {
    let bytes = Uint8Array::from(&SIMD_MODULE[..]);
    WebAssembly::validate(&bytes).unwrap_or(false)
}

/// A browser that knows module workers asks the options for their `type`.
fn has_module_workers() -> bool {
    let asked = Rc::new(Cell::new(false));
    let heard = Rc::clone(&asked);
    let get = Closure::<dyn Fn() -> JsValue>::new(move || {
        heard.set(true);
        JsValue::from_str("module")
    });
    let (options, property) = (Object::new(), Object::new());
    if Reflect::set(&property, &"get".into(), get.as_ref()).is_err() {
        return false;
    }
    Object::define_property(&options, &"type".into(), &property);
    // The page's own file, which its policy allows; the worker ends before it has loaded.
    let script = loader(Role::Rank);
    if let Ok(worker) = Worker::new_with_options(&script, options.unchecked_ref()) {
        worker.terminate();
    }
    asked.get()
}

fn of_navigator(name: &str) -> Option<f64> {
    let navigator = web_sys::window()?.navigator();
    Reflect::get(&navigator, &name.into()).ok()?.as_f64()
}

fn is_isolated() -> bool {
    let isolated =
        web_sys::window().map(|window| Reflect::get(&window, &"crossOriginIsolated".into()));
    isolated.is_some_and(|value| value.is_ok_and(|value| value == JsValue::TRUE))
}

/// A hint: some browsers say less than there is.
pub fn cores() -> usize {
    of_navigator("hardwareConcurrency").map_or(1, |cores| cores.max(1.0) as usize)
}

/// Where the browser says it, rounded and capped by the browser.
fn memory() -> Option<u64> {
    of_navigator("deviceMemory").map(|gib| (gib * 1024.0) as u64 * MIB)
}
