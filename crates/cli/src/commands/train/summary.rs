//! What a run comes down to: losses, speed, and traffic predicted beside measured.

use anyhow::Result;
use plan::traffic::Flow;
use plan::{Fault, RunPlan};
use serde::Serialize;

use super::engine::{Range, Step};
use crate::output::{self, table};

/// Sums over the steps of a run.
#[derive(Debug)]
pub struct Summary {
    fault: Option<Fault>,
    predicted: Vec<Flow>,
    measured: Vec<Flow>,
    losses: Option<(f64, f64)>,
    eval_loss: Option<f64>,
    steps: u32,
    seconds: f64,
    tokens: u64,
}

/// The last line of `ringside train --json`.
#[derive(Debug, Serialize)]
pub struct SummaryView {
    /// Only of a run with a fault on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    loss_first: f64,
    loss_last: f64,
    seconds_per_step: f64,
    bytes_predicted: Vec<u64>,
    bytes_measured: Vec<u64>,
    messages_predicted: Vec<u64>,
    messages_measured: Vec<u64>,
}

impl Summary {
    /// A summary of no step yet; what `range` will send is known before it.
    pub fn new(plan: &RunPlan, range: Range) -> Self {
        let world = plan.mesh().world().get();
        Self {
            fault: plan.config().fault,
            predicted: vec![plan.run_traffic(range.from, range.to); world],
            measured: vec![Flow::default(); world],
            losses: None,
            eval_loss: None,
            steps: 0,
            seconds: 0.0,
            tokens: 0,
        }
    }

    /// Adds a step.
    pub fn step(&mut self, step: &Step) {
        let loss = step.report.loss;
        self.losses = Some((self.losses.map_or(loss, |(first, _)| first), loss));
        self.eval_loss = step.report.eval_loss.or(self.eval_loss);
        self.steps += 1;
        self.seconds += step.seconds;
        self.tokens += step.report.valid_tokens;
        for (sum, &sent) in self.measured.iter_mut().zip(&step.sent) {
            *sum = *sum + sent;
        }
    }

    /// Steps added.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Mean over the steps.
    pub fn seconds_per_step(&self) -> f64 {
        self.seconds / f64::from(self.steps.max(1))
    }

    /// Valid tokens by time.
    pub fn tokens_per_second(&self) -> f64 {
        self.tokens as f64 / self.seconds
    }

    /// As JSON has it.
    pub fn view(&self) -> SummaryView {
        let (loss_first, loss_last) = self.losses.unwrap_or((f64::NAN, f64::NAN));
        let bytes = |flows: &[Flow]| flows.iter().map(|flow| flow.bytes).collect();
        let messages = |flows: &[Flow]| flows.iter().map(|flow| flow.messages).collect();
        SummaryView {
            fault: self.fault,
            loss_first,
            loss_last,
            seconds_per_step: self.seconds_per_step(),
            bytes_predicted: bytes(&self.predicted),
            bytes_measured: bytes(&self.measured),
            messages_predicted: messages(&self.predicted),
            messages_measured: messages(&self.measured),
        }
    }

    /// Prints it as tables.
    pub fn print(&self) -> Result<()> {
        let (first, last) = self.losses.unwrap_or((f64::NAN, f64::NAN));
        let mut numbers = table::bare();
        let mut row = |name: &str, value: String| {
            numbers.add_row([name.into(), table::right(value)]);
        };
        if let Some(fault) = self.fault {
            row("fault on purpose", fault.name().to_owned());
        }
        row("first loss", format!("{first:.4}"));
        row("last loss", format!("{last:.4}"));
        if let Some(loss) = self.eval_loss {
            row("evaluation loss", format!("{loss:.4}"));
        }
        row("steps", self.steps.to_string());
        row("seconds per step", format!("{:.4}", self.seconds_per_step()));
        row("tokens per second", table::grouped(self.tokens_per_second() as u64));
        output::line(numbers)?;

        let mut traffic = table::new([
            "rank",
            "bytes predicted",
            "bytes measured",
            "messages predicted",
            "messages measured",
            "",
        ]);
        for (rank, (predicted, measured)) in self.predicted.iter().zip(&self.measured).enumerate() {
            let verdict = if predicted == measured { "equal" } else { "DIFFERENT" };
            traffic.add_row([
                table::right(rank),
                table::right(table::grouped(predicted.bytes)),
                table::right(table::grouped(measured.bytes)),
                table::right(table::grouped(predicted.messages)),
                table::right(table::grouped(measured.messages)),
                verdict.into(),
            ]);
        }
        output::line(traffic)
    }
}
