//! A message channel between every two ranks.

use wasm_bindgen::JsValue;
use web_sys::{MessageChannel, MessagePort};

/// Each rank's ports to all others, by rank; its own place is empty.
pub fn ports(world: usize) -> Result<Vec<Vec<Option<MessagePort>>>, JsValue> {
    let mut mesh = vec![vec![None; world]; world];
    let pairs = (0..world).flat_map(|low| (low + 1..world).map(move |high| (low, high)));
    for (low, high) in pairs {
        let channel = MessageChannel::new()?;
        mesh[low][high] = Some(channel.port1());
        mesh[high][low] = Some(channel.port2());
    }
    Ok(mesh)
}
