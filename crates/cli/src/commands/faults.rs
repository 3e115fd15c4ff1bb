//! `ringside faults`: what can be wrong with a run on purpose, and what it looks like.

use anyhow::Result;
use plan::{Fault, Message};
use serde::Serialize;

use crate::output::{self, Style, table};

#[derive(Serialize)]
struct View {
    name: &'static str,
    wrong: Message,
    symptom: Message,
    trains: bool,
    reports: &'static str,
}

/// Runs the command.
pub fn run(style: Style) -> Result<()> {
    if style == Style::Json {
        let view = |fault: Fault| View {
            name: fault.name(),
            wrong: fault.wrong(),
            symptom: fault.symptom(),
            trains: fault.trains(),
            reports: fault.reports(),
        };
        return output::json(&Fault::ALL.map(view));
    }
    let mut rows = table::of_texts(["fault", "what is wrong, and what to look for"]);
    for fault in Fault::ALL {
        let (wrong, symptom, reports) = (fault.wrong(), fault.symptom(), fault.reports());
        let text = format!("{wrong}\nlook for: {symptom}\nreported: {reports}");
        rows.add_row([fault.name(), text.as_str()]);
    }
    output::line(rows)
}
