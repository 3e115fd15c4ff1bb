//! What is had back: a run after Reset, a failure or a reload, and every step that was asked for.

use super::time_tests::stands;
use super::*;
use crate::app::last_run::LastRun;

/// All workers listen.
fn listen(state: &mut State) -> Vec<Effect> {
    (0..state.world() as u16)
        .flat_map(|rank| state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank })))
        .collect()
}

fn away(state: &State) -> Option<u32> {
    state.put_away.as_ref().map(|run| run.steps())
}

#[test]
fn a_run_that_was_ended_can_be_had_back() {
    let mut state = stands("v=1&cp=2&steps=9", 3);
    state.apply(Action::Reset);
    assert_eq!((state.steps(), away(&state)), (0, Some(3)));
    let effects = state.apply(Action::BringBack);
    assert!(effects.contains(&Effect::Launch));
    assert!(listen(&mut state).contains(&begin(1, Some(3), Some(3))));
    pause(&mut state, 3);
    assert_eq!((state.steps(), state.engine.phase()), (3, &Phase::Paused));
    assert_eq!((state.record.curve.losses().len(), away(&state)), (3, None));
    // One that another setting has ended has its own settings; the speed stays as it is.
    state.apply(Action::Set(Field::Layout, "zigzag".into()));
    state.apply(Action::Set(Field::Speed, "1".into()));
    state.apply(Action::BringBack);
    let shown = |field| state.form.get(field).to_owned();
    assert_eq!((shown(Field::Layout), shown(Field::Speed)), ("contiguous".into(), "1".into()));
    assert!(state.apply(Action::BringBack).is_empty());
}

#[test]
fn two_runs_change_places() {
    let mut state = stands("v=1&cp=2&steps=9", 3);
    state.apply(Action::NewSeed(7));
    listen(&mut state);
    state.apply(Action::Step);
    train(&mut state, 0);
    pause(&mut state, 1);
    state.apply(Action::BringBack);
    assert_eq!((state.steps(), away(&state), state.plan.config().seed), (3, Some(1), 0));
    state.apply(Action::BringBack);
    assert_eq!((state.steps(), away(&state), state.plan.config().seed), (1, Some(3), 7));
    // Of it no state is kept: it is trained again.
    assert!(listen(&mut state).contains(&begin(1, None, Some(1))));
}

#[test]
fn a_failed_run_goes_back_to_a_step_before() {
    let mut state = stands("v=1&cp=2&steps=9", 3);
    state.apply(Action::Run);
    let run = state.engine.run_id();
    let (kind, message) = ("diverged".to_owned(), "the loss is NaN".to_owned());
    hear(&mut state, 0, Report::Failed { run, kind, message });
    assert!(matches!(state.engine.phase(), Phase::Failed(_)));
    assert!(state.apply(Action::Seek(2)).contains(&Effect::Launch));
    assert!(listen(&mut state).contains(&begin(1, Some(2), Some(2))));
    pause(&mut state, 2);
    assert_eq!((state.steps(), state.engine.phase()), (2, &Phase::Paused));
    assert_eq!(state.record.furthest(), 3);
}

#[test]
fn every_step_that_is_asked_for_is_done() {
    let mut state = ready("v=1&cp=2&steps=90");
    let effects: Vec<_> = (0..30).flat_map(|_| state.apply(Action::Step)).collect();
    assert_eq!(effects[0], begin(1, None, Some(1)));
    assert_eq!(effects.last(), Some(&Effect::Tell(Order::Advance(RunId(1), 20))));
    // Who stands after the first has not heard of the others yet.
    train(&mut state, 0);
    pause(&mut state, 1);
    assert_eq!(*state.engine.phase(), Phase::Stepping);
    for step in 1..20 {
        train(&mut state, step);
    }
    pause(&mut state, 20);
    assert_eq!((state.steps(), state.engine.phase()), (20, &Phase::Paused));
}

