//! The bench, told what workers would say.

use super::*;
use crate::cluster::Failure;

fn profile(seconds: f64) -> Profile {
    Profile { steps: 2, seconds, operations: Vec::new() }
}

fn measured(rank: u16, took_us: &[u64], peak_gflops: Option<f64>) -> ClusterEvent {
    let run = plan::command::RunId(0);
    let (took_us, profile) = (took_us.to_vec(), profile(1.0));
    ClusterEvent::Report { rank, report: Report::Measured { run, peak_gflops, took_us, profile } }
}

fn begun() -> (Bench, Task) {
    let mut bench = Bench::default();
    let order = bench.apply(Act::Begin("a browser".to_owned(), 2));
    assert_eq!(order, Some(Order::Measure(1, Task::Shape(SHAPES[0], 1))));
    (bench, Task::Shape(SHAPES[0], 1))
}

/// Answers the task under way on all its ranks; what comes next.
fn answer(bench: &mut Bench, task: Task, us: u64) -> Option<Order> {
    let launch = bench.launch;
    let mut order = None;
    for rank in 0..task.ranks() as u16 {
        assert_eq!(order, None, "it waits for all ranks");
        let event = match task {
            Task::Hops => {
                let report = Report::SelfTested {
                    run: plan::command::RunId(0),
                    passed: vec!["barrier".to_owned()],
                    failed: Vec::new(),
                    round_trips: vec![(1 << 20, 400.0)],
                };
                let last = ClusterEvent::Report { rank, report };
                return bench.apply(Act::Hear(launch, last));
            }
            // The second step is the quicker one, as its slower rank says.
            _ => measured(rank, &[3 * us, us - u64::from(rank)], Some(30.0)),
        };
        order = bench.apply(Act::Hear(launch, event));
    }
    order
}

fn whole() -> Bench {
    let (mut bench, mut task) = begun();
    loop {
        let us = match task {
            Task::Shape(_, ranks) | Task::Sharing(ranks) => 100_000 / ranks as u64,
            Task::Hops => 0,
        };
        match answer(&mut bench, task, us) {
            Some(Order::Measure(launch, next)) => {
                assert_eq!(launch, bench.launch);
                task = next;
            }
            Some(Order::End) => return bench,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_task_is_timed_and_noted_as_it_was() {
    let bench = whole();
    let found = &bench.found;
    assert_eq!((bench.is_under_way(), bench.wrong.as_ref()), (false, None));
    assert_eq!((found.machine.as_str(), found.peak_gflops), ("a browser", Some(30.0)));
    for sizes in SHAPES {
        let one = found.step(sizes, 1).expect("one rank");
        assert!((one.milliseconds - 100.0).abs() < 1e-9);
        let work = gflop(sizes, 1);
        assert!((one.of_peak - work / 0.1 / 30.0).abs() < 1e-9);
        // The same work in half the time on twice the cores.
        let two = found.step(sizes, 2).expect("two ranks");
        assert!((two.of_peak - one.of_peak).abs() < 1e-2 * one.of_peak, "{two:?} {one:?}");
        assert!((two.milliseconds - 50.0).abs() < 1e-9);
    }
    let rounded = |s: &Sharing| (s.world_size, (s.efficiency * 100.0).round());
    let sharing: Vec<_> = found.sharing.iter().map(rounded).collect();
    // There are two cores.
    assert_eq!(sharing, [(1, 100.0), (2, 100.0), (4, 200.0), (8, 400.0)]);
    assert_eq!(found.hops, [Hop::copied(1 << 20, 200.0)]);
    assert_eq!(found.profiles.len(), Task::all().len() - 1);
}

#[test]
fn what_was_saved_opens_again() {
    let mut bench = whole();
    let Some(Order::Save(file)) = bench.apply(Act::Save) else { panic!("no file") };
    let value: serde_json::Value = serde_json::from_slice(&file.bytes).expect("it is JSON");
    assert_eq!((&value["kind"], &value["version"]), (&KIND.into(), &VERSION.into()));
    assert_eq!(value["profiles"][0]["d_model"], 64);
    assert_eq!(bench.apply(Act::Open("a.json".to_owned(), Ok(file.bytes))), None);
    let (name, other) = bench.other.clone().expect("it was read");
    assert_eq!((name.as_str(), other.machine.as_str()), ("a.json", "a browser"));
    for (sizes, ranks) in [(SHAPES[0], 1), (SHAPES[2], 2)] {
        let ms = |found: &Found| found.step(sizes, ranks).map(|step| step.milliseconds.round());
        assert_eq!(ms(&other), ms(&bench.found));
        assert!(ms(&other).is_some());
    }
    assert_eq!((other.sharing.len(), other.hops.len(), other.profiles.len()), (4, 1, 0));
    bench.apply(Act::Close);
    assert_eq!(bench.other, None);
}

#[test]
fn a_file_that_is_no_bench_is_refused_with_its_name_and_the_reason() {
    let mut bench = Bench::default();
    let mut check = |bytes: Result<&[u8], &str>, reason: &str| {
        let bytes = bytes.map(<[u8]>::to_vec).map_err(str::to_owned);
        bench.apply(Act::Open("b.json".to_owned(), bytes));
        let wrong = bench.wrong.take().expect("it is refused");
        assert!(wrong.contains("b.json") && wrong.contains(reason), "{wrong}");
        assert_eq!(bench.other, None);
    };
    check(Ok(b"fast"), "expected");
    check(Ok(br#"{"kind":"profile","version":1}"#), "profile 1");
    check(Ok(br#"{"kind":"bench","version":7}"#), "bench 7");
    check(Ok(b"{}"), "bench 1");
    check(Err("it is gone"), "it is gone");
}

#[test]
fn it_ends_early_with_the_reason_and_keeps_what_was_found() {
    let (mut bench, task) = begun();
    answer(&mut bench, task, 5000);
    assert!(bench.words().is_some_and(|words| words.contains("2")));
    let failure = Failure::of_rank(1, String::new(), "no memory".into());
    let order = bench.apply(Act::Hear(bench.launch, ClusterEvent::Failure(failure)));
    assert_eq!((order, bench.is_under_way(), bench.words()), (Some(Order::End), false, None));
    assert!(bench.wrong.as_ref().is_some_and(|wrong| wrong.contains("no memory")));
    assert!(bench.found.step(SHAPES[0], 1).is_some());
    // Nothing is under way.
    assert_eq!((bench.apply(Act::Stop), bench.give_way()), (None, None));
}

#[test]
fn what_an_earlier_launch_says_is_old() {
    let (mut bench, _) = begun();
    let old = bench.launch;
    assert_eq!(bench.apply(Act::Stop), Some(Order::End));
    bench.apply(Act::Begin(String::new(), 2));
    assert_eq!(bench.apply(Act::Hear(old, measured(0, &[5], None))), None);
    assert!(bench.found.shapes.is_empty());
    assert_eq!(bench.give_way(), Some(Order::End));
    assert!(bench.wrong.is_some());
}

#[test]
fn every_run_of_it_is_possible() {
    for task in Task::all() {
        if let Some((config, warm_up, steps)) = task.run() {
            assert_eq!(config.steps, warm_up + 2 * steps);
            assert!(warm_up >= 3 && RunPlan::new(config).is_ok(), "{task:?}");
        }
    }
}
