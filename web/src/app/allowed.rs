//! What the user may begin in the present state.

use std::borrow::Cow;

use crate::t;
use plan::Refusal;

use crate::app::engine::Phase;
use crate::app::fields::{Field, MAX_STEPS};
use crate::app::self_test::SelfTest;
use crate::app::state::{State, Then};

impl State {
    /// Whether Run and Step may begin anything.
    pub fn can_run(&self) -> bool {
        self.refusals.is_empty() && !matches!(self.self_test, SelfTest::Running(_))
    }

    /// The settings that cannot work, by their labels.
    pub fn wrong(&self) -> Vec<Cow<'static, str>> {
        let label = |refusal: &Refusal| match Field::by_key(&refusal.field) {
            Some(field) => field.label(),
            None => t!("text_box.label"),
        };
        self.refusals.iter().map(label).collect()
    }

    /// Whether the links can be tested: the workers are there, and hold no run.
    pub fn can_test_links(&self) -> bool {
        self.can_run()
            && *self.engine.phase() == Phase::Idle
            && self.engine.ready().iter().all(|&ready| ready)
    }

    /// Whether Step back may begin anything: also on the way, so that who is quick goes back as
    /// often as he asks.
    pub fn can_step_back(&self) -> bool {
        let phase = self.engine.phase();
        let goes = self.engine.stands() || matches!(phase, Phase::Seeking(_) | Phase::Stepping);
        let is_on = goes && self.heading() > self.record.first();
        self.can_run() && (*phase == Phase::Within || is_on)
    }

    /// Steps after which the ranks stand, or will.
    pub(super) fn heading(&self) -> u32 {
        match self.then {
            Some(Then::Seek(to)) => to,
            _ => self.engine.heading().unwrap_or(self.steps()),
        }
    }

    /// Whether the present state can be taken: as a file, or as the beginning of another run.
    pub fn can_take(&self) -> bool {
        self.can_run()
            && self.steps() > 0
            && (self.engine.stands() || *self.engine.phase() == Phase::Running)
    }

    /// Whether another run can begin from the present state: where this one began it would be the
    /// same, and at the last step that the page trains nothing would be left.
    pub fn can_fork(&self) -> bool {
        let is_between = self.steps() > self.record.first() && self.steps() < MAX_STEPS;
        self.can_take() && is_between
    }
}
