//! The progress bar on stderr; it is silent where stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::engine::{Range, Step};

const TEMPLATE: &str = "{bar:30} {pos}/{len} {msg} {eta} left";

/// A bar over the steps of a run.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that begins at the steps already done.
    pub fn new(range: Range, hidden: bool) -> Self {
        let target =
            if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(u64::from(range.to)), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.set_position(u64::from(range.from));
        bar.reset_eta();
        Self { bar }
    }

    /// A step is done.
    pub fn step(&mut self, step: &Step) {
        let report = &step.report;
        let rate = report.valid_tokens as f64 / step.seconds;
        self.bar.set_message(format!("loss {:.4}, {rate:.0} tokens/s,", report.loss));
        self.bar.set_position(u64::from(report.step) + 1);
    }

    /// The run has ended.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
