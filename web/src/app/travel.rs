//! Moving in time: back and forth within the run, another run from where it stands, checkpoints.

use std::mem::take;
use std::rc::Rc;

use plan::command::RunId;

use crate::app::beside::Beside;
use crate::app::engine::{Goal, Order, Phase};
use crate::app::fields::{Field, MAX_STEPS};
use crate::app::last_run::LastRun;
use crate::app::notice::Notice;
use crate::app::origin::Origin;
use crate::app::record::Record;
use crate::app::share::{CHECKPOINT, File};
use crate::app::shared::Shared;
use crate::app::state::{Action, Effect, State, Then};
use crate::cluster::Stop;

impl State {
    /// The nearest number of steps that the run can be at: between its beginning and the furthest
    /// that it was.
    pub(super) fn reachable(&self, steps: u32) -> u32 {
        steps.clamp(self.record.first(), self.record.furthest())
    }

    /// Takes the ranks to the state after `steps` steps, once they stand.
    pub(super) fn seek(&mut self, steps: u32) -> Vec<Effect> {
        if !self.can_run() {
            return Vec::new();
        }
        let steps = self.reachable(steps);
        // Why it paused is no longer true of where it goes.
        (self.held, self.stopped) = (None, None);
        if self.engine.stands() {
            return self.go_to(steps);
        }
        if matches!(self.engine.phase(), Phase::Failed(_)) {
            let record = take(&mut self.record);
            return self.stand_again(record, steps);
        }
        self.when_standing(Then::Seek(steps))
    }

    /// Trains on; what is about to stand first does so once it stands.
    pub(super) fn go_on(&mut self) -> Vec<Effect> {
        if matches!(self.engine.phase(), Phase::Loading(Goal::TakeUp(_))) {
            self.then = Some(Then::Run);
            return Vec::new();
        }
        let orders = self.engine.run();
        let mut effects = self.pass_stop(&orders);
        effects.extend(self.begin(orders));
        effects
    }

    /// A run that goes on from a loss at which it was to stop would do one step and stop again: it
    /// goes past that condition, and says so.
    pub(super) fn pass_stop(&mut self, orders: &[Order]) -> Vec<Effect> {
        if orders.is_empty() {
            return Vec::new();
        }
        self.stopped = None;
        let Some(limit) = self.limits().stop_loss else { return Vec::new() };
        let is_passed = self.record.loss().is_some_and(|(_, loss)| loss <= limit);
        self.stopped = is_passed.then_some(Stop::Passed(limit));
        vec![Effect::Limit(self.limits())]
    }

    /// Lets the ranks do one ring step; before the first step they take up its beginning first.
    pub(super) fn hop(&mut self) -> Vec<Effect> {
        let orders = match self.engine.phase() {
            Phase::Idle => {
                self.then = Some(Then::Hop);
                self.engine.take_up(self.record.first())
            }
            _ => self.engine.hop(),
        };
        self.begin(orders)
    }

    /// Does `then` at once if all ranks stand, and else once they do: the run pauses for it.
    pub(super) fn when_standing(&mut self, then: Then) -> Vec<Effect> {
        if !self.can_run() {
            return Vec::new();
        }
        self.then = Some(then);
        if self.engine.stands() {
            return self.arrive();
        }
        match self.engine.phase() {
            Phase::Running | Phase::Seeking(_) => {
                let orders = self.engine.pause();
                self.tell(orders)
            }
            Phase::Pausing | Phase::Stepping | Phase::Hopping => Vec::new(),
            Phase::Within => {
                let orders = self.engine.step(self.steps());
                self.tell(orders)
            }
            _ => {
                self.then = None;
                Vec::new()
            }
        }
    }

    /// All ranks stand: does what waited for it, or asks for the state, so that it can be taken.
    pub(super) fn arrive(&mut self) -> Vec<Effect> {
        if !self.engine.stands() {
            return Vec::new();
        }
        match self.then {
            Some(Then::Seek(steps)) => {
                self.then = None;
                return self.go_to(steps);
            }
            Some(Then::Hop) => {
                self.then = None;
                return self.hop();
            }
            Some(Then::Run) => {
                self.then = None;
                return self.go_on();
            }
            _ => {}
        }
        self.look = None;
        match self.record.state(self.steps()) {
            // The end of a run is kept for the next visit, however soon it comes.
            Some(_) => [vec![Effect::Remember], self.take()].concat(),
            None => vec![Effect::SaveState(self.engine.run_id())],
        }
    }

    fn go_to(&mut self, steps: u32) -> Vec<Effect> {
        let orders = self.engine.seek(steps, self.record.nearest(steps));
        if orders.is_empty() {
            self.look = None;
        }
        self.begin(orders)
    }

    /// A state has come from rank 0.
    pub(super) fn keep_state(&mut self, run: RunId, steps: u32, bytes: Vec<u8>) -> Vec<Effect> {
        if run != self.engine.run_id() {
            return Vec::new();
        }
        self.record.keep(steps, bytes.into());
        let mut effects = vec![Effect::Remember];
        if self.engine.stands() && steps == self.steps() {
            effects.extend(self.take());
        }
        effects
    }

