//! Lets the event loop have its turn, so that messages arrive between steps.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageChannel, MessagePort};

/// A message to oneself, which comes after those that were already waiting. A timer would do the
/// same 4 ms later, and in some browsers not at all while the tab is hidden.
pub struct Turn {
    port: MessagePort,
    state: Rc<State>,
    // Lives as long as the other port calls it.
    _listener: (MessagePort, Closure<dyn FnMut()>),
}

#[derive(Default)]
struct State {
    came: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl Turn {
    /// A channel to oneself.
    pub fn new() -> Result<Self, JsValue> {
        let channel = MessageChannel::new()?;
        let state = Rc::new(State::default());
        let listener = Closure::<dyn FnMut()>::new({
            let state = Rc::clone(&state);
            move || {
                state.came.set(true);
                if let Some(waker) = state.waiting.take() {
                    waker.wake();
                }
            }
        });
        let far = channel.port2();
        far.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Ok(Self { port: channel.port1(), state, _listener: (far, listener) })
    }

    /// Returns when everything that waits in the event loop now has been dealt with.
    pub async fn pass(&self) -> Result<(), JsValue> {
        self.state.came.set(false);
        self.port.post_message(&JsValue::NULL)?;
        poll_fn(|context| {
            if self.state.came.get() {
                return Poll::Ready(());
            }
            *self.state.waiting.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
        Ok(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self._listener.0.set_onmessage(None);
        self._listener.0.close();
        self.port.close();
    }
}
