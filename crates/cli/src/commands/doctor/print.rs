//! The diagnosis for people.

use anyhow::Result;
use doctor::{Cause, Corrected, Finding, Mesh, Report, Severity, State, Story, Symptom};

use crate::output;

/// Prints the whole report.
pub fn report(report: &Report) -> Result<()> {
    output::line(report.title())?;
    if let Some(error) = &report.error {
        print_error(error)?;
    }
    for finding in &report.findings {
        print_finding(finding, report.error.as_ref())?;
    }
    output::line("")?;
    if let Some(mesh) = &report.mesh {
        output::line(format!("mesh: {}", mesh_line(mesh)))?;
        if let Some(same) = &mesh.same {
            output::line(format!("  {same}"))?;
        }
    }
    output::line(format!("CP context: {}", report.context.fate.title()))?;
    for assumed in &report.assumed {
        output::line(format!("assumed: {assumed}"))?;
    }
    let about = report.error.as_ref().and_then(|error| error.story);
    let told = |story: &&Story| !report.findings.is_empty() || Some(story.id) == about;
    for story in report.stories.iter().filter(told) {
        output::line(format!("\n{}", story.title))?;
        for step in &story.steps {
            output::line(format!("  {} {} {}", mark(step.state), step.question, step.answer))?;
        }
    }
    match &report.corrected {
        Some(corrected) => print_corrected(corrected),
        None => Ok(()),
    }
}

fn print_error(error: &Symptom) -> Result<()> {
    output::line(format!("\nyour error: {}", error.line))?;
    for Cause { id, sign, standing } in &error.causes {
        output::line(format!("  {id}: {sign} {}", standing.title()).trim_end())?;
    }
    output::line(format!("  {}", error.advice))?;
    match error.lesson {
        Some(lesson) => output::line(format!("  The page has a lesson about it: lesson={lesson}.")),
        None => Ok(()),
    }
}

fn print_finding(finding: &Finding, error: Option<&Symptom>) -> Result<()> {
    let severity = match finding.severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let place = finding.place.map(|p| format!(", line {}, column {}", p.line, p.column));
    let place = place.unwrap_or_default();
    let own = if error.is_some_and(|error| error.is(finding)) { ", your error" } else { "" };
    let stage = finding.stage.title();
    output::line(format!("\n{severity}: {} ({stage}{place}{own})", finding.id))?;
    output::line(format!("  {}", finding.message))?;
    output::line(format!("  Why: {}", finding.why))?;
    output::line(format!("  Fix: {}", finding.fix))?;
    let since = finding.since.map(|version| format!("since {version}"));
    let fixed = finding.fixed_in.map(|version| format!("until {version}"));
    let known: Vec<String> =
        [since, fixed, finding.reference.map(str::to_owned)].into_iter().flatten().collect();
    if known.is_empty() { Ok(()) } else { output::line(format!("  ({})", known.join(", "))) }
}

fn mesh_line(mesh: &Mesh) -> String {
    let axes: Vec<String> = mesh.axes.iter().map(|(axis, size)| format!("{axis} {size}")).collect();
    let ranks = if mesh.world_size == 1 { "rank" } else { "ranks" };
    let mut line = format!("{} {ranks}", mesh.world_size);
    if !axes.is_empty() {
        line = format!("{line}: {}", axes.join(" x "));
    }
    match &mesh.note {
        Some(note) => format!("{line} ({note})"),
        None => line,
    }
}

fn mark(state: State) -> &'static str {
    match state {
        State::Fine => "[ok]",
        State::Doubtful => "[!?]",
        State::Broken => "[!!]",
        State::Unknown => "[ ?]",
        State::Beside => "[--]",
    }
}

fn print_corrected(corrected: &Corrected) -> Result<()> {
    for package in &corrected.install {
        output::line(format!("\nInstall: pip install \"{package}\""))?;
    }
    for change in &corrected.script {
        output::line(format!("\nIn the script: {change}"))?;
    }
    for (name, value) in &corrected.environment {
        output::line(format!("\nVariable: {name}={value}"))?;
    }
    if let Some(line) = &corrected.launch {
        output::line(format!("\nLaunch: {line}"))?;
    }
    match &corrected.config {
        Some(text) => output::line(format!("\nCorrected configuration:\n\n{}", text.trim_end())),
        None => Ok(()),
    }
}