    /// The present state is there: does what it was wanted for.
    fn take(&mut self) -> Vec<Effect> {
        let steps = self.steps();
        let Some(bytes) = self.record.state(steps).cloned() else { return Vec::new() };
        match self.then.take() {
            Some(Then::Export) => vec![Effect::Save(File {
                name: format!("{}.safetensors", self.run_name(steps)),
                mime: CHECKPOINT,
                bytes: bytes.to_vec(),
            })],
            Some(Then::Fork) => self.fork(steps, bytes),
            Some(Then::Seek(_) | Then::Hop | Then::Run) | None => Vec::new(),
        }
    }

    /// Another run begins from the present state; this one is kept to compare it with, unless the
    /// user has kept one.
    fn fork(&mut self, steps: u32, bytes: Rc<[u8]>) -> Vec<Effect> {
        // What has come to its end needs more steps to go on.
        let is_over = steps >= self.plan.config().steps;
        let more = (steps + self.plan.config().steps).min(MAX_STEPS);
        if is_over {
            self.form = Shared::new(self.form.with(Field::Steps, &more.to_string()));
        }
        let saved = plan::saved::Saved::of(self.plan.config(), steps);
        let mut notices: Vec<_> = is_over.then_some(Notice::Longer(more)).into_iter().collect();
        match self.beside {
            Some(_) => notices.push(Notice::StillBeside),
            None => self.beside = Some(Shared::new(Beside::of(self))),
        }
        self.notices = notices.into();
        let mut before = self.record.curve.clone();
        before.make_mut().forget_from(steps);
        self.put_away();
        self.set_origin(Some(Origin { name: String::new(), saved, bytes, before }));
        let mut effects = self.restart();
        effects.extend(self.edit((*self.form).clone()));
        effects.push(Effect::Remember);
        effects
    }

    pub(super) fn open_checkpoint(&mut self, name: &str, bytes: Vec<u8>) -> Vec<Effect> {
        match Origin::open(name, bytes) {
            Err(why) => {
                self.notices = Rc::new([Notice::NoCheckpoint(why)]);
                Vec::new()
            }
            Ok(origin) => {
                let form = origin.fit(&self.form);
                let changes = self.form.changes(&form);
                self.notices = match changes.is_empty() {
                    true => Rc::new([]),
                    false => Rc::new([Notice::Opened(origin.name.clone(), changes)]),
                };
                self.put_away();
                self.set_origin(Some(origin));
                let mut effects = self.restart();
                effects.extend(self.edit(form));
                effects.push(Effect::Remember);
                effects
            }
        }
    }

    pub(super) fn set_origin(&mut self, origin: Option<Origin>) {
        self.engine.set_origin(origin.as_ref().map(Origin::steps));
        self.origin = origin.map(Rc::new);
    }

    /// A run of another network, or one that would end before it, cannot begin from the checkpoint.
    pub(super) fn fit_origin(&mut self) {
        let Some(origin) = &self.origin else { return };
        if !origin.fits(self.plan.config()) {
            self.notices = Rc::new([Notice::LeftOrigin(origin.saved)]);
            self.set_origin(None);
        }
    }

    /// An empty record of the run that is about to begin.
    pub(super) fn fresh_record(&self) -> Record {
        Record::from(self.origin.as_deref())
    }

    /// Takes up the run of an earlier visit, if it is the one that the address means and nothing
    /// has begun here; `None` is one that cannot be read here.
    pub(super) fn recall(&mut self, run: Option<Box<LastRun>>) -> Vec<Effect> {
        // Who has pressed Run before it was found means this run.
        let goes = *self.engine.phase() == Phase::Loading(Goal::Run);
        let is_free = goes || *self.engine.phase() == Phase::Idle;
        if !is_free || self.engine.run_id() != RunId(0) || self.embed.is_some() {
            return Vec::new();
        }
        let Some(mut run) = run else {
            self.notices = self.notices.iter().cloned().chain([Notice::LostRun]).collect();
            return Vec::new();
        };
        if !run.is_of(self) {
            return Vec::new();
        }
        self.beside = run.beside();
        let steps = run.steps();
        // What the link cannot carry is here after all.
        let carried = |notice: &&Notice| !matches!(notice, Notice::OwnText | Notice::Checkpoint(_));
        let others: Vec<_> = self.notices.iter().filter(carried).cloned().collect();
        if steps == 0 {
            let Some(text) = run.text() else { return Vec::new() };
            self.notices = others.into();
            return self.apply(Action::UseText(Some(text)));
        }
        run.take_up(self);
        self.notices = others.into_iter().chain([Notice::LastRun(steps)]).collect();
        self.then = goes.then_some(Then::Run);
        let orders = self.engine.take_up(steps);
        let mut effects = self.tell(orders);
        effects.extend(self.write_address());
        effects
    }
}
