//! The bench, told what workers would say.

use plan::bench::SHAPES;
use plan::profile::Profile;

use super::*;
use crate::cluster::Failure;

fn measured(rank: u16, took_us: &[u64]) -> ClusterEvent {
    let (run, peak_gflops) = (plan::command::RunId(0), Some(30.0));
    let profile = Profile { steps: 2, seconds: 1.0, operations: Vec::new() };
    let took_us = took_us.to_vec();
    ClusterEvent::Report { rank, report: Report::Measured { run, peak_gflops, took_us, profile } }
}

fn tested(failed: Vec<String>) -> ClusterEvent {
    let (run, passed) = (plan::command::RunId(0), vec!["barrier".to_owned()]);
    let report = Report::SelfTested { run, passed, failed, round_trips: vec![(1 << 20, 400.0)] };
    ClusterEvent::Report { rank: 1, report }
}

fn begun() -> (Bench, Job) {
    let mut bench = Bench::default();
    let order = bench.apply(Act::Begin("a browser".to_owned(), 2));
    let first = Job::Steps(Task::Shape(SHAPES[0], 1));
    assert_eq!(order, Some(Order::Measure(1, first)));
    (bench, first)
}

/// Answers the job under way on all its ranks; what comes next.
fn answer(bench: &mut Bench, job: Job) -> Option<Order> {
    let launch = bench.launch;
    if job == Job::Hops {
        return bench.apply(Act::Hear(launch, tested(Vec::new())));
    }
    let us = 100_000 / job.ranks() as u64;
    let mut order = None;
    for rank in 0..job.ranks() as u16 {
        assert_eq!(order, None, "it waits for all ranks");
        order = bench.apply(Act::Hear(launch, measured(rank, &[3 * us, us])));
    }
    order
}

fn whole() -> Bench {
    let (mut bench, mut job) = begun();
    loop {
        match answer(&mut bench, job) {
            Some(Order::Measure(launch, next)) => {
                assert_eq!(launch, bench.launch);
                job = next;
            }
            Some(Order::End) => return bench,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_job_is_done_and_noted() {
    let bench = whole();
    let found = &bench.found;
    assert_eq!((bench.is_under_way(), bench.wrong.as_ref()), (false, None));
    assert_eq!((found.machine.as_str(), found.peak_gflops), ("a browser", Some(30.0)));
    for sizes in SHAPES {
        for (ranks, ms) in [(1, 100.0), (2, 50.0)] {
            let told = found.step(sizes, &ranks.to_string()).map(|step| step.milliseconds);
            assert!(told.is_some_and(|told| (told - ms).abs() < 1e-9), "{sizes:?}: {told:?}");
        }
    }
    assert_eq!((found.sharing.len(), &found.hops[..]), (4, &[Hop::copied(1 << 20, 200.0)][..]));
    assert_eq!(found.profiles.len(), 10, "once each");
    assert!(found.shapes.iter().all(|shape| shape.replicas.is_some()));
}

/// JSON may cost a number its last bit.
fn assert_same(read: &Found, found: &Found) {
    let ms = |found: &Found| found.step(SHAPES[2], "2").map(|step| step.milliseconds.round());
    assert!(ms(read).is_some() && ms(read) == ms(found));
    assert_eq!((&read.machine, &read.hops), (&found.machine, &found.hops));
    assert_eq!((&read.sharing, &read.profiles), (&found.sharing, &found.profiles));
}

#[test]
fn what_was_saved_opens_again() {
    let mut bench = whole();
    let Some(Order::Save(file)) = bench.apply(Act::Save) else { panic!("no file") };
    let value: serde_json::Value = serde_json::from_slice(&file.bytes).expect("it is JSON");
    assert_eq!((&value["kind"], &value["version"]), (&KIND.into(), &VERSION.into()));
    assert_eq!(bench.apply(Act::Open("a.json".to_owned(), Ok(file.bytes.clone()))), None);
    let (name, other) = bench.other.clone().expect("it was read");
    assert_eq!(name, "a.json");
    assert_same(&other, &bench.found);
    bench.apply(Act::Close);
    assert_eq!(bench.other, None);
    // The same is kept for the next visit.
    assert_same(&Bench::of(String::from_utf8(file.bytes).ok()).found, &bench.found);
    assert_eq!(Bench::of(Some("{}".to_owned())), Bench::default());
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
    let (mut bench, job) = begun();
    answer(&mut bench, job);
    assert!(bench.words().is_some_and(|words| words.contains("2")));
    let failure = Failure::of_rank(1, String::new(), "no memory".into());
    let order = bench.apply(Act::Hear(bench.launch, ClusterEvent::Failure(failure)));
    assert_eq!((order, bench.is_under_way(), bench.words()), (Some(Order::End), false, None));
    assert!(bench.wrong.as_ref().is_some_and(|wrong| wrong.contains("no memory")));
    assert!(bench.found.step(SHAPES[0], "1").is_some());
    assert_eq!(bench.apply(Act::Stop), None, "nothing is under way");
    let (mut bench, _) = begun();
    bench.apply(Act::Hear(1, tested(vec!["barrier: too early".to_owned()])));
    assert!(bench.wrong.is_some_and(|wrong| wrong.contains("barrier: too early")));
}

#[test]
fn what_an_earlier_launch_says_is_old() {
    let (mut bench, _) = begun();
    let old = bench.launch;
    assert_eq!(bench.apply(Act::Stop), Some(Order::End));
    bench.apply(Act::Begin(String::new(), 2));
    assert_eq!(bench.apply(Act::Hear(old, measured(0, &[5]))), None);
    assert!(bench.found.shapes.is_empty());
}
