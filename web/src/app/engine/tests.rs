//! What a run's machine answers to the user and to its workers.

use super::*;

fn ready(world: u16) -> Engine {
    let mut engine = Engine::new(usize::from(world), None);
    for rank in 0..world {
        assert_eq!(engine.is_ready(rank), []);
    }
    engine
}

fn pause_all(engine: &mut Engine, steps: u32) -> Vec<Order> {
    let run = engine.run_id();
    let mut orders = engine.is_paused(run, 0, steps);
    orders.extend(engine.is_paused(run, 1, steps));
    orders
}

fn begin(run: u32, from: Option<u32>, until: Option<u32>) -> Order {
    Order::Begin { run: RunId(run), from, until }
}

#[test]
fn run_waits_for_every_worker() {
    let mut engine = Engine::new(2, None);
    assert_eq!(engine.run(), []);
    assert_eq!(engine.is_ready(1), []);
    assert_eq!(engine.is_ready(0), [begin(1, None, None)]);
    assert_eq!(engine.phase(), &Phase::Running);
}

#[test]
fn pausing_ends_when_all_ranks_stand() {
    let mut engine = ready(2);
    engine.run();
    assert_eq!(engine.pause(), [Order::Pause(RunId(1))]);
    assert_eq!(engine.is_paused(RunId(1), 0, 5), []);
    assert_eq!(engine.phase(), &Phase::Pausing);
    engine.is_paused(RunId(1), 1, 5);
    assert_eq!(engine.phase(), &Phase::Paused);
    assert_eq!(engine.step(0), [Order::Advance(RunId(1), 6)]);
    pause_all(&mut engine, 6);
    assert_eq!(engine.run(), [Order::Resume(RunId(1))]);
}

#[test]
fn going_back_takes_up_a_snapshot_and_trains_on_from_it() {
    let mut engine = ready(2);
    engine.run();
    engine.pause();
    pause_all(&mut engine, 35);
    assert_eq!(engine.seek(30, Some(20)), [begin(2, Some(20), Some(28))]);
    assert_eq!(engine.phase(), &Phase::Seeking(30));
    assert_eq!(pause_all(&mut engine, 28), [Order::Advance(RunId(2), 30)]);
    assert_eq!(pause_all(&mut engine, 30), []);
    assert_eq!(engine.phase(), &Phase::Paused);
    // Onward there is nothing to take up, unless a snapshot is nearer.
    assert_eq!(engine.seek(33, Some(20)), [Order::Advance(RunId(2), 33)]);
    pause_all(&mut engine, 33);
    assert_eq!(engine.seek(90, Some(80)), [begin(3, Some(80), Some(88))]);
    engine.pause();
    assert_eq!(pause_all(&mut engine, 88), []);
    assert_eq!(engine.phase(), &Phase::Paused);
}

#[test]
fn going_back_to_the_beginning_stands_there() {
    let mut engine = ready(2);
    engine.step(0);
    pause_all(&mut engine, 1);
    assert_eq!(engine.seek(0, None), [begin(2, None, Some(0))]);
    pause_all(&mut engine, 0);
    assert_eq!(engine.phase(), &Phase::Paused);
    assert_eq!(engine.step(0), [Order::Advance(RunId(2), 1)]);
}

#[test]
fn a_finished_run_can_go_back_and_finish_again() {
    let mut engine = ready(2);
    engine.run();
    engine.is_finished(RunId(1), 0);
    engine.is_finished(RunId(1), 1);
    assert_eq!(engine.phase(), &Phase::Finished);
    assert_eq!(engine.seek(5, None), [begin(2, None, Some(5))]);
    pause_all(&mut engine, 5);
    engine.run();
    engine.is_finished(RunId(2), 0);
    assert_eq!(engine.phase(), &Phase::Running);
    engine.is_finished(RunId(2), 1);
    assert_eq!(engine.phase(), &Phase::Finished);
}

#[test]
fn what_begins_from_a_checkpoint_begins_there_each_time() {
    let mut engine = Engine::new(2, Some(40));
    engine.is_ready(0);
    engine.is_ready(1);
    assert_eq!(engine.step(0), [begin(1, Some(40), Some(41))]);
    assert_eq!(engine.renew(2), [Order::Launch]);
    engine.run();
    engine.is_ready(0);
    assert_eq!(engine.is_ready(1), [begin(1, Some(40), None)]);
}

#[test]
fn ring_steps_end_within_a_step_or_with_it() {
    let mut engine = ready(2);
    assert_eq!(engine.hop(), [], "the run has not begun");
    engine.step(0);
    pause_all(&mut engine, 1);
    let run = engine.run_id();
    for _ in 0..2 {
        assert_eq!(engine.hop(), [Order::Hop(run, 2)]);
        engine.is_held(run, 1);
        assert_eq!(engine.phase(), &Phase::Hopping);
        engine.is_held(run, 0);
        assert_eq!(engine.phase(), &Phase::Within);
    }
    engine.hop();
    pause_all(&mut engine, 2);
    assert_eq!(engine.phase(), &Phase::Paused);
    engine.hop();
    engine.is_held(run, 0);
    engine.is_held(run, 1);
    assert_eq!(engine.step(0), [Order::Advance(run, 3)]);
    pause_all(&mut engine, 3);
    assert_eq!(engine.phase(), &Phase::Paused);
}

#[test]
fn a_limit_pauses_the_run_that_it_was_set_for() {
    let mut engine = ready(2);
    engine.run();
    assert!(!engine.is_stopped(RunId(9)));
    assert!(engine.is_stopped(RunId(1)));
    assert_eq!(engine.phase(), &Phase::Pausing);
    assert!(!engine.is_stopped(RunId(1)));
}

#[test]
fn reports_of_another_run_change_nothing() {
    let mut engine = ready(1);
    engine.run();
    engine.pause();
    assert_eq!(engine.is_paused(RunId(9), 0, 1), []);
    engine.is_finished(RunId(9), 0);
    assert_eq!(engine.phase(), &Phase::Pausing);
}

#[test]
fn the_first_failure_stays_first() {
    let mut engine = ready(2);
    engine.run();
    let failure = |text: &str| Failure {
        rank: Some(1),
        kind: String::new(),
        url: String::new(),
        message: text.into(),
    };
    engine.fail(failure("boom"));
    engine.fail(failure("timeout"));
    engine.is_finished(RunId(1), 0);
    assert_eq!(engine.phase(), &Phase::Failed(vec![failure("boom"), failure("timeout")]));
    assert_eq!(engine.run(), []);
    assert_eq!(engine.renew(2), [Order::Launch]);
}
