//! The doctor in a worker of its own, with all that it takes to diagnose: the page's side.

mod examine;
mod helper;
mod protocol;
pub mod report;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use gloo_worker::{Spawnable, WorkerBridge};
use plan::Message;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::build_id::BUILD_ID;
use crate::cluster::{Role, loader};
use crate::silence;
use helper::Helper;
use protocol::{Answer, Ask};
use report::Outcome;

#[cfg(test)]
pub(crate) use examine::examine;
pub use protocol::Question;

#[cfg(feature = "doctor")]
mod serve;
#[cfg(feature = "doctor")]
pub use serve::serve;

/// A doctor who takes one question at a time; the worker ends when this is dropped.
pub struct Doctor(Rc<Inner>);

/// What the doctor says.
#[derive(Clone, Debug, PartialEq)]
pub enum DoctorEvent {
    /// The worker is there.
    Ready,
    /// What came of the question with this number.
    Told(u32, Outcome),
    /// No more answers will come.
    Failed(Message),
}

struct Inner {
    bridge: OnceCell<WorkerBridge<Helper>>,
    /// Who hears the answers, until the first failure.
    on: RefCell<Option<Callback<DoctorEvent>>>,
    /// Whether the worker has said anything yet.
    heard: Cell<bool>,
    /// Whether a question is being answered.
    busy: Cell<bool>,
    /// The question after it: of those that are asked meanwhile, only the newest is of use.
    next: RefCell<Option<Question>>,
}

impl Doctor {
    /// Starts the worker.
    pub fn call(on: Callback<DoctorEvent>) -> Self {
        let inner = Rc::new(Inner {
            bridge: OnceCell::new(),
            on: RefCell::new(Some(on)),
            heard: Cell::default(),
            busy: Cell::default(),
            next: RefCell::default(),
        });
        let weak = Rc::downgrade(&inner);
        let bridge = Helper::spawner()
            // The loader is a file of ours, and this its whole address.
            .with_loader(true)
            .callback(move |answer| {
                if let Some(inner) = weak.upgrade() {
                    inner.hear(answer);
                }
            })
            .spawn(&loader(Role::Doctor));
        inner.bridge.get_or_init(|| bridge).send(Ask::Greet { build: BUILD_ID.to_owned() });
        let weak = Rc::downgrade(&inner);
        spawn_local(async move {
            let waits = || weak.upgrade().is_some_and(|inner| !inner.heard.get());
            if let Some(why) = silence::cause(Role::Doctor, waits).await
                && let Some(inner) = weak.upgrade()
            {
                inner.fail(why);
            }
        });
        Self(inner)
    }

    /// Whether no more answers will come.
    pub fn is_gone(&self) -> bool {
        self.0.on.borrow().is_none()
    }

    /// Asks: at once, or once the question before is answered.
    pub fn ask(&self, question: Question) {
        if self.0.busy.get() {
            self.0.next.replace(Some(question));
        } else {
            self.0.send(question);
        }
    }
}

impl Inner {
    fn send(&self, question: Question) {
        self.busy.set(true);
        if let Some(bridge) = self.bridge.get() {
            bridge.send(Ask::Examine(question));
        }
    }

    fn hear(&self, answer: Answer) {
        self.heard.set(true);
        match answer {
            Answer::Ready => self.tell(DoctorEvent::Ready),
            Answer::Told { number, outcome } => {
                self.busy.set(false);
                if let Some(next) = self.next.take() {
                    self.send(next);
                }
                self.tell(DoctorEvent::Told(number, outcome));
            }
            Answer::Failed(why) => self.fail(why.into()),
        }
    }

    fn tell(&self, event: DoctorEvent) {
        let on = self.on.borrow().clone();
        if let Some(on) = on {
            on.emit(event);
        }
    }

    fn fail(&self, why: Message) {
        if let Some(on) = self.on.take() {
            on.emit(DoctorEvent::Failed(why));
        }
    }
}
