//! Runs a child process and turns its failure into an error that names it.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, IsTerminal, PipeReader},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

/// Lines of a failed child's output that are shown.
const LAST_LINES: usize = 40;

/// Runs `command` with its output where the user sees it.
pub fn visible(mut command: Command) -> Result<()> {
    let line = command_line(&command);
    let status = command.status().with_context(|| not_started(&line))?;
    check(&line, status)
}

/// Runs `command` and returns its standard output, trimmed.
pub fn read(mut command: Command) -> Result<String> {
    let line = command_line(&command);
    let output = command.stdin(Stdio::null()).output().with_context(|| not_started(&line))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        bail!("`{line}` failed ({}): {reason}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a long `command` behind one line of progress, headed `label`.
///
/// On a terminal that is a spinner with the child's latest line; elsewhere a line at the beginning
/// and one at the end. When the child fails, the error ends with its last lines.
pub fn condensed(label: &str, mut command: Command) -> Result<()> {
    let line = command_line(&command);
    let (reader, writer) = io::pipe().context("could not open a pipe")?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().context("could not share a pipe")?)
        .stderr(writer);
    let progress = Progress::begin(label);
    let mut child = command.spawn().with_context(|| not_started(&line))?;
    // The command holds the pipe's write ends: while they are open, the reader never sees the end.
    drop(command);
    let last = follow(reader, &progress);
    let status = child.wait().with_context(|| format!("lost track of `{line}`"))?;
    progress.end(status.success());
    if let Err(error) = check(&line, status) {
        bail!("{error}\n--- its last lines\n{}\n---", last.join("\n"));
    }
    Ok(())
}

/// The command as a person would type it.
pub fn command_line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let mut line = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// A duration as it stands in progress lines and summaries.
pub fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}

fn not_started(line: &str) -> String {
    format!("could not start `{line}`: is the program installed and on PATH?")
}

fn check(line: &str, status: ExitStatus) -> Result<()> {
    if status.success() { Ok(()) } else { bail!("`{line}` failed ({status})") }
}

/// Shows each line as it comes and keeps the last ones.
fn follow(reader: PipeReader, progress: &Progress) -> Vec<String> {
    let mut last = VecDeque::with_capacity(LAST_LINES);
    for line in BufReader::new(reader).split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if line.is_empty() {
            continue;
        }
        progress.show(&line);
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
    last.into()
}

struct Progress {
    label: String,
    begun: Instant,
    spinner: Option<ProgressBar>,
}

impl Progress {
    fn begin(label: &str) -> Self {
        let spinner = io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{spinner} {prefix} [{elapsed}] {wide_msg:.dim}")
                    .expect("the template is a constant");
            let spinner = ProgressBar::new_spinner().with_style(style);
            spinner.set_prefix(label.to_owned());
            spinner.enable_steady_tick(Duration::from_millis(120));
            spinner
        });
        if spinner.is_none() {
            eprintln!("{label} ...");
        }
        Self { label: label.to_owned(), begun: Instant::now(), spinner }
    }

    fn show(&self, line: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(line.trim_start().to_owned());
        }
    }

    fn end(self, succeeded: bool) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        let verb = if succeeded { "done" } else { "FAILED" };
        eprintln!("{}: {verb} after {}", self.label, seconds(self.begun.elapsed()));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn condensed_failure_ends_with_the_last_lines_of_both_streams() {
        let script = "for i in $(seq 100); do echo out $i; done; echo bad >&2; exit 3";
        let error = condensed("a failing part", shell(script)).unwrap_err().to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("out 100\nbad"), "{error}");
        assert!(!error.contains("out 61\n"), "only the last {LAST_LINES} lines: {error}");
    }

    #[test]
    fn missing_program_is_named() {
        let error = visible(Command::new("no-such-program")).unwrap_err().to_string();
        assert!(error.contains("`no-such-program`"), "{error}");
    }

    #[test]
    fn read_returns_trimmed_output_or_the_reason() {
        assert_eq!(read(shell("echo ' hello '")).unwrap(), "hello");
        let error = read(shell("echo why >&2; exit 1")).unwrap_err().to_string();
        assert!(error.ends_with("why"), "{error}");
    }

    #[test]
    fn seconds_read_well() {
        assert_eq!(seconds(Duration::from_millis(1250)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}
