//! What the page's state does with actions, and what it asks of the world outside.

use super::*;
use crate::app::doctor::{self, samples::Sample};
use plan::command::{Report, RunId};
use plan::event::Scalar;
use plan::{Event, EventKind};

use crate::app::engine::{Order, Phase};
use crate::app::presets::Preset;
use crate::app::state::OwnText;
use crate::cluster::{ClusterEvent, Stop};
use crate::reference::ReferenceEvent;

mod back_tests;
mod last_run_tests;
mod time_tests;

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

fn begin(run: u32, from: Option<u32>, until: Option<u32>) -> Effect {
    Effect::Tell(Order::Begin { run: RunId(run), from, until })
}

fn snapshot(state: &mut State, steps: u32) -> Vec<Effect> {
    let run = state.engine.run_id();
    hear(state, 0, Report::Snapshot { run, steps, bytes: vec![1] })
}

#[test]
fn a_changed_setting_begins_anew_and_is_in_the_address() {
    let mut state = ready("");
    assert_eq!(state.apply(Action::Run), [begin(1, None, None)]);
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
    let report = Report::Failed { run, kind: String::new(), message: "late".into() };
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
fn step_back_takes_up_an_earlier_state_and_keeps_what_is_known() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Step);
    train(&mut state, 0);
    let effects = pause(&mut state, 1);
    assert_eq!(effects, [Effect::SaveState(RunId(1))]);
    assert_eq!(snapshot(&mut state, 1), [Effect::Remember]);
    state.apply(Action::Step);
    train(&mut state, 1);
    pause(&mut state, 2);
    assert!(state.can_step_back());
    assert_eq!(state.apply(Action::StepBack), [begin(2, Some(1), Some(1))]);
    assert_eq!((state.steps(), state.record.furthest()), (1, 2));
    pause(&mut state, 1);
    assert_eq!((state.steps(), state.engine.phase()), (1, &Phase::Paused));
    assert_eq!(state.record.curve.losses().len(), 2);
    // Before the first state there is the seed's.
    assert_eq!(state.apply(Action::StepBack), [begin(3, None, Some(0))]);
    assert_eq!(state.steps(), 0);
}

#[test]
fn the_slider_pauses_a_run_before_it_takes_it_elsewhere() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Run);
    for step in 0..3 {
        train(&mut state, step);
    }
    state.apply(Action::Look(Some(2)));
    assert_eq!(state.shown().map(|step| step.step), Some(1));
    state.apply(Action::Look(Some(99)));
    assert_eq!(state.look, Some(3));
    assert_eq!(state.apply(Action::Seek(1)), [Effect::Tell(Order::Pause(RunId(1)))]);
    assert_eq!(pause(&mut state, 3), [begin(2, None, Some(1))]);
    train(&mut state, 0);
    pause(&mut state, 1);
    assert_eq!((state.steps(), state.look, state.engine.phase()), (1, None, &Phase::Paused));
}

#[test]
fn a_step_that_is_chosen_is_shown_until_it_is_let_go() {
    use crate::app::cursor::{Act, Spot};
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Run);
    for step in 0..3 {
        train(&mut state, step);
    }
    let shown = |state: &State| state.shown().map(|step| step.step);
    state.apply(Action::Cursor(Act::Choose(Spot::of_step(1))));
    let first = state.shown();
    train(&mut state, 3);
    assert_eq!((shown(&state), state.shown() == first), (Some(1), true));
    state.apply(Action::Cursor(Act::Forget));
    assert_eq!(shown(&state), Some(3));
}

#[test]
fn a_step_is_shown_as_far_as_its_ring_steps_went() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Step);
    train(&mut state, 0);
    pause(&mut state, 1);
    snapshot(&mut state, 1);
    let run = state.engine.run_id();
    assert_eq!(state.apply(Action::Hop), [Effect::Tell(Order::Hop(run, 2))]);
    for rank in 0..2 {
        let events = vec![Event { rank, step: 1, at_us: 0, kind: EventKind::StepBegin }];
        hear(&mut state, rank, Report::Events { run, events, tokens: Vec::new(), memory: 1 });
        hear(&mut state, rank, Report::Held { run });
    }
    assert_eq!(state.engine.phase(), &Phase::Within);
    assert_eq!(state.shown().map(|step| (step.step, step.events.len())), Some((1, 2)));
    assert_eq!(state.steps(), 1, "the step is not whole");
    assert_eq!(state.apply(Action::Step), [Effect::Tell(Order::Advance(run, 2))]);
}

