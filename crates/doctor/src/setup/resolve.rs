//! Lowers flags, file and variables into a [`Setup`], in the order in which accelerate does.

use plan::runtime::{Launch, Preset};
use plan::{Message, message};

use super::asked::Asked;
use super::gpus::{gpus, ids};
use super::{Machines, Setup, Source, Starter};
use crate::document::{Document, Value};
use crate::facts::{Fact, Facts};
use crate::flags::Line;
use crate::input::Input;
use crate::read::{Config, MAX_COUNT};
use crate::text::short;
use crate::version::{NEWEST_KNOWN, NEWEST_KNOWN_TRL, Version};
use crate::yaml::Scalar;

/// Lowers everything that was given.
pub fn resolve(input: &Input, config: &Config, line: Line) -> Setup {
    let document = config.document.as_ref();
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
    let starter = starter(input, &line, &facts, source);
    let machines = machines(document, &line);
    let gpu_ids = ids(document, &line);
    let (gpus, hidden) =
        gpus(input.machine.as_ref(), &input.settings, gpu_ids.as_deref(), starter, machines.count);
    let asked = Asked { document, line: &line, variables: &input.settings, gpus };
    let kind = asked.kind(starter);
    let cpu = asked.cpu(kind, starter);
    let sizes = asked.sizes(starter);
    let launch = match Launch::from_variables(|name| input.settings.get(name).cloned()) {
        // A machine that is described as under MPI runs `python` under it.
        Launch::Alone if starter == Starter::Python => {
            input.machine.as_ref().map_or(Launch::Alone, |machine| machine.probe.launch)
        }
        launch => launch,
    };
    let mut setup = Setup {
        source,
        starter,
        kind,
        cpu,
        processes: asked.processes(starter, &facts, launch),
        asked: sizes,
        handed_on: asked.handed_on(starter),
        legible: asked.legible(starter),
        parallelism: asked.parallelism(starter, sizes, accelerate),
        strategy: asked.strategy(starter),
        precision: asked.text("mixed_precision", "mixed_precision"),
        accelerate,
        torch: input.torch.as_deref().and_then(Version::parse),
        // What is no version is assumed to be a current one.
        trl: input.trl.as_deref().map(|text| Version::parse(text).unwrap_or(NEWEST_KNOWN_TRL)),
        facts,
        gpus,
        hidden,
        gpu_ids,
        machines,
        machine: input.machine.clone(),
        group: asked.group(launch),
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

fn machines(document: Option<&Document>, line: &Line) -> Machines {
    let written = |key: &str| match document?.get(key)? {
        Value::Scalar(Scalar::Null) | Value::List(_) | Value::Map(_) => None,
        Value::Scalar(scalar) => Some(scalar.to_string()),
    };
    let given = |key: &str| line.value(key).map(str::to_owned).or_else(|| written(key));
    let number = |key: &str| given(key).and_then(|text| text.trim().parse().ok());
    Machines {
        count: number("num_machines").unwrap_or(1).clamp(1, MAX_COUNT),
        rank: number("machine_rank"),
        address: given("main_process_ip").is_some(),
    }
}

fn starter(input: &Input, line: &Line, facts: &Facts, source: Source) -> Starter {
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
    match line.foreign.as_deref() {
        Some("torchrun") => return Starter::Torchrun,
        Some(_) => return Starter::Python,
        None => {}
    }
    match (input.launch.is_some(), source, colab) {
        (true, _, _) => Starter::Launch,
        (false, Source::NoConfig, true) => Starter::Notebook,
        (false, _, true) => Starter::PerhapsNotebook,
        (false, Source::NoConfig, false) if facts.get(Fact::Processes).is_none() => Starter::Python,
        (false, _, false) => Starter::Launch,
    }
}

fn assumptions(input: &Input, setup: &Setup) -> Vec<Message> {
    let mut assumed = Vec::new();
    if input.accelerate.is_none() {
        assumed
            .push(message!("accelerate {newest}, as no version was given", newest = NEWEST_KNOWN));
    }
    if setup.cp_on() && input.torch.is_none() {
        assumed.push(message!("torch 2.6 or later, as no version was given"));
    }
    if setup.machine.is_none() {
        let cpu = setup.cpu.is_some();
        assumed.push(if cpu {
            message!("a machine of which only the CPU is used")
        } else {
            message!("a machine with the GPUs that the run asks for")
        });
    }
    for name in &input.repeated {
        if let Some(value) = input.settings.get(name) {
            let (name, value) = (short(name), short(value));
            assumed.push(message!(
                "{name}={value}, the last of the values that were given",
                name,
                value
            ));
        }
    }
    if setup.source == Source::NoConfig && setup.starter == Starter::Launch {
        assumed.push(message!("no default configuration in the cache of Hugging Face"));
    }
    assumed
}
