//! The doctor's actor: one answer to each question.

use std::cell::RefCell;

use gloo_worker::{HandlerId, Worker, WorkerScope};

use super::examine::examine;
use super::protocol::{Answer, Ask};
use crate::build_id::BUILD_ID;

/// The actor that gloo-worker runs.
pub struct Helper;

thread_local! {
    /// Whom a panic tells.
    static LISTENER: RefCell<Option<(WorkerScope<Helper>, HandlerId)>> = const { RefCell::new(None) };
}

/// A panic's way out: tells the page why this worker will say nothing more.
#[cfg(feature = "doctor")]
pub fn last_words(message: &str) {
    LISTENER.with(|listener| {
        if let Ok(listener) = listener.try_borrow()
            && let Some((scope, id)) = &*listener
        {
            scope.respond(*id, Answer::Failed(message.to_owned()));
        }
    });
}

impl Worker for Helper {
    type Message = ();
    type Input = Ask;
    type Output = Answer;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self
    }

    fn received(&mut self, scope: &WorkerScope<Self>, ask: Ask, from: HandlerId) {
        let answer = match ask {
            Ask::Greet { build } if build != BUILD_ID => Answer::Failed(format!(
                "version mismatch: the page is build {build} and the doctor's files are build \
                 {BUILD_ID}; reload the page"
            )),
            Ask::Greet { .. } => {
                LISTENER.set(Some((scope.clone(), from)));
                Answer::Ready
            }
            Ask::Examine(question) => match examine(&question.entered, question.language) {
                Ok(outcome) => Answer::Told { number: question.number, outcome },
                Err(why) => Answer::Failed(why),
            },
        };
        scope.respond(from, answer);
    }

    fn update(&mut self, _scope: &WorkerScope<Self>, (): ()) {}
}
