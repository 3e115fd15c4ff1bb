//! What the workers' and the reference's words do to the page's state.

use plan::command::Report;

use crate::app::run_error;
use crate::app::self_test::{SelfTest, TestResult};
use crate::app::shared::Shared;
use crate::app::state::{Effect, State};
use crate::cluster::{ClusterEvent, Failure};
use crate::reference::ReferenceEvent;

impl State {
    /// Takes what the workers of the current launch say.
    pub(super) fn hear(&mut self, event: ClusterEvent) -> Vec<Effect> {
        match event {
            ClusterEvent::Ready { rank } => {
                let orders = self.engine.is_ready(rank);
                self.begin(orders)
            }
            ClusterEvent::Stopped(run, stop) => {
                if self.engine.is_stopped(run) {
                    self.stopped = Some(stop);
                }
                Vec::new()
            }
            ClusterEvent::Failure(failure) => self.fail(failure),
            ClusterEvent::Report { rank, report } => self.hear_report(rank, report),
        }
    }

    fn hear_report(&mut self, rank: u16, report: Report) -> Vec<Effect> {
        let current = self.engine.run_id();
        match report {
            Report::Events { run, events, tokens, memory } if run == current => {
                let before = self.steps();
                self.record.add(self.world(), events);
                self.record.set_memory(rank, memory);
                // In the middle of a step there are none yet.
                if !tokens.is_empty() {
                    self.record.set_tokens(rank, tokens);
                }
                let after = self.steps();
                let follows = self.check && after != before;
                if follows { vec![Effect::AdvanceReference(after)] } else { Vec::new() }
            }
            Report::Paused { run, steps } => {
                let stood = self.engine.stands();
                let orders = self.engine.is_paused(run, rank, steps);
                let mut effects = self.tell(orders);
                if !stood {
                    effects.extend(self.arrive());
                }
                effects
            }
            Report::Finished { run } => {
                let stood = self.engine.stands();
                self.engine.is_finished(run, rank);
                if stood { Vec::new() } else { self.arrive() }
            }
            Report::Held { run } => {
                self.engine.is_held(run, rank);
                Vec::new()
            }
            Report::Snapshot { run, steps, bytes } => self.keep_state(run, steps, bytes),
            Report::Failed { run, kind, message } if run == current => {
                let message = run_error::read(&self.plan, &kind, message);
                self.fail(Failure::of_rank(rank, kind, message))
            }
            Report::Panicked { message } => {
                self.fail(Failure::of_rank(rank, String::new(), message.into()))
            }
            Report::SelfTested { run, passed, failed, round_trips } => {
                if self.self_test == SelfTest::Running(run) {
                    let result = TestResult { passed, failed, round_trips };
                    self.self_test = SelfTest::Done(Shared::new(result));
                }
                Vec::new()
            }
            Report::Ready { .. }
            | Report::Events { .. }
            | Report::Failed { .. }
            // Only workers that nobody watches measure.
            | Report::Measured { .. } => Vec::new(),
        }
    }

    fn fail(&mut self, failure: Failure) -> Vec<Effect> {
        self.engine.fail(failure);
        self.self_test = SelfTest::Idle;
        Vec::new()
    }

    /// Takes what the one-rank run says.
    pub(super) fn hear_reference(&mut self, event: ReferenceEvent) {
        let reference = self.reference.make_mut();
        match event {
            ReferenceEvent::Loss { step, loss } => {
                reference.losses.insert(step, loss);
            }
            ReferenceEvent::Failed(message) => reference.failure = Some(message),
        }
    }
}
