//! The trace file: every rank's events, written as they come ([`plan::trace`]).

use std::io::Write;

use anyhow::{Context, Result};
use plan::trace::{DISPLAY_TIME_UNIT, Entry};

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
        let name = serde_json::to_string(&Entry::process()).context(FAILED)?;
        let head = format!("{{\"displayTimeUnit\":\"{DISPLAY_TIME_UNIT}\",\"traceEvents\":[");
        write!(file, "{head}\n{name}").context(FAILED)?;
        Ok(Self { file, named: 0 })
    }

    /// Adds the events of a step.
    pub fn step(&mut self, step: &Step) -> Result<()> {
        for rank in self.named..step.events.len() {
            self.write(&Entry::rank(rank as u16))?;
        }
        self.named = self.named.max(step.events.len());
        for event in step.events.iter().flatten() {
            for entry in Entry::event(event) {
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

    fn write(&mut self, entry: &Entry) -> Result<()> {
        let entry = serde_json::to_string(entry).context(FAILED)?;
        write!(self.file, ",\n{entry}").context(FAILED)
    }
}

const FAILED: &str = "trace: the file could not be written";
