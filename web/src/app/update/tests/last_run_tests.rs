//! Which kept run an address gets back, and what leaves a run as it is.

use super::time_tests::stands;
use super::*;
use crate::app::last_run::LastRun;

#[test]
fn the_last_run_is_taken_up_where_its_state_was_kept() {
    let mut state = ready("v=1&cp=2");
    state.apply(Action::UseText(Some(OwnText {
        name: Some("a.txt".into()),
        bytes: vec![7; 300].into(),
    })));
    for rank in 0..2 {
        state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
    }
    state.apply(Action::Step);
    train(&mut state, 0);
    pause(&mut state, 1);
    snapshot(&mut state, 1);
    let packed = LastRun::pack(&state).expect("there is a state to keep");
    let address = state.address(Place::Doctor);
    let mut later = ready(&address);
    let run = LastRun::unpack(&packed).expect("it was packed by this page");
    let effects = later.apply(Action::Recall(Some(Box::new(run))));
    assert_eq!(effects[0], begin(1, Some(1), Some(1)));
    assert_eq!((later.steps(), later.record.loss()), (1, Some((0, 5.0))));
    assert_eq!(later.text, state.text);
    // What was said of it goes with it.
    assert_eq!(*later.notices, [Notice::LastRun(1)]);
    later.apply(Action::Reset);
    assert!(later.notices.is_empty());
    later.apply(Action::OpenCheckpoint("a.png".into(), vec![1]));
    assert_eq!(later.notices.len(), 1);
    later.apply(Action::LeaveOrigin);
    assert!(later.notices.is_empty());
    // Another address is another run.
    let mut other = ready("v=1&cp=2&seed=3");
    let run = LastRun::unpack(&packed).expect("it was packed by this page");
    assert_eq!(other.apply(Action::Recall(Some(Box::new(run)))), []);
    assert!(LastRun::unpack(b"\x09something else").is_none());
    // What else is said of the link stays.
    let mut odd = ready(&format!("{}&colour=red", state.address(Place::Play)));
    let run = LastRun::unpack(&packed).map(Box::new);
    odd.apply(Action::Recall(run));
    assert_eq!(*odd.notices, [Notice::Unknown("colour".into()), Notice::LastRun(1)]);
    let mut damaged = ready("v=1&cp=2");
    assert_eq!(damaged.apply(Action::Recall(None)), []);
    assert_eq!(*damaged.notices, [Notice::LostRun]);
    damaged.apply(Action::Step);
    assert!(damaged.notices.is_empty());
}

/// Two fresh workers are ready, and do the step after `steps` of them.
fn go_on(state: &mut State, steps: u32) {
    for rank in 0..2 {
        state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
    }
    state.apply(Action::Step);
    train(state, steps);
    pause(state, steps + 1);
    snapshot(state, steps + 1);
}

#[test]
fn a_link_gets_no_run_that_it_does_not_name() {
    let mut with_text = ready("v=1&cp=2");
    with_text.apply(Action::UseText(Some(OwnText { name: None, bytes: vec![7; 300].into() })));
    go_on(&mut with_text, 0);
    let mut forked = stands("v=1&cp=2", 1);
    forked.apply(Action::Fork);
    snapshot(&mut forked, 1);
    go_on(&mut forked, 1);
    let runs = [
        ("v=1&cp=2", stands("v=1&cp=2", 1)),
        ("v=1&cp=2&text=own", with_text),
        ("v=1&cp=2&from=1", forked),
    ];
    for (named, kept) in &runs {
        let packed = LastRun::pack(kept).expect("there is a state to keep");
        for address in runs.iter().map(|(address, _)| *address).chain(["v=1&cp=2&from=7"]) {
            let mut later = ready(address);
            later.apply(Action::Recall(LastRun::unpack(&packed).map(Box::new)));
            assert_eq!(later.steps() > 0, address == *named, "{address} of {named}");
        }
    }
}

#[test]
fn a_slip_in_when_to_pause_leaves_the_run() {
    let mut state = stands("v=1&cp=2&stop_loss=2", 1);
    for (value, refused) in [("2x", 1), ("2", 0), ("x", 1), ("", 0)] {
        state.apply(Action::Set(Field::StopLoss, value.into()));
        assert_eq!((state.steps(), state.refusals.len()), (1, refused), "{value}");
    }
    state.apply(Action::Set(Field::StopLoss, "x".into()));
    state.apply(Action::Set(Field::Lr, "x".into()));
    assert_eq!((state.steps(), state.refusals.len()), (0, 2));
}
