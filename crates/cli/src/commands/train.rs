//! `ringside train`: trains on the ranks and sets what was predicted beside what was measured.

mod engine;
mod metrics;
mod progress;
mod summary;
mod tell;
mod trace;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use plan::Refusal;
use train::{TrainError, checkpoint};

pub use engine::{Range, train};
pub use summary::Summary;

use crate::args::TrainArgs;
use crate::interrupt::Interrupt;
use crate::job::Job;
use crate::output::{self, Style, file::OutputFile};
use crate::ranks::Clock;
use metrics::Metrics;
use progress::Progress;
use trace::Trace;

/// Runs the command.
pub fn run(args: &TrainArgs, style: Style) -> Result<()> {
    let job = Job::new(&args.run)?;
    let resume = args.resume.as_deref().map(|path| read_checkpoint(path, &job)).transpose()?;
    let range = range(&job, args, resume.as_ref().map_or(0, |(_, steps)| *steps))?;
    let state = resume.as_ref().map(|(bytes, _)| bytes.as_slice());
    let interrupt = Interrupt::watch()?;
    if !job.place.is_root {
        // The process of rank 0 prints and writes for this one too, and ends it: one that a signal
        // ended by itself would leave the others without a last whole step.
        train(&job, range, Clock::Wall, state, false, |_| Ok(()))?;
        return Ok(());
    }
    let mut files = Files::create(args, &job, range)?;

    job.warn_of_fault();
    if style == Style::Table {
        output::line(job.title())?;
        output::line(&job.place.line)?;
    }
    let mut progress = Progress::new(range, style == Style::Json || args.quiet);
    let mut summary = Summary::new(&job.plan, range);
    let result = train(&job, range, Clock::Wall, state, files.save.is_some(), |step| {
        if let Some(metrics) = &mut files.metrics {
            metrics.step(&step)?;
        }
        if let Some(trace) = &mut files.trace {
            trace.step(&step)?;
        }
        progress.step(&step);
        summary.step(&step);
        interrupt.check(step.report.step + 1)
    });
    progress.finish();
    // Steps that were done are worth reading above all when the run failed after them.
    let kept = files.finish_logs(summary.steps());
    let state = result?;
    kept?;
    files.finish_save(state)?;
    match style {
        Style::Json => output::json(&summary.view()),
        Style::Table => summary.print(),
    }
}

/// The files that a run writes.
struct Files {
    metrics: Option<Metrics>,
    trace: Option<Trace>,
    save: Option<OutputFile>,
}

impl Files {
    /// Shows that all can be written, before anything is computed.
    fn create(args: &TrainArgs, job: &Job, range: Range) -> Result<Self> {
        let flags = [("metrics", &args.metrics), ("trace", &args.trace), ("save", &args.save)];
        let mut files = Vec::new();
        for (flag, path) in flags {
            let file = path.as_deref().map(|path| OutputFile::create(flag, path)).transpose()?;
            if let Some(file) = &file {
                refuse_twin(file, &files)?;
                refuse_input(file, args, job)?;
            }
            files.push(file);
        }
        let save = files.pop().flatten();
        let trace = files.pop().flatten().map(Trace::new).transpose()?;
        let metrics = files.pop().flatten();
        let metrics = match args.resume {
            Some(_) => metrics.map(|file| Metrics::behind(file, range.from)).transpose()?,
            None => metrics.map(Metrics::new),
        };
        Ok(Self { metrics, trace, save })
    }

    fn finish_logs(&mut self, steps: u32) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        self.metrics.take().map(Metrics::finish).transpose()?;
        self.trace.take().map(Trace::finish).transpose()?;
        Ok(())
    }

    fn finish_save(self, state: Option<Vec<u8>>) -> Result<()> {
        if let (Some(mut file), Some(state)) = (self.save, state) {
            file.write_all(&state).context("save: the file could not be written")?;
            file.finish()?;
        }
        Ok(())
    }
}

/// A run must not write over what it reads; a checkpoint may follow the one it began from.
fn refuse_input(file: &OutputFile, args: &TrainArgs, job: &Job) -> Result<(), Refusal> {
    let text = job.text.as_ref().map(|text| text.path.as_path());
    let inputs = [
        ("text", text),
        ("config", args.run.config.as_deref()),
        ("resume", args.resume.as_deref()),
    ];
    let same = inputs.into_iter().find(|(flag, path)| {
        let path = path.and_then(|path| path.canonicalize().ok());
        path.is_some_and(|path| path == file.target())
            && !(*flag == "resume" && file.flag() == "save")
    });
    match same {
        None => Ok(()),
        Some((flag, _)) => Err(Refusal::new(
            file.flag(),
            file.target().display(),
            format!("--{flag} reads this file, and its contents would be lost"),
            "give another path",
        )),
    }
}

fn refuse_twin(file: &OutputFile, others: &[Option<OutputFile>]) -> Result<(), Refusal> {
    match others.iter().flatten().find(|other| other.overwrites(file)) {
        None => Ok(()),
        Some(other) => Err(Refusal::new(
            file.flag(),
            file.target().display(),
            format!("--{} writes to the same file", other.flag()),
            "give each its own",
        )),
    }
}

/// A checkpoint that fits the run, and the steps that it has done.
fn read_checkpoint(path: &Path, job: &Job) -> Result<(Vec<u8>, u32), Refusal> {
    let refuse =
        |reason: String, works: &str| Refusal::new("resume", path.display(), reason, works);
    let saved = "give a file that --save has written";
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string(), saved))?;
    let steps = checkpoint::steps_done(&bytes).map_err(|error| refuse(error.to_string(), saved))?;
    checkpoint::check(&bytes, &job.plan).map_err(|error| match error {
        TrainError::NotFinite { .. } => {
            refuse(error.to_string(), "give one that was saved before that")
        }
        error => {
            let works = "give the sizes and the optimizer of the run that saved it";
            refuse(format!("it does not fit this run: {error}"), works)
        }
    })?;
    Ok((bytes, steps))
}

/// The steps to train: from those of the checkpoint up to --until, or --steps.
fn range(job: &Job, args: &TrainArgs, from: u32) -> Result<Range, Refusal> {
    let steps = job.plan.config().steps;
    let (field, to) = match args.until {
        Some(until) => {
            plan::refusal::require_range("until", until, 1, steps)?;
            ("until", until)
        }
        None => ("steps", steps),
    };
    if from >= to {
        return Err(Refusal::new(
            field,
            to,
            format!("the checkpoint of --resume has already done {from} steps"),
            format!("try {field} above {from}"),
        ));
    }
    Ok(Range { from, to })
}
