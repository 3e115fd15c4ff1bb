//! What a run's time does with the page's state: forks, checkpoints, what is kept, held and taken away.

use super::*;
use crate::app::last_run::LastRun;
use crate::app::origin::tests::checkpoint;
use crate::app::share::{Format, Picture};

/// A run on two ranks that stands after `steps` steps, with the state of each.
pub(super) fn stands(address: &str, steps: u32) -> State {
    let mut state = ready(address);
    for step in 0..steps {
        state.apply(Action::Step);
        train(&mut state, step);
        pause(&mut state, step + 1);
        snapshot(&mut state, step + 1);
    }
    assert_eq!((state.steps(), state.engine.phase()), (steps, &Phase::Paused));
    state
}

/// Goes back to the state after `steps` steps.
fn go_back(state: &mut State, steps: u32) {
    state.apply(Action::Seek(steps));
    pause(state, steps);
    assert_eq!((state.steps(), state.engine.phase()), (steps, &Phase::Paused));
}

/// What a later visit to `address` makes of what was kept of `state`.
fn later(state: &State, address: &str) -> State {
    let packed = LastRun::pack(state).expect("there is something to keep");
    let run = LastRun::unpack(&packed).expect("it was packed by this page");
    let mut later = ready(address);
    later.apply(Action::Recall(Some(Box::new(run))));
    later
}

fn name(state: &State, keep: Keep) -> Option<String> {
    state.file(keep).map(|file| file.name)
}

#[test]
fn the_command_of_a_fork_goes_on_from_the_file_that_the_page_gives() {
    let mut state = stands("v=1&cp=2&steps=9", 2);
    assert_eq!(
        (name(&state, Keep::Origin), state.train_line().contains("--resume")),
        (None, false)
    );
    state.apply(Action::Fork);
    let file = state.file(Keep::Origin).expect("a fork began from a state");
    assert_eq!(file.name, "ringside-ring-contiguous-cp2-dp1-t256-seed0-step2.safetensors");
    assert_eq!(file.bytes, [1]);
    let resume = format!("ringside train --resume {} --cp 2 --steps 9", file.name);
    assert_eq!(state.train_line(), resume);
}

#[test]
fn the_command_of_an_opened_checkpoint_names_its_file() {
    let mut state = ready("v=1&cp=2");
    let text = "steps_done=3; layers=2 d_model=64 heads=4 kv_heads=4 optimizer=adamw";
    for (opened, named) in [
        ("my run.safetensors", "my-run.safetensors"),
        ("检查点.safetensors", "ringside-ring-contiguous-cp2-dp1-t256-seed0-step3.safetensors"),
    ] {
        state.apply(Action::OpenCheckpoint(opened.into(), checkpoint(Some(text))));
        assert_eq!(name(&state, Keep::Origin).as_deref(), Some(named));
        assert!(state.train_line().contains(&format!("--resume {named} ")));
    }
}

#[test]
fn a_checkpoint_says_which_settings_it_changes() {
    let mut state = ready("v=1&cp=2&steps=100");
    state.apply(Action::OpenCheckpoint("a.safetensors".into(), Vec::new()));
    assert!(matches!(*state.notices, [Notice::NoCheckpoint(_)]));
    let text = "steps_done=100; layers=3 d_model=64 heads=4 kv_heads=2 optimizer=adamw";
    state.apply(Action::OpenCheckpoint("a.safetensors".into(), checkpoint(Some(text))));
    let told: Vec<_> = state.notices.iter().map(Notice::words).collect();
    let expect = "a.safetensors was opened, which changed Layers from 2 to 3, KV heads from all to 2, \
                  Steps from 100 to 200.";
    assert_eq!(told, [expect]);
    // Once more it changes nothing, and what was said is over.
    state.apply(Action::OpenCheckpoint("a.safetensors".into(), checkpoint(Some(text))));
    assert_eq!((*state.notices).len(), 0);
}

#[test]
fn a_fork_leaves_what_the_user_has_kept() {
    let mut state = stands("v=1&cp=2&steps=9", 1);
    assert_eq!(state.apply(Action::Beside(true)), [Effect::Remember]);
    let kept = state.beside.clone();
    state.apply(Action::Fork);
    assert_eq!((state.record.first(), &state.beside), (1, &kept));
    assert_eq!(*state.notices, [Notice::StillBeside]);
}

#[test]
fn what_is_kept_is_there_after_a_reload() {
    let address = "v=1&cp=2&layout=zigzag";
    let mut state = stands(address, 2);
    state.apply(Action::Beside(true));
    let kept = state.beside.clone().expect("it is kept");
    let same = |state: &State| {
        let found = state.beside.as_ref().expect("it is there");
        assert_eq!((found.plan.config(), &found.form), (kept.plan.config(), &kept.form));
        assert_eq!((&*found.curve, &*found.costs), (&*kept.curve, &*kept.costs));
    };
    let back = later(&state, address);
    same(&back);
    assert_eq!((back.steps(), &*back.record.figures.costs), (2, &*kept.costs));
    assert_eq!((state.lost_step(), back.lost_step()), (None, Some(2)), "its events are not kept");
    // As well before the next run has done a step.
    let effects = state.apply(Action::Set(Field::Layout, "striped".into()));
    assert!(effects.contains(&Effect::Remember));
    let back = later(&state, "v=1&cp=2&layout=striped");
    same(&back);
    assert_eq!((back.steps(), back.engine.phase()), (0, &Phase::Idle));
}

