//! The trace file: every rank's events as Chrome's trace format has them, which Perfetto reads.
//!
//! Format: "Trace Event Format", complete events (`ph: X`) with microseconds since the run began.

use std::io::Write;

use anyhow::{Context, Result};
use plan::event::{Compute, Scalar};
use plan::{Event, EventKind, Pass};
use serde_json::{Value, json};

use super::engine::Step;
use crate::output::file::OutputFile;

/// A trace file that is being written.
#[derive(Debug)]
pub struct Trace {
    file: OutputFile,
    /// Ranks that have their name in the file.
    named: usize,
}

impl Trace {
    /// Begins to write.
    pub fn new(mut file: OutputFile) -> Result<Self> {
        let name =
            json!({"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "ringside"}});
        write!(file, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{name}").context(FAILED)?;
        Ok(Self { file, named: 0 })
    }

    /// Adds the events of a step.
    pub fn step(&mut self, step: &Step) -> Result<()> {
        for rank in self.named..step.events.len() {
            self.write(&json!({
                "name": "thread_name", "ph": "M", "pid": 0, "tid": rank,
                "args": {"name": format!("rank {rank}")},
            }))?;
        }
        self.named = self.named.max(step.events.len());
        for event in step.events.iter().flatten() {
            if let Some(entry) = entry(event) {
                self.write(&entry)?;
            }
        }
        Ok(())
    }

    /// Ends the JSON and puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        write!(self.file, "\n]}}\n").context(FAILED)?;
        self.file.finish()
    }

    fn write(&mut self, entry: &Value) -> Result<()> {
        write!(self.file, ",\n{entry}").context(FAILED)
    }
}

const FAILED: &str = "trace: the file could not be written";

/// An event as the trace shows it; scalars are counters of rank 0, since all ranks have the same.
fn entry(event: &Event) -> Option<Value> {
    let (name, category, took_us, args) = match &event.kind {
        EventKind::StepBegin => return None,
        EventKind::StepEnd { took_us } => {
            (format!("step {}", event.step), "step", *took_us, json!({}))
        }
        EventKind::Send { axis, op, seq, to, bytes, block } => (
            format!("send {op} to {to}"),
            "message",
            0,
            json!({"axis": axis, "op": op, "seq": seq, "to": to, "bytes": bytes, "block": block}),
        ),
        EventKind::Recv { axis, op, seq, from, bytes, block, waited_us } => (
            format!("wait for {op} from {from}"),
            "message",
            *waited_us,
            json!({"axis": axis, "op": op, "seq": seq, "from": from, "bytes": bytes, "block": block}),
        ),
        EventKind::Collective { axis, op, seq, took_us } => {
            (op.to_string(), "collective", *took_us, json!({"axis": axis, "op": op, "seq": seq}))
        }
        EventKind::Tile { layer, pass, ring_step, kv_from, kind, pairs, took_us } => {
            let way = match pass {
                Pass::Forward => "forward",
                Pass::Backward => "backward",
            };
            let args = json!({
                "layer": layer, "pass": pass, "ring_step": ring_step, "kv_from": kv_from,
                "kind": kind, "pairs": pairs,
            });
            (format!("attention {way} on keys of {kv_from}"), "attention", *took_us, args)
        }
        EventKind::Compute { what, took_us } => {
            let name = match what {
                Compute::Forward => "forward",
                Compute::Backward => "backward",
                Compute::Optimizer => "optimizer",
            };
            (name.to_owned(), "compute", *took_us, json!({}))
        }
        EventKind::Scalar { name, value } => return counter(event, *name, *value),
    };
    let mut args = args;
    args["step"] = json!(event.step);
    Some(json!({
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": event.at_us.saturating_sub(took_us),
        "dur": took_us,
        "pid": 0,
        "tid": event.rank,
        "args": args,
    }))
}

fn counter(event: &Event, name: Scalar, value: f64) -> Option<Value> {
    if event.rank != 0 {
        return None;
    }
    Some(json!({
        "name": name, "ph": "C", "ts": event.at_us, "pid": 0, "args": {"value": value},
    }))
}