#[test]
fn a_fork_goes_on_from_the_state_and_keeps_the_run_beside() {
    let mut state = ready("v=1&cp=2&steps=9");
    state.apply(Action::Step);
    train(&mut state, 0);
    pause(&mut state, 1);
    assert_eq!(state.apply(Action::Fork), [Effect::SaveState(RunId(1))]);
    let effects = snapshot(&mut state, 1);
    assert!(effects.contains(&Effect::Launch), "{effects:?}");
    assert_eq!((state.steps(), state.record.first()), (1, 1));
    assert!(state.beside.is_some() && state.address(Place::Play).contains("from=1"));
    for rank in 0..2 {
        state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
    }
    // Another layout fits the state; another network does not.
    state.apply(Action::Set(Field::Layout, "zigzag".into()));
    assert!(state.origin.is_some());
    state.apply(Action::Set(Field::Layers, "3".into()));
    assert_eq!((state.origin.is_none(), state.notices.len(), state.steps()), (true, 1, 0));
    assert!(!state.address(Place::Play).contains("from="));
}

#[test]
fn a_preset_and_a_new_seed_begin_from_the_seed() {
    let forked = || {
        let mut state = ready("v=1");
        state.apply(Action::Step);
        train(&mut state, 0);
        pause(&mut state, 1);
        state.apply(Action::Fork);
        snapshot(&mut state, 1);
        assert!(state.origin.is_some() && state.address(Place::Play).contains("from="));
        state
    };
    // The ring is the run that was forked: the same settings from the beginning.
    for act in [Action::Choose(Preset::OneRank), Action::Choose(Preset::Ring), Action::NewSeed(77)]
    {
        let mut state = forked();
        let said = format!("{act:?}");
        state.apply(act);
        assert_eq!((state.origin.is_none(), state.steps()), (true, 0), "{said}");
        assert!(!state.address(Place::Play).contains("from="), "{said}");
        assert_eq!((state.record.first(), state.put_away.is_none()), (0, false), "{said}");
    }
}

#[test]
fn a_fork_of_a_finished_run_says_that_it_has_more_steps() {
    let mut state = ready("v=1&cp=2&steps=1");
    state.apply(Action::Run);
    train(&mut state, 0);
    let run = state.engine.run_id();
    for rank in 0..2 {
        hear(&mut state, rank, Report::Finished { run });
    }
    state.apply(Action::Fork);
    snapshot(&mut state, 1);
    assert_eq!(*state.notices, [Notice::Longer(2)]);
    assert_eq!((state.form.get(Field::Steps), state.steps()), ("2", 1));
}

#[test]
fn a_limit_changes_the_pace_and_not_the_run() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Run);
    train(&mut state, 0);
    let effects = state.apply(Action::Set(Field::StopLoss, "4".into()));
    assert!(
        matches!(&effects[..], [Effect::Limit(l), Effect::WriteAddress(_)] if l.stop_loss == Some(4.0))
    );
    assert_eq!(state.steps(), 1);
    let stop = Stop::Loss { step: 0, loss: 3.0 };
    state.apply(Action::Cluster(state.launch, ClusterEvent::Stopped(RunId(1), stop)));
    assert_eq!((state.engine.phase(), state.stopped), (&Phase::Pausing, Some(stop)));
    pause(&mut state, 1);
    state.apply(Action::Run);
    assert_eq!(state.stopped, None);
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
fn a_rank_says_what_kind_of_error_ended_it() {
    let mut state = ready("v=1&cp=2&fault=cp-version");
    state.apply(Action::Run);
    let (run, kind) = (state.engine.run_id(), "cp-version".to_owned());
    hear(&mut state, 1, Report::Failed { run, kind, message: "why".into() });
    assert!(matches!(state.engine.phase(), Phase::Failed(f) if f[0].kind == "cp-version"));
}