#[test]
fn a_text_that_the_settings_refuse_is_there_after_a_reload() {
    let mut state = ready("v=1&cp=2");
    let short = OwnText { name: None, bytes: vec![7; 9].into() };
    let effects = state.apply(Action::UseText(Some(short.clone())));
    assert_eq!((effects, state.refusals.len()), (vec![Effect::Remember], 1));
    let back = later(&state, "v=1&cp=2&text=own");
    assert_eq!((back.text, back.refusals.len(), back.notices.len()), (Some(short), 1, 0));
    // One that was given up is not.
    assert!(state.apply(Action::UseText(None)).contains(&Effect::Remember));
    assert_eq!(later(&state, "v=1&cp=2").text, None);
}

#[test]
fn a_file_is_named_after_the_step_that_is_in_it() {
    let mut state = stands("v=1&cp=2", 3);
    go_back(&mut state, 1);
    for (keep, end) in [
        (Keep::Steps, "-step3-steps.csv"),
        (Keep::Traffic, "-step1-traffic.csv"),
        (Keep::Trace, "-step1-trace.json"),
    ] {
        let name = name(&state, keep).expect("there are numbers");
        assert!(name.ends_with(end), "{name}");
    }
    let text = |state: &State, keep| {
        let file = state.file(keep).expect("there are numbers");
        String::from_utf8(file.bytes).expect("it is text")
    };
    assert_eq!(text(&state, Keep::Steps).lines().count(), 4);
    assert!(text(&state, Keep::Trace).contains("\"step 1\""));
    let picture = |state: &State, picture| state.picture_name(picture, Format::Svg);
    assert!(picture(&state, Picture::Curve).ends_with("-step3-curve.svg"));
    assert!(picture(&state, Picture::Links).ends_with("-step1-links.svg"));
    // What the user points at is what is shown.
    state.apply(Action::Look(Some(2)));
    assert!(name(&state, Keep::Trace).is_some_and(|name| name.ends_with("-step2-trace.json")));
    assert!(picture(&state, Picture::Timeline).ends_with("-step2-timeline.svg"));
    state.apply(Action::Look(None));
    go_back(&mut state, 0);
    assert!(state.can_keep(Keep::Steps) && !state.can_keep(Keep::Traffic));
    assert_eq!(name(&state, Keep::Trace), None);
}

#[test]
fn a_step_is_held_until_it_is_let_go() {
    let mut state = stands("v=1&cp=2", 1);
    state.apply(Action::Hold(state.shown()));
    let shown = |state: &State| state.shown().map(|step| step.step);
    state.apply(Action::Step);
    train(&mut state, 1);
    pause(&mut state, 2);
    assert_eq!((state.steps(), shown(&state)), (2, Some(0)));
    state.apply(Action::Run);
    train(&mut state, 2);
    assert_eq!((state.steps(), shown(&state)), (3, Some(0)));
    state.apply(Action::Hold(None));
    assert_eq!(shown(&state), Some(2));
}

#[test]
fn run_goes_past_a_stop_condition_that_is_met_already() {
    let limits = |effects: &[Effect]| match effects {
        [Effect::Limit(limits), Effect::Tell(_)] => limits.stop_loss,
        other => panic!("{other:?}"),
    };
    let mut state = stands("v=1&cp=2&stop_loss=5.5", 2);
    // The loss is 5.0.
    assert_eq!(limits(&state.apply(Action::Run)), None);
    assert_eq!(state.stopped, Some(Stop::Passed(5.5)));
    // Another speed leaves it at that; another loss counts.
    let speed = state.apply(Action::Set(Field::Speed, "1".into()));
    assert!(matches!(&speed[0], Effect::Limit(limits) if limits.stop_loss.is_none()));
    let loss = state.apply(Action::Set(Field::StopLoss, "4.5".into()));
    assert!(matches!(&loss[0], Effect::Limit(limits) if limits.stop_loss == Some(4.5)));
    assert_eq!(state.stopped, None);
    state.apply(Action::Pause);
    pause(&mut state, 2);
    assert_eq!(limits(&state.apply(Action::Run)), Some(4.5), "it is above");
    state.apply(Action::Pause);
    pause(&mut state, 2);
    // At the beginning there is no loss that would be low enough.
    state.apply(Action::Set(Field::StopLoss, "5.5".into()));
    state.apply(Action::Run);
    assert_eq!(state.stopped, Some(Stop::Passed(5.5)));
    state.apply(Action::Pause);
    pause(&mut state, 2);
    go_back(&mut state, 0);
    assert_eq!(limits(&state.apply(Action::Run)), Some(5.5));
}

#[test]
fn a_run_that_a_change_has_ended_is_told_of() {
    let mut state = stands("v=1&cp=2", 2);
    state.apply(Action::Set(Field::Layout, "zigzag".into()));
    assert_eq!((state.ended, state.engine.phase()), (2, &Phase::Idle));
    // Typed on, through what is refused and to another number of workers.
    state.apply(Action::Set(Field::Heads, "5".into()));
    state.apply(Action::Set(Field::Heads, "4".into()));
    state.apply(Action::Set(Field::Cp, "4".into()));
    assert_eq!(state.ended, 2);
    state.apply(Action::Reset);
    assert_eq!(state.ended, 0, "that is what the user asked for");
}
