//! One rank's web worker, seen from the page.

use std::cell::{Cell, RefCell};

use js_sys::Array;
use plan::command::{Command, Report};
use plan::{Message, message};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

use super::code;
use crate::wire::{Parcel, pack_command, unpack_report};

/// What comes from a worker.
#[derive(Debug)]
pub enum Heard {
    /// A report.
    Report(Report),
    /// Its files could not be loaded: which, if the loader knows, and why.
    NotLoaded {
        /// The file's address.
        url: Option<String>,
        /// What the browser said, which may be nothing.
        message: String,
    },
    /// An error that was thrown outside any run.
    Threw(Message),
}

/// A dedicated module worker of our own; it ends when this is dropped.
pub struct Handle {
    worker: Worker,
    ready: Cell<bool>,
    // A message that is posted before the worker listens would be lost without an error.
    waiting: RefCell<Vec<Parcel>>,
    // They live as long as the worker calls them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(JsValue)>,
}

impl Handle {
    /// Starts the worker at `url`; what it says goes to `hear`.
    pub fn start(url: &str, hear: impl Fn(Heard) + Clone + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(url, &options)?;
        code::give_to(&worker);
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
            let hear = hear.clone();
            move |event: MessageEvent| hear(heard(&event.data()))
        });
        let on_error =
            Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| hear(error(&event)));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self {
            worker,
            ready: Cell::new(false),
            waiting: RefCell::default(),
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Whether the worker has said that it listens.
    pub fn is_ready(&self) -> bool {
        self.ready.get()
    }

    /// The worker listens: sends what has waited for that.
    pub fn set_ready(&self) {
        self.ready.set(true);
        for parcel in self.waiting.take() {
            self.post(&parcel);
        }
    }

    /// Sends `command` with the ports that it brings, at once or when the worker listens.
    pub fn send(&self, command: &Command, ports: &[Option<MessagePort>]) {
        let parcel = pack_command(command, ports);
        if self.is_ready() {
            self.post(&parcel);
        } else {
            self.waiting.borrow_mut().push(parcel);
        }
    }

    fn post(&self, parcel: &Parcel) {
        self.worker
            .post_message_with_transfer(&parcel.message, &parcel.transfer)
            .expect("bytes and fresh ports can be transferred");
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onmessageerror(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// A report, or what the loader says when it fails: `[address, text]`.
fn heard(data: &JsValue) -> Heard {
    if let Some(report) = unpack_report(data) {
        return Heard::Report(report);
    }
    match data.dyn_ref::<Array>() {
        Some(parts) => Heard::NotLoaded {
            url: parts.get(0).as_string(),
            message: parts.get(1).as_string().unwrap_or_default(),
        },
        None => Heard::Threw(message!("the worker sent what is no report")),
    }
}

fn error(event: &JsValue) -> Heard {
    match event.dyn_ref::<ErrorEvent>() {
        Some(event) if !event.message().is_empty() => {
            let place = format!("{}:{}", event.filename(), event.lineno());
            Heard::Threw(format!("{} ({place})", event.message()).into())
        }
        _ => Heard::NotLoaded { url: None, message: String::new() },
    }
}
