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
    /// It stopped because another rank did, which is told in its place.
    Followed(String),
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
            deliver(&event.data(), peer, &mailbox);
        });
        // Setting the handler also starts the port: nothing that was sent before is lost.
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Self { port, _listener: listener }
    }

    /// Hands `elements` over, and returns whether they have left this side: a port that has lost
    /// its other end takes nothing.
    pub(super) fn send(&self, header: Header, elements: &ArrayBuffer) -> Result<bool, String> {
        let is_empty = elements.byte_length() == 0;
        let message = Array::of2(&encode(&What::Tensor(header))?, elements);
        self.port
            .post_message_with_transferable(&message, &Array::of1(elements))
            .map_err(|error| format!("{error:?}"))?;
        Ok(is_empty || elements.byte_length() == 0)
    }

    /// Tells the peer that no more will come, and why: a reason of this rank's own, or the one of
    /// the rank that it `follows`. Never fails: it is said on the way out.
    pub(super) fn say_stopped(&self, why: &str, follows: Option<&str>) {
        let what = match follows {
            Some(first) => What::Followed(first.to_owned()),
            None => What::Stopped(why.to_owned()),
        };
        if let Ok(what) = encode(&what) {
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

/// Passes on what came; a stop also as the reason that this rank would give if it followed.
fn deliver(data: &JsValue, peer: Rank, mailbox: &Mailbox) {
    let (arrival, reason) = match read(data) {
        Some((What::Tensor(header), Some(elements))) => (Arrival::Message(header, elements), None),
        Some((What::Followed(first), _)) => (Arrival::Stopped(first.clone()), Some(first)),
        Some((What::Stopped(why), _)) => {
            let first = format!("rank {peer} stopped: {why}");
            (Arrival::Stopped(why), Some(first))
        }
        _ => (Arrival::Stopped("it sent what is no message".to_owned()), None),
    };
    mailbox.arrive(peer, arrival, reason);
}

fn read(data: &JsValue) -> Option<(What, Option<ArrayBuffer>)> {
    let parts: &Array = data.dyn_ref()?;
    let what = parts.get(0).dyn_into::<Uint8Array>().ok()?.to_vec();
    Some((postcard::from_bytes(&what).ok()?, parts.get(1).dyn_into().ok()))
}
