//! The helper worker's actor: one run, trained a step at a time between messages.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_worker::{HandlerId, Worker, WorkerScope};
use wasm_bindgen_futures::spawn_local;

use super::engine::Engine;
use super::protocol::{Answer, Ask};
use crate::build_id::BUILD_ID;
use crate::turn::Turn;

/// The actor that gloo-worker runs.
pub struct Helper {
    run: Option<Run>,
}

struct Run {
    engine: Engine,
    listener: HandlerId,
    until: u32,
    /// A step is under way.
    busy: bool,
    turn: Rc<Turn>,
}

/// Do the next step.
pub struct Next;

thread_local! {
    /// Whom a panic tells.
    static LISTENER: RefCell<Option<(WorkerScope<Helper>, HandlerId)>> = const { RefCell::new(None) };
}

/// A panic's way out: tells the page why this worker will say nothing more.
#[cfg(feature = "worker")]
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
    type Message = Next;
    type Input = Ask;
    type Output = Answer;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self { run: None }
    }

    fn received(&mut self, scope: &WorkerScope<Self>, ask: Ask, from: HandlerId) {
        let result = match ask {
            Ask::Begin { build, config, text, from: state } => {
                LISTENER.set(Some((scope.clone(), from)));
                Run::new(&build, *config, text.as_deref(), state.as_deref(), from).map(|run| {
                    self.run = Some(run);
                    scope.respond(from, Answer::Begun);
                })
            }
            Ask::Advance { until } => {
                if let Some(run) = &mut self.run {
                    run.until = run.until.max(until);
                    run.go_on(scope);
                }
                Ok(())
            }
        };
        if let Err(message) = result {
            scope.respond(from, Answer::Failed(message));
        }
    }

    fn update(&mut self, scope: &WorkerScope<Self>, _next: Next) {
        let Some(run) = &mut self.run else { return };
        run.busy = false;
        match run.engine.step() {
            Ok((step, loss)) => {
                scope.respond(run.listener, Answer::Loss { step, loss });
                run.go_on(scope);
            }
            Err(message) => {
                scope.respond(run.listener, Answer::Failed(message));
                self.run = None;
            }
        }
    }
}

impl Run {
    fn new(
        build: &str,
        config: plan::RunConfig,
        text: Option<&[u8]>,
        from: Option<&[u8]>,
        listener: HandlerId,
    ) -> Result<Self, String> {
        if build != BUILD_ID {
            return Err(format!(
                "version mismatch: the page is build {build} and the worker's files are build \
                 {BUILD_ID}; reload the page"
            ));
        }
        let turn = Turn::new().map_err(|error| format!("no message channel: {error:?}"))?;
        let engine = Engine::new(config, text, from)?;
        Ok(Self { engine, listener, until: 0, busy: false, turn: Rc::new(turn) })
    }

    /// Does the next step, if one is due, after the messages that have come meanwhile: one of
    /// them may end this worker.
    fn go_on(&mut self, scope: &WorkerScope<Helper>) {
        if self.busy || self.engine.steps_done() >= self.until {
            return;
        }
        self.busy = true;
        let (turn, scope) = (Rc::clone(&self.turn), scope.clone());
        spawn_local(async move {
            // Without its turn the loop goes on all the same.
            let _ = turn.pass().await;
            scope.send_message(Next);
        });
    }
}
