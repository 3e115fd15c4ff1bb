//! Events as Chrome's trace format has them, which Perfetto reads.
//!
//! Format: "Trace Event Format", complete events (`ph: X`) with microseconds since the run began.
//! Those of one lane must lie within each other or apart, which collectives need not: they run beside
//! the rest, and are pairs of asynchronous events (`ph: b` and `e`), each in a lane of its own.
//! The command line writes entry after entry as steps come, the page a whole document at once.

use serde::{Serialize, Serializer};

use crate::event::{Axis, Compute, Event, EventKind, Op, Pass, Scalar};
use crate::schedule::TileKind;

/// One entry of a trace, ready to be written as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u16>,
    args: Args,
}

/// A whole trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    display_time_unit: &'static str,
    trace_events: Vec<Entry>,
}

/// The unit in which a trace is shown, for the head of a document that is written in parts.
pub const DISPLAY_TIME_UNIT: &str = "ms";

impl Document {
    /// The trace of `events`, given by rank.
    pub fn new(events: &[Vec<Event>]) -> Self {
        let ranks = (0..events.len()).map(|rank| Entry::rank(rank as u16));
        let shown = events.iter().flatten().flat_map(Entry::event);
        let trace_events = std::iter::once(Entry::process()).chain(ranks).chain(shown).collect();
        Self { display_time_unit: DISPLAY_TIME_UNIT, trace_events }
    }
}

impl Entry {
    /// Names the process.
    pub fn process() -> Self {
        Self::named("process_name", None, "ringside".to_owned())
    }

    /// Names the lane of `rank`.
    pub fn rank(rank: u16) -> Self {
        Self::named("thread_name", Some(rank), format!("rank {rank}"))
    }

    /// `event` as the trace shows it; scalars are counters of rank 0, since all ranks have the
    /// same, and the beginning of a step shows in its end.
    pub fn event(event: &Event) -> impl Iterator<Item = Self> + use<> {
        let entry = Self::single(event);
        let pair = match event.kind {
            EventKind::Collective { axis, op, seq, .. } => Self::pair(event, axis, op, seq),
            _ => [None, None],
        };
        entry.into_iter().chain(pair.into_iter().flatten())
    }

    fn single(event: &Event) -> Option<Self> {
        let (name, cat, args) = match event.kind {
            EventKind::StepBegin | EventKind::Collective { .. } => return None,
            EventKind::Scalar { name, value } => return Self::counter(event, name, value),
            EventKind::StepEnd { .. } => {
                (format!("step {}", event.step), "step", Args::Step { step: event.step })
            }
            EventKind::Send { axis, op, seq, to, bytes, block } => {
                let message = Message { axis, op, seq, bytes, block, step: event.step };
                (format!("send {op} to {to}"), "message", Args::Send { to, message })
            }
            EventKind::Recv { axis, op, seq, from, bytes, block, .. } => {
                let message = Message { axis, op, seq, bytes, block, step: event.step };
                (format!("wait for {op} from {from}"), "message", Args::Recv { from, message })
            }
            EventKind::Tile { layer, pass, ring_step, kv_from, kind, pairs, .. } => {
                let name = format!("attention {} on keys of {kv_from}", pass.name());
                let step = event.step;
                let args = Args::Tile { layer, pass, ring_step, kv_from, kind, pairs, step };
                (name, "attention", args)
            }
            EventKind::Compute { what, .. } => return Some(Self::compute(event, what)),
            EventKind::Held { .. } => {
                ("held by the user".to_owned(), "held", Args::Step { step: event.step })
            }
        };
        Some(Self::complete(event, name, cat, args))
    }

    fn compute(event: &Event, what: Compute) -> Self {
        let args = Args::Step { step: event.step };
        Self::complete(event, what.name().to_owned(), "compute", args)
    }

    /// Both ends of a collective.
    fn pair(event: &Event, axis: Axis, op: Op, seq: u32) -> [Option<Self>; 2] {
        [("b", event.start_us()), ("e", event.at_us)].map(|(ph, at_us)| {
            let args = Args::Collective { axis, op, seq, step: event.step };
            let name = format!("{op} on rank {}", event.rank);
            let id = Some(format!("{} {op} {seq} {}", axis.name(), event.rank));
            let whole = Self::complete(event, name, "collective", args);
            Some(Self { ph, id, ts: Some(at_us), dur: None, ..whole })
        })
    }

    fn complete(event: &Event, name: String, cat: &'static str, args: Args) -> Self {
        Self {
            name,
            cat: Some(cat),
            ph: "X",
            id: None,
            ts: Some(event.start_us()),
            dur: Some(event.took_us()),
            pid: 0,
            tid: Some(event.rank),
            args,
        }
    }

    fn counter(event: &Event, name: Scalar, value: f64) -> Option<Self> {
        (event.rank == 0).then(|| Self {
            name: name.name().to_owned(),
            cat: None,
            ph: "C",
            id: None,
            ts: Some(event.at_us),
            dur: None,
            pid: 0,
            tid: None,
            args: Args::Value { value },
        })
    }

