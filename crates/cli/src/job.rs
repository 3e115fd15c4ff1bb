//! A run that is ready to begin: flags and files lowered once into what they mean.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use plan::{Refusal, RunConfig, RunPlan, Task};

use crate::args::{MachineArgs, RunArgs};
use crate::device::{self, Place};

/// All that the ranks need to begin.
#[derive(Debug)]
pub struct Job {
    /// The checked run.
    pub plan: RunPlan,
    /// The user's text; `None` is the built-in one.
    pub text: Option<Text>,
    /// Where it runs.
    pub place: Place,
}

/// A text of the user's.
#[derive(Debug)]
pub struct Text {
    /// Its file.
    pub path: PathBuf,
    bytes: Vec<u8>,
}

impl Job {
    /// Checks all that can be checked before a rank exists.
    pub fn new(args: &RunArgs) -> Result<Self> {
        let plan = RunPlan::new(config(args)?)?;
        let place = device::resolve(&args.machine, plan.mesh().world())?;
        check_memory(&plan, place.memory)?;
        let text = args.text.as_deref().map(|path| read_text(path, &plan)).transpose()?;
        let bytes = text.as_ref().map(|text| text.bytes.as_slice());
        // The ranks draw their batches themselves; here it only shows that they can.
        train::data::Data::new(&plan, bytes)?;
        Ok(Self { plan, text, place })
    }

    /// The run of `config` on the built-in text, where `machine` asks for.
    pub fn of(config: RunConfig, machine: &MachineArgs) -> Result<Self> {
        let plan = RunPlan::new(config)?;
        let place = device::resolve(machine, plan.mesh().world())?;
        Ok(Self { plan, text: None, place })
    }

    /// The user's text as bytes: they are the tokens, whatever their encoding.
    pub fn text(&self) -> Option<&[u8]> {
        self.text.as_ref().map(|text| text.bytes.as_slice())
    }

    /// Says on stderr that something is wrong with the run on purpose.
    pub fn warn_of_fault(&self) {
        if let Some(fault) = self.plan.config().fault {
            let text = format!("{}: {}", fault.name(), fault.wrong());
            // Where stderr is closed nobody reads it.
            _ = writeln!(std::io::stderr(), "note: this run has a fault on purpose, {text}");
        }
    }

    /// One line that says what runs.
    pub fn title(&self) -> String {
        let config = self.plan.config();
        let replicas = if config.dp > 1 { format!("dp {} x ", config.dp) } else { String::new() };
        format!(
            "{replicas}cp {}, {} over {} positions, {} tokens, {} layers of width {}, {} parameters",
            config.cp,
            config.strategy,
            config.layout,
            config.seq_len,
            config.layers,
            config.d_model,
            self.plan.model().parameters(),
        )
    }
}

/// Refuses a run whose ranks, all in this process, need more than the devices have.
fn check_memory(plan: &RunPlan, devices: Option<u64>) -> Result<(), Refusal> {
    let need: u64 = plan::memory::memory(plan).iter().map(|rank| rank.total()).sum();
    match devices {
        Some(have) if need > have => {
            let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1u32 << 30));
            Err(Refusal::new(
                "memory",
                gib(need),
                format!("all ranks together need more than the {} there is", gib(have)),
                "try a smaller seq_len, batch, d_model or layers, or a larger grad_accum",
            ))
        }
        _ => Ok(()),
    }
}

fn config(args: &RunArgs) -> Result<RunConfig, Refusal> {
    let mut config = RunConfig::default();
    args.overlay(&mut config);
    if !config.documents.is_empty() && args.seq_len.is_none() {
        config.seq_len = config.documents.iter().fold(0, |sum, &n| sum.saturating_add(n));
    }
    if args.text.is_some() && config.task != Task::Text {
        return Err(Refusal::new(
            "task",
            config.task.name(),
            "it makes its own data, and --text gives other data",
            "leave out --text, or choose --task text",
        ));
    }
    Ok(config)
}

/// Reads a file, and refuses one that is too short by its name.
fn read_text(path: &Path, plan: &RunPlan) -> Result<Text, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| {
        Refusal::new(
            "text",
            path.display(),
            error.to_string(),
            "give a file that exists and can be read",
        )
    })?;
    plan.check_text(bytes.len()).map_err(|refusal| Refusal {
        value: format!("{} ({})", path.display(), refusal.value).into(),
        ..refusal
    })?;
    Ok(Text { path: path.to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_give_the_length_that_was_left_out() {
        let args = RunArgs { documents: Some(vec![30, 34]), ..RunArgs::default() };
        assert_eq!(config(&args).expect("a run").seq_len, 64);
        let args = RunArgs { seq_len: Some(60), ..args };
        let refusal = RunPlan::new(config(&args).expect("a run")).expect_err("60 is not 64");
        assert_eq!(refusal.field, "documents");
    }

    #[test]
    fn text_and_another_task_are_refused_together() {
        let text = Some("a.txt".into());
        let args = RunArgs { text, task: Some(Task::Recall), ..RunArgs::default() };
        assert_eq!(config(&args).expect_err("one or the other").field, "task");
    }

    #[test]
    fn a_run_that_the_machine_cannot_hold_is_refused() -> Result<()> {
        let plan = RunPlan::new(RunConfig::default())?;
        assert!(check_memory(&plan, Some(1 << 30)).is_ok() && check_memory(&plan, None).is_ok());
        let refusal = check_memory(&plan, Some(1 << 20)).expect_err("1 MiB is too little");
        assert_eq!(refusal.field, "memory");
        Ok(())
    }
}
