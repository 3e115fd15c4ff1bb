//! A run that was ended by Reset, a change of the settings or a fork: it is kept, and can be had back.

use std::mem::take;
use std::rc::Rc;

use plan::RunPlan;

use crate::app::beside::Beside;
use crate::app::form::Form;
use crate::app::origin::Origin;
use crate::app::record::Record;
use crate::app::shared::Shared;
use crate::app::state::{Effect, OwnText, State, Then};

/// All that makes a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PutAway {
    plan: Shared<RunPlan>,
    text: Option<OwnText>,
    origin: Option<Rc<Origin>>,
    record: Record,
}

impl PutAway {
    /// Steps that it had done.
    pub fn steps(&self) -> u32 {
        self.record.steps()
    }
}

impl State {
    /// Keeps the run that is about to end, if it has trained anything.
    pub(super) fn put_away(&mut self) {
        if self.record.has_steps() {
            self.put_away = Some(Box::new(PutAway {
                plan: self.plan.clone(),
                text: self.used_text.clone(),
                origin: self.origin.clone(),
                record: take(&mut self.record),
            }));
        }
    }

    /// Goes on with the run that was ended last; the present one is kept in its place.
    pub(super) fn bring_back(&mut self) -> Vec<Effect> {
        let Some(run) = self.put_away.take() else { return Vec::new() };
        self.put_away();
        let PutAway { plan, text, origin, record } = *run;
        self.form = Shared::new(Form::of(plan.config()).with_limits_of(&self.form));
        self.plan = plan;
        self.refusals = Rc::new([]);
        (self.text, self.used_text) = (text.clone(), text);
        self.engine.set_origin(origin.as_ref().map(|origin| origin.steps()));
        self.origin = origin;
        let steps = record.steps();
        let mut effects = self.stand_again(record, steps);
        effects.extend(self.write_address());
        effects
    }

    /// Whether the run that was ended last is the one that is kept to compare with, and there is
    /// another to keep in its place.
    pub fn can_swap(&self) -> bool {
        let (Some(kept), Some(ended)) = (&self.beside, &self.put_away) else { return false };
        kept.curve == ended.record.curve && self.record.has_steps()
    }

    /// Goes on with the kept run; the present one is kept in its place.
    pub(super) fn swap(&mut self) -> Vec<Effect> {
        if !self.can_swap() {
            return Vec::new();
        }
        self.beside = Some(Shared::new(Beside::of(self)));
        let mut effects = self.bring_back();
        effects.push(Effect::Remember);
        effects
    }

    /// Fresh workers take up the run of `record`, and stand after `steps` steps.
    pub(super) fn stand_again(&mut self, record: Record, steps: u32) -> Vec<Effect> {
        let mut effects = self.restart();
        self.record = record;
        let orders = match self.record.nearest(steps) {
            Some(from) => {
                self.then = (from < steps).then_some(Then::Seek(steps));
                self.engine.take_up(from)
            }
            None => self.engine.seek(steps, None),
        };
        effects.extend(self.tell(orders));
        effects
    }
}
