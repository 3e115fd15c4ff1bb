//! Lowers flags, file and variables into a [`Setup`], in the order in which accelerate does.

use std::collections::BTreeMap;

use plan::runtime::{Launch, Preset};

use super::asked::Asked;
use super::{GpuCount, GroupVariables, Setup, Source, Starter};
use crate::document::Value;
use crate::facts::{Fact, Facts};
use crate::flags::Line;
use crate::input::{Input, Machine};
use crate::read::Config;
use crate::version::{NEWEST_KNOWN, Version};

/// Lowers everything that was given.
pub fn resolve(input: &Input, config: &Config, line: Line) -> Setup {
    let gpus = gpus(input.machine.as_ref(), &input.settings);
    let asked =
        Asked { document: config.document.as_ref(), line: &line, variables: &input.settings, gpus };
    let facts = Facts::new(&input.settings, &line.script);
    let source = match (&input.config, &config.document) {
        (None, _) => Source::NoConfig,
        (Some(_), Some(document)) => match document.get("compute_environment") {
            Some(value) if *value == Value::text("AMAZON_SAGEMAKER") => Source::SageMaker,
            _ => Source::Config,
        },
        (Some(_), None) => Source::Unreadable,
    };
    let accelerate = accelerate_version(input);
    let starter = starter(input, &facts, source);
    let kind = asked.kind(starter);
    let cpu = asked.cpu(kind, starter);
    let sizes = asked.sizes();
    let launch = Launch::from_variables(|name| input.settings.get(name).cloned());
    let mut setup = Setup {
        source,
        starter,
        kind,
        cpu,
        processes: asked.processes(starter, &facts, launch),
        asked: sizes,
        legible: asked.legible(),
        parallelism: asked.parallelism(starter, sizes, accelerate),
        strategy: asked.strategy(),
        precision: asked.text("mixed_precision", "mixed_precision"),
        accelerate,
        torch: input.torch.as_deref().and_then(Version::parse),
        trl: input.trl.as_deref().and_then(Version::parse),
        facts,
        gpus,
        machine: input.machine.clone(),
        group: match asked.in_a_group(launch) {
            true => GroupVariables::Present,
            false => GroupVariables::Absent,
        },
        standalone: asked.variable_holds("ACCELERATE_ALLOW_CP_STANDALONE"),
        mpirun: asked.mpirun(),
        assumed: vec![],
        line,
    };
    setup.assumed = assumptions(input, &setup);
    setup
}

/// The version that decides, or the newest one that is known where it was not said.
pub(crate) fn accelerate_version(input: &Input) -> Version {
    let given = input.accelerate.as_deref().and_then(Version::parse);
    given.filter(|version| version.release <= NEWEST_KNOWN.release).unwrap_or(NEWEST_KNOWN)
}

fn starter(input: &Input, facts: &Facts, source: Source) -> Starter {
    let colab = matches!(
        input.machine.as_ref().map(|machine| machine.preset),
        Some(Preset::ColabCpu | Preset::ColabT4)
    );
    match facts.get(Fact::Launcher) {
        Some("notebook" | "notebook_launcher") => return Starter::Notebook,
        Some("torchrun") => return Starter::Torchrun,
        Some("python") => return Starter::Python,
        Some("accelerate" | "launch") => return Starter::Launch,
        _ => {}
    }
    match (input.launch.is_some(), source, colab) {
        (true, _, _) => Starter::Launch,
        (false, Source::NoConfig, true) => Starter::Notebook,
        (false, _, true) => Starter::PerhapsNotebook,
        (false, Source::NoConfig, false) if facts.get(Fact::Processes).is_none() => Starter::Python,
        (false, _, false) => Starter::Launch,
    }
}

fn gpus(machine: Option<&Machine>, variables: &BTreeMap<String, String>) -> GpuCount {
    let Some(machine) = machine else { return GpuCount::Unsaid };
    let hidden = variables
        .get("CUDA_VISIBLE_DEVICES")
        .is_some_and(|value| ["", "-1", "none"].contains(&value.trim().to_lowercase().as_str()));
    let here = machine.probe.cuda().map_or(0, <[_]>::len);
    if hidden || here == 0 {
        return GpuCount::Known(0);
    }
    let nodes = match machine.probe.launch {
        Launch::Mpi { size, local_size, .. } => size.div_ceil(local_size.max(1)),
        Launch::Alone => 1,
    };
    GpuCount::Known((here * nodes) as u64)
}

fn assumptions(input: &Input, setup: &Setup) -> Vec<String> {
    let mut assumed = Vec::new();
    if input.accelerate.is_none() {
        assumed.push(format!("accelerate {NEWEST_KNOWN}, as no version was given"));
    }
    if setup.cp_on() && input.torch.is_none() {
        assumed.push("torch 2.6 or later, as no version was given".to_owned());
    }
    if setup.machine.is_none() {
        let cpu = setup.cpu.is_some();
        assumed.push(if cpu {
            "a machine of which only the CPU is used".to_owned()
        } else {
            "a machine with the GPUs that the run asks for".to_owned()
        });
    }
    if setup.source == Source::NoConfig && setup.starter == Starter::Launch {
        assumed.push("no default configuration in the cache of Hugging Face".to_owned());
    }
    assumed
}