    fn named(what: &str, tid: Option<u16>, name: String) -> Self {
        Self {
            name: what.to_owned(),
            cat: None,
            ph: "M",
            id: None,
            ts: None,
            dur: None,
            pid: 0,
            tid,
            args: Args::Name { name },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Args {
    Name {
        name: String,
    },
    Value {
        #[serde(serialize_with = "finite")]
        value: f64,
    },
    Step {
        step: u32,
    },
    Send {
        to: u16,
        #[serde(flatten)]
        message: Message,
    },
    Recv {
        from: u16,
        #[serde(flatten)]
        message: Message,
    },
    Collective {
        axis: Axis,
        op: Op,
        seq: u32,
        step: u32,
    },
    Tile {
        layer: u16,
        pass: Pass,
        ring_step: u16,
        kv_from: u16,
        kind: TileKind,
        pairs: u64,
        step: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Message {
    axis: Axis,
    op: Op,
    seq: u32,
    bytes: u64,
    block: Option<u16>,
    step: u32,
}

/// JSON has no numbers that are not finite: null stands for them.
fn finite<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn entry(rank: u16, kind: EventKind) -> Value {
        let event = Event { rank, step: 3, at_us: 500, kind };
        serde_json::to_value(Entry::event(&event).next()).expect("an entry is JSON")
    }

    #[test]
    fn events_as_entries() {
        let (axis, op, seq) = (Axis::Ring, Op::RingKv, 7);
        for (kind, expect) in [
            (EventKind::StepBegin, Value::Null),
            (
                EventKind::StepEnd { took_us: 400 },
                json!({"name": "step 3", "cat": "step", "ph": "X", "ts": 100, "dur": 400,
                    "pid": 0, "tid": 2, "args": {"step": 3}}),
            ),
            (
                EventKind::Recv {
                    axis,
                    op,
                    seq,
                    from: 1,
                    bytes: 64,
                    block: Some(0),
                    waited_us: 50,
                },
                json!({"name": "wait for ring kv from 1", "cat": "message", "ph": "X",
                    "ts": 450, "dur": 50, "pid": 0, "tid": 2,
                    "args": {"axis": "ring", "op": "ring_kv", "seq": 7, "from": 1, "bytes": 64,
                        "block": 0, "step": 3}}),
            ),
            (
                EventKind::Tile {
                    layer: 1,
                    pass: Pass::Backward,
                    ring_step: 2,
                    kv_from: 0,
                    kind: TileKind::Full,
                    pairs: 9,
                    took_us: 100,
                },
                json!({"name": "attention backward on keys of 0", "cat": "attention", "ph": "X",
                    "ts": 400, "dur": 100, "pid": 0, "tid": 2,
                    "args": {"layer": 1, "pass": "backward", "ring_step": 2, "kv_from": 0,
                        "kind": "full", "pairs": 9, "step": 3}}),
            ),
        ] {
            assert_eq!(entry(2, kind), expect);
        }
    }

    #[test]
    fn a_collective_has_two_ends_in_a_lane_of_its_own() {
        let kind =
            EventKind::Collective { axis: Axis::World, op: Op::AllReduce, seq: 7, took_us: 100 };
        let event = Event { rank: 2, step: 3, at_us: 500, kind };
        let ends: Vec<_> = Entry::event(&event).collect();
        let end = |ph: &str, ts: u64| {
            json!({"name": "all_reduce on rank 2", "cat": "collective", "ph": ph,
                "id": "world all_reduce 7 2", "ts": ts, "pid": 0, "tid": 2,
                "args": {"axis": "world", "op": "all_reduce", "seq": 7, "step": 3}})
        };
        let ends = serde_json::to_value(ends).expect("entries are JSON");
        assert_eq!(ends, json!([end("b", 400), end("e", 500)]));
    }

    #[test]
    fn scalars_are_counters_of_rank_0() {
        let loss = |value| EventKind::Scalar { name: Scalar::Loss, value };
        assert_eq!(
            entry(0, loss(5.5)),
            json!({"name": "loss", "ph": "C", "ts": 500, "pid": 0, "args": {"value": 5.5}})
        );
        assert_eq!(entry(0, loss(f64::NAN))["args"]["value"], Value::Null);
        assert_eq!(entry(1, loss(5.5)), Value::Null);
    }

    #[test]
    fn a_document_names_every_rank() {
        let event = Event { rank: 1, step: 0, at_us: 9, kind: EventKind::StepEnd { took_us: 9 } };
        let document = Document::new(&[Vec::new(), vec![event]]);
        let json = serde_json::to_value(document).expect("a document is JSON");
        assert_eq!(json["displayTimeUnit"], "ms");
        let names: Vec<_> = json["traceEvents"].as_array().expect("a list").iter().collect();
        assert_eq!(names.len(), 4);
        assert_eq!(names[2]["args"]["name"], "rank 1");
    }
}
