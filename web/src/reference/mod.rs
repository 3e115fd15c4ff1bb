//! The one-rank run beside the real one, in a helper worker: the page's side.

mod engine;
mod helper;
mod protocol;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_worker::{Spawnable, WorkerBridge};
use plan::{Layout, Message, RunConfig, StrategyKind};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::build_id::BUILD_ID;
use crate::cluster::{Failure, Role, loader};
use crate::silence;
use helper::Helper;
use protocol::{Answer, Ask};

#[cfg(feature = "worker")]
mod serve;
#[cfg(feature = "worker")]
pub use serve::serve;

/// One rank training on the same data as the run beside it; it ends when this is dropped.
pub struct Reference {
    bridge: WorkerBridge<Helper>,
    listener: Listener,
}

/// What the reference says.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceEvent {
    /// A step's loss.
    Loss {
        /// The step, from 0.
        step: u32,
        /// Its mean loss.
        loss: f64,
    },
    /// No more losses will come.
    Failed(Message),
}

impl Reference {
    /// Starts the one-rank run that learns the same as `config` on the same `text`, from the
    /// checkpoint `from` or from its seed; it trains nothing before [`Reference::advance`].
    pub fn launch(
        config: &RunConfig,
        text: Option<&[u8]>,
        from: Option<&[u8]>,
        on: Callback<ReferenceEvent>,
    ) -> Result<Self, Failure> {
        let listener = Listener::new(on);
        let bridge = Helper::spawner()
            // The loader is a file of ours, and this its whole address.
            .with_loader(true)
            .callback({
                let listener = listener.clone();
                move |answer| listener.hear(answer)
            })
            .spawn(&loader(Role::Reference));
        bridge.send(Ask::Begin {
            build: BUILD_ID.to_owned(),
            config: Box::new(alone(config)),
            text: text.map(<[u8]>::to_vec),
            from: from.map(<[u8]>::to_vec),
        });
        let silent = listener.clone();
        spawn_local(async move {
            if let Some(why) = silence::cause(Role::Reference, || silent.still_waits()).await {
                silent.fail(why);
            }
        });
        Ok(Self { bridge, listener })
    }

    /// Lets it train until `until` steps are done.
    pub fn advance(&self, until: u32) {
        self.bridge.send(Ask::Advance { until });
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.listener.on.take();
    }
}

/// Who hears the answers, until the first failure.
#[derive(Clone)]
struct Listener {
    on: Rc<RefCell<Option<Callback<ReferenceEvent>>>>,
    heard: Rc<Cell<bool>>,
}

impl Listener {
    fn new(on: Callback<ReferenceEvent>) -> Self {
        Self { on: Rc::new(RefCell::new(Some(on))), heard: Rc::default() }
    }

    fn hear(&self, answer: Answer) {
        self.heard.set(true);
        match answer {
            Answer::Begun => {}
            Answer::Loss { step, loss } => {
                let on = self.on.borrow().clone();
                if let Some(on) = on {
                    on.emit(ReferenceEvent::Loss { step, loss });
                }
            }
            Answer::Failed(message) => self.fail(message.into()),
        }
    }

    fn fail(&self, message: Message) {
        if let Some(on) = self.on.take() {
            on.emit(ReferenceEvent::Failed(message));
        }
    }

    fn still_waits(&self) -> bool {
        !self.heard.get() && self.on.borrow().is_some()
    }
}

/// The same training on one rank: the same sequences in every step, and nobody to share with.
fn alone(config: &RunConfig) -> RunConfig {
    RunConfig {
        cp: 1,
        dp: 1,
        batch: config.batch * config.dp,
        strategy: StrategyKind::Ring,
        ulysses_degree: None,
        layout: Layout::Contiguous,
        // What others are compared with is healthy.
        fault: None,
        ..config.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::RunPlan;

    #[test]
    fn one_rank_sees_as_many_tokens_a_step_as_all_together() {
        let config = RunConfig { dp: 2, batch: 3, grad_accum: 3, ..RunConfig::default() };
        let alone = alone(&config);
        assert_eq!((alone.batch, alone.grad_accum, alone.cp, alone.dp), (6, 3, 1, 1));
        assert!(RunPlan::new(alone).is_ok());
    }

    #[test]
    fn what_only_several_ranks_can_have_is_left_out() {
        let config = RunConfig {
            strategy: StrategyKind::Usp,
            ulysses_degree: Some(2),
            layout: Layout::Zigzag,
            fault: Some(plan::Fault::LocalPositions),
            ..RunConfig::default()
        };
        assert!(RunPlan::new(config.clone()).is_ok());
        assert!(RunPlan::new(alone(&config)).is_ok());
    }
}
