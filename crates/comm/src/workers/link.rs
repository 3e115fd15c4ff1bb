//! One port to one peer, and what a message looks like on it.
//!
//! A message is `[what, elements]`: postcard bytes of [`What`], and the transferred buffer of a
//! tensor's elements where there is one.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use plan::Rank;
use serde::{Deserialize, Serialize};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, MessagePort};

use super::mailbox::Mailbox;
use crate::inbox::{Arrival, Header};

#[derive(Serialize, Deserialize)]
enum What {
    Tensor(Header),
    Stopped(String),
}

pub(super) struct Link {
    port: MessagePort,
    // Lives as long as the port calls it.
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl Link {
    /// Takes over `port`; what `peer` sends goes to `mailbox`.
    pub(super) fn new(port: MessagePort, peer: Rank, mailbox: Rc<Mailbox>) -> Self {
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            mailbox.arrive(peer, read(&event.data()));
        });
        // Setting the handler also starts the port: nothing that was sent before is lost.
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Self { port, _listener: listener }
    }

    /// Hands `elements` over: afterwards this side holds them no more.
    pub(super) fn send(&self, header: Header, elements: &ArrayBuffer) -> Result<(), String> {
        let bytes = elements.byte_length();
        let message = Array::of2(&encode(&What::Tensor(header))?, elements);
        self.port
            .post_message_with_transferable(&message, &Array::of1(elements))
            .map_err(|error| format!("{error:?}"))?;
        if bytes > 0 && elements.byte_length() != 0 {
            return Err(format!("its {bytes} bytes were copied instead of transferred"));
        }
        Ok(())
    }

    /// Tells the peer that no more will come. Never fails: it is said on the way out.
    pub(super) fn say_stopped(&self, why: &str) {
        if let Ok(what) = encode(&What::Stopped(why.to_owned())) {
            // A port that takes no message any more has nobody behind it to tell.
            let _ = self.port.post_message(&Array::of1(&what));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
    }
}

fn encode(what: &What) -> Result<JsValue, String> {
    let bytes = postcard::to_allocvec(what).map_err(|error| error.to_string())?;
    Ok(Uint8Array::new_from_slice(&bytes).into())
}

fn read(data: &JsValue) -> Arrival<ArrayBuffer> {
    try_read(data).unwrap_or_else(|| Arrival::Stopped("it sent what is no message".to_owned()))
}

fn try_read(data: &JsValue) -> Option<Arrival<ArrayBuffer>> {
    let parts: &Array = data.dyn_ref()?;
    let what = parts.get(0).dyn_into::<Uint8Array>().ok()?.to_vec();
    Some(match postcard::from_bytes(&what).ok()? {
        What::Tensor(header) => Arrival::Message(header, parts.get(1).dyn_into().ok()?),
        What::Stopped(why) => Arrival::Stopped(why),
    })
}
