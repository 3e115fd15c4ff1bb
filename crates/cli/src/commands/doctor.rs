//! `ringside doctor`: what somebody's accelerate configuration will do, and why.

mod print;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, bail};
use doctor::{Input, Machine, Severity, Verdict};
use plan::Refusal;
use plan::runtime::{Build, Launcher, Preset};

use crate::args::DoctorArgs;
use crate::output::{self, Style};
use crate::probe;

/// More of a file is not read: it is no configuration, and the doctor will say so.
const MAX_BYTES: u64 = 16 << 20;

/// Runs the command.
pub fn run(args: &DoctorArgs, style: Style) -> Result<()> {
    let input = input(args)?;
    let report = doctor::diagnose(&input)?;
    match style {
        Style::Json => output::json(&report)?,
        Style::Table => print::report(&report)?,
    }
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    match errors.count() {
        0 if report.verdict == Verdict::Error => bail!("the error that was given stops a run"),
        0 => Ok(()),
        1 => bail!("1 finding stops this run, or makes it another than was asked for"),
        count => bail!("{count} findings stop this run, or make it another than was asked for"),
    }
}

fn input(args: &DoctorArgs) -> Result<Input, Refusal> {
    let mut settings = match args.simulate {
        Some(Preset::This) => variables_of_this_process(),
        _ => BTreeMap::new(),
    };
    let mut repeated = Vec::new();
    for (index, (name, value)) in args.settings.iter().enumerate() {
        settings.insert(name.clone(), value.clone());
        if args.settings.iter().take(index).any(|(earlier, _)| earlier == name) {
            repeated.push(name.clone());
        }
    }
    repeated.sort();
    repeated.dedup();
    Ok(Input {
        config: args.accelerate_config.as_deref().map(read).transpose()?,
        error: args.error.as_deref().map(read_error).transpose()?,
        launch: (!args.launch.is_empty()).then(|| args.launch.clone()),
        settings,
        repeated,
        misplaced: vec![],
        accelerate: args.accelerate_version.clone(),
        torch: args.torch_version.clone(),
        trl: args.trl_version.clone(),
        machine: args.simulate.map(|preset| Machine {
            preset,
            // What torch was built with counts, not this program; its wheels have CUDA.
            probe: preset.probe(&probe::this(Build::FULL)),
        }),
    })
}

fn read(path: &Path) -> Result<String, Refusal> {
    let refuse = |reason: String| {
        let works = "name a file that accelerate config wrote";
        Refusal::new("accelerate_config", path.display(), reason, works)
    };
    let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| refuse(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        refuse(format!("it is no UTF-8 text from line {line} on"))
    })
}

/// An error's text, of which any bytes are taken: a log may hold what is no text.
fn read_error(path: &Path) -> Result<String, Refusal> {
    let read = || {
        let mut bytes = Vec::new();
        if path == Path::new("-") {
            std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes)?;
        } else {
            std::fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().map_err(|error: std::io::Error| {
        let works = "name a file that holds the traceback, or - for stdin";
        Refusal::new("error", path.display(), error.to_string(), works)
    })
}

/// The variables that bear on a diagnosis, where it is about this machine.
fn variables_of_this_process() -> BTreeMap<String, String> {
    let families = ["ACCELERATE_", "PARALLELISM_CONFIG_", "FSDP_"];
    let single = ["RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "CUDA_VISIBLE_DEVICES"];
    let wanted = |name: &str| {
        families.iter().any(|family| name.starts_with(family))
            || single.contains(&name)
            || Launcher::ALL.iter().any(|launcher| launcher.variables().contains(&name))
    };
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| wanted(name))
        .collect()
}