#[test]
fn a_faulty_run_is_kept_beside_its_healthy_twin() {
    let mut state = ready("v=1&cp=2&fault=local-positions");
    assert_eq!(state.apply(Action::Twin), [], "there is nothing to keep yet");
    state.apply(Action::Run);
    train(&mut state, 0);
    state.apply(Action::Twin);
    let kept = state.beside.as_ref().map(|beside| beside.plan.config().fault);
    assert_eq!(kept, Some(Some(plan::Fault::LocalPositions)));
    assert_eq!((state.plan.config().fault, state.steps()), (None, 0));
    let launch = state.launch;
    let mut began = Vec::new();
    for rank in 0..2 {
        began.extend(state.apply(Action::Cluster(launch, ClusterEvent::Ready { rank })));
    }
    assert!(
        matches!(began[..], [Effect::Tell(Order::Begin { from: None, until: None, .. })]),
        "{began:?}"
    );
}

#[test]
fn another_place_leaves_the_run_alone() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::Run);
    train(&mut state, 0);
    let effects = state.apply(Action::Go(Place::Doctor));
    assert!(
        matches!(&effects[..], [Effect::PushAddress(a), Effect::ScrollUp] if a.contains("view=doctor"))
    );
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
    assert!(
        matches!(&effects[..], [Effect::PushAddress(a), Effect::ScrollUp] if a.contains("heads=4"))
    );
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

#[test]
fn what_was_diagnosed_is_told_again_in_another_language() {
    let ask = Effect::Consult(doctor::Order::Ask);
    let (mut state, _) = State::open("", Language::English);
    assert!(!state.apply(Action::Speak(Language::Chinese)).contains(&ask));
    let sample = Sample::Healthy;
    assert_eq!(state.apply(Action::Doctor(doctor::Act::Take(sample))), std::slice::from_ref(&ask));
    assert!(state.apply(Action::Speak(Language::English)).contains(&ask));
    assert!(!state.apply(Action::Speak(Language::English)).contains(&ask));
    assert!(state.apply(Action::Open("v=1&lang=zh-CN".to_owned())).contains(&ask));
    assert_eq!(state.doctor.question(state.language).language, Language::Chinese);
}

#[test]
fn the_first_ring_step_begins_with_the_beginning() {
    let mut state = ready("v=1&cp=2");
    assert_eq!(state.apply(Action::Hop), [begin(1, Some(0), Some(0))]);
    assert_eq!(pause(&mut state, 0), [Effect::Tell(Order::Hop(RunId(1), 1))]);
    for rank in 0..2 {
        hear(&mut state, rank, Report::Held { run: RunId(1) });
    }
    assert_eq!((state.engine.phase(), state.steps()), (&Phase::Within, 0));
    // Back is the beginning of the step, once the ranks have come to its end.
    assert!(state.can_step_back());
    assert_eq!(state.apply(Action::StepBack), [Effect::Tell(Order::Advance(RunId(1), 1))]);
    train(&mut state, 0);
    assert_eq!(pause(&mut state, 1), [begin(2, None, Some(0))]);
}

#[test]
fn a_door_of_the_start_leads_to_the_heading_behind_it() {
    let mut state = ready("");
    assert!(state.welcome);
    let effects = state.apply(Action::Enter(Place::Play));
    assert_eq!(effects, [Effect::FocusHeading]);
    assert!(!state.welcome);
    let effects = ready("").apply(Action::Enter(Place::Doctor));
    let expected = [Effect::ScrollUp, Effect::FocusHeading];
    assert!(matches!(&effects[..], [Effect::PushAddress(_), rest @ ..] if *rest == expected));
}

#[test]
fn a_text_that_will_not_do_is_not_the_one_that_the_ranks_read() {
    let mut state = ready("");
    let text = |bytes: &[u8]| Some(OwnText { name: None, bytes: bytes.into() });
    let long = text(&[b'a'; 4000]);
    state.apply(Action::UseText(long.clone()));
    assert_eq!(state.used_text, long);
    state.apply(Action::UseText(text(b"short")));
    assert_eq!(state.refusals[0].field, "text");
    assert_eq!(state.used_text, long);
}

#[test]
fn a_frame_has_the_run_and_the_usual_panels() {
    let (mut state, _) = State::open("v=1&cp=2&lang=zh-CN&lesson=ring", Language::default());
    state.apply(Action::Set(Field::Seed, "5".into()));
    let address = state.frame_address();
    assert!(address.contains("cp=2") && address.contains("seed=5"), "{address}");
    assert!(address.ends_with("&lang=zh-CN&embed=1&panels=ring,curve"), "{address}");
    assert!(!address.contains("lesson"), "{address}");
    assert!(address::read(&address).notices.is_empty());
}