#[test]
fn every_step_back_that_is_asked_for_is_gone() {
    let mut state = stands("v=1&cp=2&steps=9", 5);
    for _ in 0..3 {
        assert!(state.can_step_back());
        state.apply(Action::StepBack);
    }
    // The first is on its way; those after it wait until the ranks stand.
    pause(&mut state, 4);
    pause(&mut state, 2);
    assert_eq!((state.steps(), state.engine.phase()), (2, &Phase::Paused));
    for _ in 0..5 {
        state.apply(Action::StepBack);
    }
    pause(&mut state, 1);
    pause(&mut state, 0);
    assert_eq!((state.steps(), state.engine.phase()), (0, &Phase::Paused));
    assert!(!state.can_step_back());
}

#[test]
fn the_kept_run_and_this_one_change_places() {
    let mut state = stands("v=1&cp=2&steps=9", 3);
    state.apply(Action::Fork);
    assert!(!state.can_swap(), "there is nothing of this one to keep");
    listen(&mut state);
    state.apply(Action::Step);
    train(&mut state, 3);
    pause(&mut state, 4);
    assert!(state.can_swap());
    state.apply(Action::Swap);
    listen(&mut state);
    pause(&mut state, 3);
    assert_eq!((state.steps(), state.origin.is_some()), (3, false));
    let kept = |state: &State| state.beside.as_ref().map(|beside| beside.curve.losses().len());
    assert_eq!((kept(&state), away(&state)), (Some(4), Some(4)));
    state.apply(Action::Swap);
    assert_eq!((kept(&state), state.origin.is_some()), (Some(3), true));
}

#[test]
fn steps_are_counted_before_the_workers_listen() {
    let (mut state, _) = State::open("v=1&cp=2", Language::default());
    for _ in 0..3 {
        state.apply(Action::Step);
    }
    assert!(listen(&mut state).contains(&begin(1, None, Some(3))));
    // On the way to them they are as well.
    state.apply(Action::Step);
    assert_eq!(pause(&mut state, 3).last(), Some(&Effect::Tell(Order::Advance(RunId(1), 4))));
}

#[test]
fn a_fork_shows_the_losses_before_it() {
    let mut state = stands("v=1&cp=2&steps=9", 3);
    assert!(state.can_fork());
    state.apply(Action::Fork);
    assert_eq!((state.record.first(), state.record.has_steps()), (3, false));
    assert_eq!(state.record.curve.losses().len(), 3);
    assert_eq!(state.record.loss(), Some((2, 5.0)));
    listen(&mut state);
    state.apply(Action::Step);
    train(&mut state, 3);
    pause(&mut state, 4);
    assert!(state.can_fork());
    state.apply(Action::Seek(3));
    pause(&mut state, 3);
    assert!(state.can_take() && !state.can_fork(), "it would be the same run");
    state.apply(Action::Reset);
    assert_eq!(state.record.curve.losses().len(), 3);
}

#[test]
fn run_goes_on_from_the_last_run_that_is_on_its_way() {
    let kept = stands("v=1&cp=2", 2);
    let packed = LastRun::pack(&kept).expect("there is something to keep");
    for early in [true, false] {
        let (mut state, _) = State::open("v=1&cp=2", Language::default());
        let run = LastRun::unpack(&packed).expect("it was packed by this page");
        if early {
            state.apply(Action::Run);
        }
        state.apply(Action::Recall(Some(Box::new(run))));
        if !early {
            state.apply(Action::Run);
        }
        assert!(listen(&mut state).contains(&begin(1, Some(2), Some(2))));
        assert!(pause(&mut state, 2).contains(&Effect::Tell(Order::Resume(RunId(1)))));
        assert_eq!((state.steps(), state.engine.phase()), (2, &Phase::Running));
    }
}

#[test]
fn a_link_without_a_mesh_means_that_of_the_run() {
    let mut state = ready("v=1&view=groups&mesh=2,1,2,1,1");
    assert!(!state.groups.follows());
    state.apply(Action::Open("v=1&view=groups".into()));
    assert!(state.groups.follows());
}
