//! What the user's actions do to the page's state.

use std::rc::Rc;

use crate::app::address::{self, Opened};
use crate::app::engine;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::places::Place;
use crate::app::record::Record;
use crate::app::shared::Shared;
use crate::app::state::{Action, Effect, SelfTest, State};

impl State {
    /// Takes `action`; what the world outside must do comes back.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Set(field, value) => self.edit(self.form.with(field, &value)),
            Action::NewSeed(seed) => self.edit(self.form.with(Field::Seed, &seed.to_string())),
            Action::UseText(text) => {
                self.text = text;
                self.edit((*self.form).clone())
            }
            Action::Check(check) => {
                self.check = check;
                let mut effects = self.follow_reference();
                effects.extend(self.write_address());
                effects
            }
            Action::Run if self.can_run() => {
                let orders = self.engine.run();
                self.begin(orders)
            }
            Action::Step if self.can_run() => {
                let orders = self.engine.step();
                self.begin(orders)
            }
            Action::Run | Action::Step => Vec::new(),
            Action::Pause => {
                let orders = self.engine.pause();
                self.tell(orders)
            }
            Action::StepBack => self.step_back(),
            Action::Reset => self.restart(),
            Action::TestLinks => self.test_links(),
            Action::Open(address) => self.open_address(&address),
            Action::Go(place) => self.go(place),
            Action::Return(address) => self.return_to(&address),
            Action::Speak(language) => {
                self.language = language;
                let mut effects = vec![Effect::Speak(language)];
                effects.extend(self.write_address());
                effects
            }
            Action::Groups(act) => {
                self.groups.make_mut().apply(act, self.plan.mesh());
                Vec::new()
            }
            Action::Backend(act) => {
                self.backend.make_mut().apply(act);
                Vec::new()
            }
            Action::Doctor(act) => {
                self.doctor.make_mut().apply(act);
                Vec::new()
            }
            Action::Cursor(act) => {
                self.cursor.apply(act);
                Vec::new()
            }
            Action::Hold(step) => {
                self.held = step;
                Vec::new()
            }
            Action::Keep(keep) => self.file(keep).map(Effect::Save).into_iter().collect(),
            Action::Draw(picture, format) => {
                vec![Effect::Draw(picture, format, self.picture_name(picture, format))]
            }
            Action::Kept(words) => {
                self.kept = words.into();
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

    /// Takes over another form; a run that it changes begins anew.
    fn edit(&mut self, form: Form) -> Vec<Effect> {
        self.form = Shared::new(form);
        let text_bytes = self.text.as_ref().map(|text| text.bytes.len());
        match self.form.plan(text_bytes) {
            Ok(plan) => {
                self.plan = plan;
                self.refusals = Rc::new([]);
                let mut effects =
                    if self.engine.is_used() || self.world() != self.engine.ready().len() {
                        self.restart()
                    } else {
                        self.forget_reference()
                    };
                effects.extend(self.write_address());
                effects
            }
            Err(refusals) => {
                self.refusals = refusals.into();
                // A run that goes on under settings that are no longer shown would mislead.
                if self.engine.is_used() { self.restart() } else { Vec::new() }
            }
        }
    }

    fn open_address(&mut self, address: &str) -> Vec<Effect> {
        let Opened { place, form, check, embed, language, notices } = address::read(address);
        self.place = place;
        self.language_in_address = language.is_some();
        self.language = language.unwrap_or(self.language);
        self.embed = embed.map(Rc::new);
        let same = *self.form == form && self.check == check && notices.is_empty();
        if same {
            return Vec::new();
        }
        self.notices = notices.into();
        self.check = check;
        self.edit(form)
    }

    /// Looks at another place; nothing of the run changes.
    fn go(&mut self, place: Place) -> Vec<Effect> {
        if place == self.place {
            return Vec::new();
        }
        self.place = place;
        vec![Effect::PushAddress(self.address(place))]
    }

    /// Takes the place from an address of an earlier moment, and writes the run of this one; from
    /// run to run it goes as by a link.
    fn return_to(&mut self, address: &str) -> Vec<Effect> {
        let place = address::read(address).place;
        if place == self.place {
            return self.open_address(address);
        }
        self.place = place;
        self.write_address().into_iter().collect()
    }

    /// Ends the run; fresh workers wait at step 0.
    fn restart(&mut self) -> Vec<Effect> {
        let orders = self.engine.renew(self.world());
        self.clear(orders)
    }

    fn step_back(&mut self) -> Vec<Effect> {
        if !self.can_step_back() {
            return Vec::new();
        }
        let orders = self.engine.rewind(self.steps() - 1);
        let mut effects = self.clear(orders);
        effects.extend(self.follow_reference());
        effects
    }

    fn clear(&mut self, orders: Vec<engine::Order>) -> Vec<Effect> {
        self.record = Record::default();
        self.cursor.begin_anew(self.world());
        self.held = None;
        self.self_test = SelfTest::Idle;
        let mut effects = self.forget_reference();
        effects.extend(self.tell(orders));
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
        let effect = |order| match order {
            engine::Order::Launch => {
                self.launch += 1;
                Effect::Launch
            }
            order => Effect::Tell(order),
        };
        orders.into_iter().map(effect).collect()
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
mod tests {
    use super::*;
    use crate::app::language::Language;
    use plan::command::{Report, RunId};
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    use crate::app::engine::{Order, Phase};
    use crate::cluster::ClusterEvent;
    use crate::reference::ReferenceEvent;

    fn ready(address: &str) -> State {
        let (mut state, effects) = State::open(address, Language::default());
        assert_eq!(effects[0], Effect::Launch);
        for rank in 0..state.world() as u16 {
            state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
        }
        state
    }

    fn hear(state: &mut State, rank: u16, report: Report) -> Vec<Effect> {
        state.apply(Action::Cluster(state.launch, ClusterEvent::Report { rank, report }))
    }

    fn train(state: &mut State, step: u32) -> Vec<Effect> {
        let run = state.engine.run_id();
        let mut effects = Vec::new();
        for rank in 0..state.world() as u16 {
            let event = |kind| Event { rank, step, at_us: 0, kind };
            let events = vec![
                event(EventKind::StepBegin),
                event(EventKind::Scalar { name: Scalar::Loss, value: 5.0 }),
                event(EventKind::StepEnd { took_us: 1 }),
            ];
            effects.extend(hear(
                state,
                rank,
                Report::Events { run, events, tokens: vec![b'a'], memory: 1 },
            ));
        }
        effects
    }

    fn pause(state: &mut State, steps: u32) -> Vec<Effect> {
        let run = state.engine.run_id();
        (0..state.world() as u16)
            .flat_map(|rank| hear(state, rank, Report::Paused { run, steps }))
            .collect()
    }

    #[test]
    fn a_changed_setting_begins_anew_and_is_in_the_address() {
        let mut state = ready("");
        assert_eq!(state.apply(Action::Run), [Effect::Tell(Order::Start(RunId(1)))]);
        train(&mut state, 0);
        assert_eq!(state.steps(), 1);
        let effects = state.apply(Action::Set(Field::Layout, "zigzag".into()));
        assert_eq!(effects[0], Effect::Launch);
        assert!(matches!(&effects[1], Effect::WriteAddress(a) if a.contains("layout=zigzag")));
        assert_eq!((state.steps(), state.engine.phase()), (0, &Phase::Idle));
    }

    #[test]
    fn what_an_earlier_launch_sends_is_ignored() {
        let mut state = ready("v=1&cp=2");
        state.apply(Action::Run);
        let (old, run) = (state.launch, state.engine.run_id());
        state.apply(Action::Reset);
        let report = Report::Failed { run, message: "late".into() };
        state.apply(Action::Cluster(old, ClusterEvent::Report { rank: 0, report }));
        assert_eq!(state.engine.phase(), &Phase::Idle);
    }

    #[test]
    fn a_wrong_form_runs_nothing_and_keeps_the_last_plan() {
        let mut state = ready("");
        let effects = state.apply(Action::Set(Field::Heads, "5".into()));
        assert_eq!(effects, []);
        assert_eq!(state.refusals[0].field, "heads");
        assert_eq!((state.apply(Action::Run), state.plan.model().heads), (vec![], 4));
        state.apply(Action::Set(Field::Heads, "4".into()));
        assert!(state.can_run());
    }

    #[test]
    fn another_number_of_ranks_launches_as_many_workers() {
        let mut state = ready("");
        let effects = state.apply(Action::Set(Field::Cp, "8".into()));
        assert_eq!((effects.first(), state.world()), (Some(&Effect::Launch), 8));
        assert_eq!(state.engine.ready().len(), 8);
    }

    #[test]
    fn step_back_retrains_to_the_step_before() {
        let mut state = ready("v=1&cp=2");
        state.apply(Action::Step);
        train(&mut state, 0);
        pause(&mut state, 1);
        state.apply(Action::Step);
        train(&mut state, 1);
        assert!(!state.can_step_back());
        pause(&mut state, 2);
        assert!(state.can_step_back());
        assert_eq!(state.apply(Action::StepBack), [Effect::Launch]);
        assert_eq!(state.steps(), 0);
        for rank in 0..2 {
            state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
        }
        train(&mut state, 0);
        pause(&mut state, 1);
        assert_eq!((state.steps(), state.engine.phase()), (1, &Phase::Paused));
    }

    #[test]
    fn what_is_lit_stays_while_the_run_goes_on_and_its_step_ends_with_it() {
        use crate::app::cursor::{Act, Spot};
        let mut state = ready("v=1&cp=4");
        state.apply(Action::Run);
        train(&mut state, 0);
        let spot = Spot { step: Some(0), ..Spot::of_rank(3) };
        assert_eq!(state.apply(Action::Cursor(Act::Choose(spot))), []);
        train(&mut state, 1);
        assert_eq!(state.cursor.spot(), spot);
        state.apply(Action::Reset);
        assert_eq!(state.cursor.spot(), Spot::of_rank(3));
        state.apply(Action::Set(Field::Cp, "2".into()));
        assert!(state.cursor.spot().is_empty(), "there is no rank 3 any more");
    }

    #[test]
    fn the_reference_follows_the_run() {
        let mut state = ready("v=1&cp=2&check=1");
        let effects = state.apply(Action::Run);
        assert_eq!(effects[1..], [Effect::LaunchReference, Effect::AdvanceReference(0)]);
        assert_eq!(train(&mut state, 0), [Effect::AdvanceReference(1)]);
        let event = ReferenceEvent::Loss { step: 0, loss: 5.5 };
        state.apply(Action::Reference(state.reference_launch, event));
        let difference = state.reference.compare(&state.record.curve).expect("one step");
        assert_eq!(difference.largest, 0.5);
        assert_eq!(state.apply(Action::Check(false))[0], Effect::DropReference);
        assert!(state.reference.losses.is_empty());
        let again = state.apply(Action::Check(true));
        assert_eq!(again[..2], [Effect::LaunchReference, Effect::AdvanceReference(1)]);
    }

    #[test]
    fn a_failure_ends_in_a_restart() {
        let mut state = ready("");
        state.apply(Action::Run);
        hear(&mut state, 2, Report::Panicked { message: "boom".into() });
        assert!(matches!(state.engine.phase(), Phase::Failed(f) if f[0].rank == Some(2)));
        assert_eq!(state.apply(Action::Reset), [Effect::Launch]);
        assert_eq!(state.engine.phase(), &Phase::Idle);
    }

    #[test]
    fn another_place_leaves_the_run_alone() {
        let mut state = ready("v=1&cp=2");
        state.apply(Action::Run);
        train(&mut state, 0);
        let effects = state.apply(Action::Go(Place::Doctor));
        assert!(matches!(&effects[..], [Effect::PushAddress(a)] if a.contains("view=doctor")));
        assert_eq!(state.apply(Action::Go(Place::Doctor)), []);
        let opened = state.address(Place::Backend);
        assert_eq!(state.apply(Action::Open(opened)), []);
        assert_eq!(state.place, Place::Backend);
        // Back: the entry was written when there were 4 ranks, and there are 2 now.
        let effects = state.apply(Action::Return("v=1&cp=4".into()));
        assert!(matches!(&effects[..], [Effect::WriteAddress(a)] if a.contains("cp=2")));
        assert_eq!((state.place, state.steps()), (Place::Play, 1));
        assert_eq!(state.engine.phase(), &Phase::Running);
    }

    #[test]
    fn a_wrong_form_does_not_keep_anybody_from_leaving() {
        let mut state = ready("");
        state.apply(Action::Set(Field::Heads, "5".into()));
        let effects = state.apply(Action::Go(Place::Groups));
        assert!(matches!(&effects[..], [Effect::PushAddress(a)] if a.contains("heads=4")));
        assert_eq!(state.form.get(Field::Heads), "5");
    }

    #[test]
    fn a_page_inside_another_stays_there() {
        let (mut state, _) = State::open("#v=1&cp=2&embed=1&panels=traffic", Language::default());
        let address = state.address(Place::Play);
        assert!(address.ends_with("&embed=1&panels=traffic"), "{address}");
        assert!(!state.run_address(Place::Play).contains("embed"));
        let effects = state.apply(Action::Set(Field::Cp, "4".into()));
        assert!(
            matches!(effects.last(), Some(Effect::WriteAddress(a)) if a.contains("embed=1")),
            "{effects:?}"
        );
    }

    #[test]
    fn an_address_with_faults_opens_with_notices() {
        let (state, effects) = State::open("#v=1&seq_len=9999&what=1", Language::default());
        assert_eq!(state.notices.len(), 2);
        assert_eq!(state.plan.config().seq_len, 4096);
        assert!(effects.iter().any(|e| matches!(e, Effect::WriteAddress(_))));
    }
}
