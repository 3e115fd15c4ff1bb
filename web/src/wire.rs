//! Commands and reports as JavaScript values.
//!
//! Page to worker: `[postcard bytes of a Command, port or null by rank...]`, everything
//! transferred. Worker to page: postcard bytes of a [`Report`], transferred.

use js_sys::{Array, Uint8Array};
use plan::command::{Command, Report};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessagePort;

/// A message and the list of what is transferred with it.
pub struct Parcel {
    /// The message.
    pub message: JsValue,
    /// What changes hands instead of being copied.
    pub transfer: Array,
}

/// A command, with the ports that it brings to its rank; `None` is the rank's own place.
pub fn pack_command(command: &Command, ports: &[Option<MessagePort>]) -> Parcel {
    let bytes = encode(command);
    let message = Array::of1(&bytes);
    let transfer = Array::of1(&bytes.buffer());
    for port in ports {
        message.push(&port.clone().map_or(JsValue::NULL, JsValue::from));
        if let Some(port) = port {
            transfer.push(port);
        }
    }
    Parcel { message: message.into(), transfer }
}

/// The command in a message, and its ports; `None` if it is no command.
pub fn unpack_command(message: &JsValue) -> Option<(Command, Vec<Option<MessagePort>>)> {
    let parts: &Array = message.dyn_ref()?;
    let command = decode(&parts.get(0))?;
    let ports = parts.iter().skip(1).map(|port| port.dyn_into().ok()).collect();
    Some((command, ports))
}

/// A report.
pub fn pack_report(report: &Report) -> Parcel {
    let bytes = encode(report);
    Parcel { transfer: Array::of1(&bytes.buffer()), message: bytes.into() }
}

/// The report in a message; `None` if it is no report.
pub fn unpack_report(message: &JsValue) -> Option<Report> {
    decode(message)
}

fn encode(value: &impl Serialize) -> Uint8Array {
    let bytes = postcard::to_allocvec(value).expect("commands and reports fit postcard's model");
    Uint8Array::new_from_slice(&bytes)
}

fn decode<T: DeserializeOwned>(value: &JsValue) -> Option<T> {
    postcard::from_bytes(&value.dyn_ref::<Uint8Array>()?.to_vec()).ok()
}
