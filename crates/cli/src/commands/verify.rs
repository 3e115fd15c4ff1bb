//! `ringside verify`: the ranks in f32 beside a one-rank reference in f64.

mod compare;

use anyhow::{Result, bail};
use candle_core::DType;
use plan::runtime::Backend;
use plan::{Fault, Refusal, RunPlan};
use serde::Serialize;
use train::{Gradients, Trainer, reference};

use crate::args::VerifyArgs;
use crate::job::Job;
use crate::output::{self, Style, table};
use crate::ranks::{self, Clock, Seat};
use compare::Comparison;

/// The reference holds whole attention matrices; above this they do not fit a laptop.
const REFERENCE_BYTES: u64 = 8 << 30;

#[derive(Serialize)]
struct View<'a> {
    ok: bool,
    /// Only of a run with a fault on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    world_size: usize,
    worst: &'a Comparison,
    tensors: &'a [Comparison],
}

/// Runs the command.
pub fn run(args: &VerifyArgs, style: Style) -> Result<()> {
    let job = Job::new(&args.run)?;
    check_backend(&job)?;
    check_reference(&job.plan)?;
    job.warn_of_fault();
    let (world, fault) = (job.plan.mesh().world(), job.plan.config().fault);
    let ends = ranks::run(&job.place, Clock::Wall, async |seat| {
        let (Seat { world, recorder, device }, plan) = (seat, job.plan.clone());
        let trainer = Trainer::new(plan, job.text(), world, recorder, &device)?;
        let parameters = trainer.model().config().parameters();
        let names: Vec<String> = parameters.into_iter().map(|(name, _)| name).collect();
        Ok((names, trainer.gradients(0).await?))
    })?;
    let (names, ranks): (Vec<_>, Vec<Gradients>) = ends.into_iter().unzip();
    let reference = reference::run(&job.plan, job.text(), 0, DType::F64)?;
    let tensors = compare::all(&job.plan, &names[0], &ranks, &reference)?;
    let worst = compare::worst(&tensors);
    let limit = compare::limit(&job.place.devices);
    let bad = tensors.iter().filter(|tensor| !tensor.is_close(limit)).count();
    match style {
        Style::Json => output::json(&View {
            ok: bad == 0,
            fault,
            world_size: world.get(),
            worst,
            tensors: &tensors,
        })?,
        Style::Table => print(&job, &tensors, worst, limit)?,
    }
    if bad > 0 {
        bail!(
            "{bad} of {} tensors differ from the one-rank run by more than {limit:e}; \
             the worst is {} with {:.1e}",
            tensors.len(),
            worst.name,
            worst.rel_norm
        );
    }
    Ok(())
}

fn print(job: &Job, tensors: &[Comparison], worst: &Comparison, limit: f64) -> Result<()> {
    output::line(job.title())?;
    output::line(&job.place.line)?;
    let mut rows = table::new(["tensor", "||a - b|| / ||b||", ""]);
    for tensor in tensors {
        let mut notes = Vec::new();
        if !tensor.is_close(limit) {
            notes.push("TOO FAR");
        }
        if std::ptr::eq(tensor, worst) {
            notes.push("worst");
        }
        let norm = table::right(format!("{:.2e}", tensor.rel_norm));
        rows.add_row([tensor.name.as_str().into(), norm, notes.join(", ").into()]);
    }
    output::line(rows)?;
    let verdict = if worst.is_close(limit) { "equal" } else { "NOT equal" };
    output::line(format!(
        "{} ranks in f32{} and one rank in f64 are {verdict} within {limit:e}",
        job.plan.mesh().world(),
        if job.place.devices.is_cpu() { "" } else { " on CUDA" },
    ))
}

/// Refuses ranks in other processes, whose tensors are not here to compare.
fn check_backend(job: &Job) -> Result<(), Refusal> {
    match job.place.profile.backend {
        Backend::Mpi => Err(Refusal::new(
            "backend",
            "mpi",
            "verify compares the tensors of all ranks in one process",
            "start it without mpirun, or use ringside train",
        )),
        Backend::Threads | Backend::Nccl | Backend::Workers => Ok(()),
    }
}

/// Refuses a run whose reference would not fit in memory.
fn check_reference(plan: &RunPlan) -> Result<(), Refusal> {
    /// Scores, weights, their gradients and what candle keeps between, in f64.
    const MATRICES: u64 = 8 * 8;
    let config = plan.config();
    let sequences = (config.dp * config.batch * config.heads) as u64;
    let bytes = |seq_len: usize| {
        let layers = config.layers as u64;
        MATRICES.saturating_mul(sequences * layers).saturating_mul((seq_len as u64).pow(2))
    };
    if bytes(config.seq_len) <= REFERENCE_BYTES {
        return Ok(());
    }
    let fits = (1..=16).map(|log| 1 << log).take_while(|&len| bytes(len) <= REFERENCE_BYTES).last();
    Err(Refusal::new(
        "seq_len",
        config.seq_len,
        format!(
            "the one-rank reference would hold {} of attention matrices",
            table::bytes(bytes(config.seq_len))
        ),
        match fits {
            Some(len) => format!("try {len}, or fewer layers, heads or sequences"),
            None => "try fewer layers, heads or sequences".to_owned(),
        },
    ))
}
