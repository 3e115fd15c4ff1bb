//! What the user's actions do to the page's state.

use std::rc::Rc;

use plan::Refusal;

use crate::app::address::{self, Opened};
use crate::app::beside::Beside;
use crate::app::engine::{self, Phase};
use crate::app::entered::{self, Entry};
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::groups;
use crate::app::language::Language;
use crate::app::notice::Notice;
use crate::app::places::Place;
use crate::app::presets::Preset;
use crate::app::self_test::SelfTest;
use crate::app::share::Keep;
use crate::app::shared::Shared;
use crate::app::state::{Action, Effect, State, Then};
use crate::cluster::Stop;

impl State {
    /// Takes `action`; what the world outside must do comes back.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        // What comes many times a second is looked at when it is drawn; what is lit counts nowhere.
        let is_often = action.is_report() || matches!(action, Action::Cursor(_) | Action::Look(_));
        let mut effects = self.take_action(action);
        self.look_again();
        if !is_often {
            effects.extend(self.judge());
        }
        effects
    }

    fn take_action(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Set(field, value) => self.edit(self.form.with(field, &value)),
            Action::NewSeed(seed) => {
                self.edit_from_seed(self.form.with(Field::Seed, &seed.to_string()))
            }
            Action::UseText(text) => {
                self.text = text;
                let mut effects = self.edit((*self.form).clone());
                // A text that is refused is worth keeping, and one that is given up is not.
                effects.extend(self.write_address());
                effects.push(Effect::Remember);
                effects
            }
            Action::Choose(preset) => self.choose(preset),
            Action::Check(check) => {
                self.check = check;
                let mut effects = self.follow_reference();
                effects.extend(self.write_address());
                effects
            }
            Action::Run if self.can_run() => {
                self.look = None;
                self.leave_notices();
                self.go_on()
            }
            Action::Step if self.can_run() => {
                (self.stopped, self.look) = (None, None);
                self.leave_notices();
                let orders = self.engine.step(self.steps());
                self.begin(orders)
            }
            Action::Hop if self.can_run() => {
                (self.stopped, self.look) = (None, None);
                self.hop()
            }
            Action::Run | Action::Step | Action::Hop => Vec::new(),
            Action::Pause => {
                self.then = self.then.filter(|then| *then != Then::Run);
                let orders = self.engine.pause();
                self.tell(orders)
            }
            // Within a step, back is where it began.
            Action::StepBack if *self.engine.phase() == Phase::Within => self.seek(self.steps()),
            Action::StepBack if self.can_step_back() => self.seek(self.heading() - 1),
            Action::StepBack => Vec::new(),
            Action::Look(steps) => {
                self.look = steps.map(|steps| self.reachable(steps));
                Vec::new()
            }
            Action::Seek(steps) => self.seek(steps),
            Action::Fork => self.when_standing(Then::Fork),
            Action::OpenCheckpoint(name, bytes) => self.open_checkpoint(&name, bytes),
            Action::NoCheckpoint(why) => {
                self.notices = Rc::new([Notice::NoCheckpoint(why)]);
                Vec::new()
            }
            Action::LeaveOrigin => {
                self.put_away();
                self.set_origin(None);
                let mut effects = self.restart();
                effects.extend(self.write_address());
                effects
            }
            Action::Beside(keep) => {
                self.beside = keep.then(|| Shared::new(Beside::of(self)));
                vec![Effect::Remember]
            }
            Action::Swap => self.swap(),
            Action::Twin if self.record.has_steps() => {
                let mut effects = self.apply(Action::Beside(true));
                effects.extend(self.apply(Action::Set(Field::Fault, String::new())));
                effects.extend(self.apply(Action::Run));
                effects
            }
            Action::Twin => Vec::new(),
            Action::Recall(run) => self.recall(run),
            Action::Reset => {
                self.put_away();
                self.restart()
            }
            Action::BringBack => self.bring_back(),
            Action::TestLinks => self.test_links(),
            Action::Open(address) => self.open_address(&address),
            Action::Go(place) => self.go(place),
            Action::Enter(place) => {
                let mut effects = self.go(place);
                effects.push(Effect::FocusHeading);
                effects
            }
            Action::Welcome => {
                let effects = self.go(Place::Play);
                self.welcome = true;
                effects
            }
            Action::Return(address) => self.return_to(&address),
            Action::Speak(language) => {
                let mut effects = vec![Effect::Speak(language)];
                effects.extend(self.speak(language));
                effects.extend(self.write_address());
                effects
            }
            Action::Mute(language, why) => {
                self.notices = Rc::new([Notice::Mute(language, why)]);
                Vec::new()
            }
            Action::Press(command, seed) => match command.action(self, seed) {
                Some(action) => self.apply(action),
                None => Vec::new(),
            },
            Action::Help(open) => {
                self.help = open;
                Vec::new()
            }
            Action::SingleKeys(on) => {
                self.single_keys = on;
                vec![Effect::KeepSingleKeys(on)]
            }
            Action::Groups(act) => self.enter([Entry::Groups(act)]),
            Action::Backend(act) => self.enter([Entry::Backend(act)]),
            Action::Doctor(act) => self.enter([Entry::Doctor(act)]),
            Action::Lesson(act) => self.teach(act),
            Action::Cursor(act) => {
                self.cursor.apply(act);
                Vec::new()
            }
            Action::Hold(step) => {
                self.held = step;
                Vec::new()
            }
            Action::Keep(Keep::Checkpoint) => self.when_standing(Then::Export),
            Action::Keep(keep) => self.file(keep).map(Effect::Save).into_iter().collect(),
            Action::Draw(picture, format) => {
                vec![Effect::Draw(picture, format, self.picture_name(picture, format))]
            }
            Action::Kept(kept) => {
                self.kept = Some(kept);
                Vec::new()
            }
            Action::DismissNotices => {
                self.notices = Rc::new([]);
                Vec::new()
            }
            Action::OtherBuild => {
                self.other_build = true;
                Vec::new()
            }
            Action::Cluster(launch, event) if launch == self.launch => self.hear(event),
            Action::Reference(launch, event) if launch == self.reference_launch => {
                self.hear_reference(event);
                Vec::new()
            }
            Action::Cluster(..) | Action::Reference(..) => Vec::new(),
        }
    }

    /// Enters something in places beside the run; the address follows where it is looked at.
    pub(super) fn enter(&mut self, entries: impl IntoIterator<Item = Entry>) -> Vec<Effect> {
        let before = entered::written(self, self.place);
        let mut effects = Vec::new();
        for entry in entries {
            match entry {
                Entry::Groups(act) => self.groups.make_mut().apply(act, self.plan.mesh()),
                Entry::Backend(act) => self.backend.make_mut().apply(act),
                Entry::Doctor(act) => {
                    effects.extend(self.doctor.make_mut().apply(act).map(Effect::Consult));
                }
            }
        }
        if entered::written(self, self.place) != before {
            effects.extend(self.write_address());
        }
        effects
    }

    /// Takes over a run worth seeing; the browser's Back leads to the one before.
    fn choose(&mut self, preset: Preset) -> Vec<Effect> {
        let before = self.address(self.place);
        let mut effects = self.edit_from_seed(preset.form().with_limits_of(&self.form));
        let other =
            |effect: &&mut Effect| matches!(effect, Effect::WriteAddress(to) if *to != before);
        if let Some(effect) = effects.iter_mut().find(other) {
            *effect = Effect::PushAddress(self.address(self.place));
        }
        effects
    }

    /// Takes over a form that stands for itself: its run begins from the seed, not from a checkpoint.
    fn edit_from_seed(&mut self, form: Form) -> Vec<Effect> {
        if self.origin.is_none() {
            return self.edit(form);
        }
        let (before, ended) = (self.plan.clone(), self.record.furthest());
        self.put_away();
        self.set_origin(None);
        let mut effects = self.edit(form);
        if self.plan == before && self.refusals.is_empty() {
            effects.extend(self.restart());
            effects.extend(self.write_address());
        }
        self.ended = ended;
        effects
    }

    /// Takes over another form; a run that it changes begins anew.
    pub(super) fn edit(&mut self, form: Form) -> Vec<Effect> {
        let limits = form.limits();
        let was = self.form.limits();
        if limits.stop_loss != was.stop_loss && matches!(self.stopped, Some(Stop::Passed(_))) {
            self.stopped = None;
        }
        self.form = Shared::new(form);
        let ended = if self.record.has_steps() { self.record.furthest() } else { self.ended };
        let text_bytes = self.text.as_ref().map(|text| text.bytes.len());
        match self.form.plan(text_bytes) {
            Ok(plan) => {
                // How fast it goes and when it pauses is no part of the run.
                let same = plan.config() == self.plan.config()
                    && self.text == self.used_text
                    && self.refuses_limits_alone();
                self.refusals = Rc::new([]);
                let mut effects = Vec::new();
                if !same {
                    self.put_away();
                    self.used_text = self.text.clone();
                    self.plan = plan;
                    self.fit_origin();
                    effects.extend(self.begin_anew());
                    self.ended = ended;
                    if self.text.is_some() || self.beside.is_some() {
                        effects.push(Effect::Remember);
                    }
                }
                if limits != was {
                    effects.push(Effect::Limit(self.limits()));
                }
                effects.extend(self.write_address());
                effects
            }
            Err(refusals) => {
                let stands = self.refuses_limits_alone();
                self.refusals = refusals.into();
                // A slip in when to pause is no part of the run either.
                if stands && self.refuses_limits_alone() {
                    return Vec::new();
                }
                // A run that goes on under settings that are no longer shown would mislead.
                self.put_away();
                let effects = if self.engine.is_used() { self.restart() } else { Vec::new() };
                self.ended = ended;
                effects
            }
        }
    }

    /// Whether what is refused, if anything, only says how the run is watched and when it pauses.
    fn refuses_limits_alone(&self) -> bool {
        let is_limit =
            |refusal: &Refusal| Field::by_key(&refusal.field).is_some_and(Field::is_limit);
        self.refusals.iter().all(is_limit)
    }

    /// Fresh workers for what was changed, where there are others or they are used.
    fn begin_anew(&mut self) -> Vec<Effect> {
        if self.engine.is_used() || self.world() != self.engine.ready().len() {
            self.restart()
        } else {
            self.record = self.fresh_record();
            self.forget_reference()
        }
    }

    fn open_address(&mut self, address: &str) -> Vec<Effect> {
        let Opened { place, form, check, embed, language, lesson, entries, notices } =
            address::read(address);
        self.place = place;
        self.language_in_address = language.is_some();
        let mut effects = self.speak(language.unwrap_or(self.language));
        // A link that names no mesh means the run's own.
        if place == Place::Groups {
            self.groups.make_mut().apply(groups::Act::Follow, self.plan.mesh());
        }
        self.embed = embed.map(Rc::new);
        effects.extend(self.enter(entries));
        let before = self.notices.len();
        let lesson = lesson.as_ref().map(|(lesson, step)| (&lesson[..], &step[..]));
        effects.extend(self.open_lesson(lesson));
        let same = *self.form == form && self.check == check && notices.is_empty();
        if same {
            return effects;
        }
        // Those of the lesson are new.
        let taught = self.notices.iter().skip(before).cloned();
        self.notices = notices.into_iter().chain(taught).collect();
        self.check = check;
        effects.extend(self.edit(form));
        if self.engine.has_begun() {
            effects.extend(self.follow_reference());
        }
        effects
    }

    /// Speaks a language from now on, in which the doctor is asked to tell what it has told, and
    /// lessons are asked for.
    fn speak(&mut self, language: Language) -> Vec<Effect> {
        if std::mem::replace(&mut self.language, language) == language {
            return Vec::new();
        }
        let mut effects = self.fetch_lessons();
        effects.extend(self.doctor.make_mut().retell().map(Effect::Consult));
        effects
    }

    /// Looks at another place; nothing of the run changes.
    pub(super) fn go(&mut self, place: Place) -> Vec<Effect> {
        self.welcome = false;
        if place == self.place {
            return Vec::new();
        }
        let mut effects = vec![Effect::PushAddress(self.address(place)), Effect::ScrollUp];
        effects.extend(self.arrive_at(place));
        effects
    }

    /// Is at `place` from now on, and does what that needs.
    fn arrive_at(&mut self, place: Place) -> Vec<Effect> {
        self.place = place;
        match place {
            Place::Learn => self.need_index(),
            // What it times wants the cores.
            Place::Bench => {
                let orders = self.engine.pause();
                self.tell(orders)
            }
            _ => Vec::new(),
        }
    }

    /// Takes place and lesson from an address of an earlier moment, and writes the run of this one; from
    /// run to run it goes as by a link.
    fn return_to(&mut self, address: &str) -> Vec<Effect> {
        let Opened { place, lesson, .. } = address::read(address);
        let lesson = lesson.as_ref().map(|(lesson, step)| (&lesson[..], &step[..]));
        let is_same = lesson == self.lessons.address();
        if place == self.place && is_same {
            return self.open_address(address);
        }
        self.place = place;
        let mut effects = if is_same { Vec::new() } else { self.return_to_lesson(lesson) };
        effects.extend(self.write_address());
        effects.extend(self.arrive_at(place));
        effects
    }

    /// Leaves what was said before something was trained.
    fn leave_notices(&mut self) {
        if !self.notices.iter().all(Notice::outlives_training) {
            self.notices = self.notices.iter().filter(|n| n.outlives_training()).cloned().collect();
        }
    }

    /// Ends the run; fresh workers wait where it began.
    pub(super) fn restart(&mut self) -> Vec<Effect> {
        let orders = self.engine.renew(self.world());
        self.record = self.fresh_record();
        self.cursor.begin_anew(self.world());
        (self.held, self.look, self.then, self.stopped) = (None, None, None, None);
        self.ended = 0;
        self.leave_notices();
        self.self_test = SelfTest::Idle;
        let mut effects = self.tell(orders);
        effects.extend(self.forget_reference());
        effects
    }

    fn test_links(&mut self) -> Vec<Effect> {
        if !self.can_test_links() {
            return Vec::new();
        }
        let run = self.engine.reserve_run();
        self.self_test = SelfTest::Running(run);
        vec![Effect::SelfTest(run)]
    }

    pub(super) fn begin(&mut self, orders: Vec<engine::Order>) -> Vec<Effect> {
        let mut effects = self.tell(orders);
        effects.extend(self.follow_reference());
        effects
    }

    pub(super) fn tell(&mut self, orders: Vec<engine::Order>) -> Vec<Effect> {
        let mut effect = |order| match order {
            engine::Order::Launch => {
                self.launch += 1;
                Effect::Launch
            }
            order => {
                if let engine::Order::Begin { from, .. } = order {
                    self.record.go_back(from);
                }
                Effect::Tell(order)
            }
        };
        orders.into_iter().map(&mut effect).collect()
    }

    /// Begins or ends the one-rank run as the switch and the phase ask for.
    fn follow_reference(&mut self) -> Vec<Effect> {
        if !self.check {
            return self.forget_reference();
        }
        if !self.engine.has_begun() || self.reference_runs() {
            return Vec::new();
        }
        self.reference_launch += 1;
        self.reference = Shared::default();
        vec![Effect::LaunchReference, Effect::AdvanceReference(self.steps())]
    }

    /// Launches are odd while a reference runs, and even when none does.
    fn reference_runs(&self) -> bool {
        self.reference_launch % 2 == 1
    }

    fn forget_reference(&mut self) -> Vec<Effect> {
        if !self.reference_runs() {
            return Vec::new();
        }
        self.reference_launch += 1;
        self.reference = Shared::default();
        vec![Effect::DropReference]
    }
}

#[cfg(test)]
mod tests;
