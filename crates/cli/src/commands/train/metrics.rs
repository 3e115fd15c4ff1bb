//! The metrics file: a line of JSON for every step.

use std::io::Write;

use anyhow::{Context, Result};
use serde::Serialize;

use super::engine::Step;
use crate::output::file::OutputFile;

/// A metrics file that is being written.
#[derive(Debug)]
pub struct Metrics {
    file: OutputFile,
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
