//! The metrics file: a line of JSON for every step.

use std::io::Write;

use anyhow::{Context, Result};
use plan::Refusal;
use serde::{Deserialize, Serialize};

use super::engine::Step;
use crate::output::file::OutputFile;

/// A metrics file that is being written.
#[derive(Debug)]
pub struct Metrics {
    file: OutputFile,
}

/// What is read of an earlier line.
#[derive(Deserialize)]
struct Earlier {
    step: u32,
}

#[derive(Serialize)]
struct Line {
    step: u32,
    loss: f64,
    grad_norm: f64,
    valid_tokens: u64,
    tokens_per_s: f64,
    bytes_sent: Vec<u64>,
    messages: Vec<u64>,
    /// Only after steps that were followed by an evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    eval_loss: Option<f64>,
}

impl Metrics {
    /// Begins to write.
    pub fn new(file: OutputFile) -> Self {
        Self { file }
    }

    /// Begins to write behind the lines that the file already has, all of steps before `from`.
    ///
    /// Errors: a file with later steps, or with something else in it: nothing of it may be lost.
    pub fn behind(mut file: OutputFile, from: u32) -> Result<Self> {
        if file.target().is_file() {
            let target = file.target().display().to_string();
            let text = std::fs::read_to_string(file.target())
                .map_err(|error| refuse(&target, &error.to_string()))?;
            for (index, line) in text.lines().enumerate() {
                let number = index + 1;
                check(line, from)
                    .map_err(|why| refuse(&target, &format!("line {number} {why}")))?;
                writeln!(file, "{line}")?;
            }
        }
        Ok(Self { file })
    }

    /// Adds the line of a step.
    pub fn step(&mut self, step: &Step) -> Result<()> {
        let report = &step.report;
        let line = Line {
            step: report.step,
            loss: report.loss,
            grad_norm: report.grad_norm,
            valid_tokens: report.valid_tokens,
            tokens_per_s: report.valid_tokens as f64 / step.seconds,
            bytes_sent: step.sent.iter().map(|flow| flow.bytes).collect(),
            messages: step.sent.iter().map(|flow| flow.messages).collect(),
            eval_loss: report.eval_loss,
        };
        let line = serde_json::to_string(&line)?;
        writeln!(self.file, "{line}").context("metrics: the file could not be written")
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

/// Whether a line may stand before the line of step `from`.
fn check(line: &str, from: u32) -> Result<(), String> {
    match serde_json::from_str::<Earlier>(line) {
        Ok(Earlier { step }) if step < from => Ok(()),
        Ok(Earlier { step }) => {
            Err(format!("is of step {step}, and the checkpoint has done {from} steps"))
        }
        Err(_) => Err("is no line of metrics".to_owned()),
    }
}

fn refuse(target: &str, reason: &str) -> Refusal {
    let works = "give another path, or take away what shall not be kept";
    Refusal::new("metrics", target, reason, works)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_earlier_steps_may_stand_before() {
        assert_eq!(check(r#"{"step": 2, "loss": 5.5}"#, 3), Ok(()));
        assert!(check(r#"{"step": 3}"#, 3).is_err_and(|why| why.contains("step 3")));
        assert!(check("# notes", 3).is_err_and(|why| why.contains("no line of metrics")));
    }
}
