//! Variables and facts: what of them cannot be understood.

use std::ops::RangeInclusive;

use plan::message;
use plan::runtime::Launcher;

use crate::correct::Edit;
use crate::facts::{Fact, truth};
use crate::finding::{Finding, Id, STATE, Severity, Stage};
use crate::input::Input;
use crate::nearest::nearest;
use crate::read::MAX_COUNT;
use crate::setup::{Axis, Setup};
use crate::text::short;

/// Variables of accelerate that the doctor knows.
const VARIABLES: &[&str] = &[
    "ACCELERATE_USE_PARALLELISM_CONFIG",
    "ACCELERATE_ALLOW_CP_STANDALONE",
    "ACCELERATE_USE_CPU",
    "ACCELERATE_USE_FSDP",
    "ACCELERATE_USE_DEEPSPEED",
    "ACCELERATE_USE_MEGATRON_LM",
    "ACCELERATE_TORCH_DEVICE",
    "ACCELERATE_MIXED_PRECISION",
    "ACCELERATE_DEBUG_MODE",
    "PARALLELISM_CONFIG_DP_REPLICATE_SIZE",
    "PARALLELISM_CONFIG_DP_SHARD_SIZE",
    "PARALLELISM_CONFIG_TP_SIZE",
    "PARALLELISM_CONFIG_CP_SIZE",
    "PARALLELISM_CONFIG_CP_BACKEND",
    "PARALLELISM_CONFIG_CP_COMM_STRATEGY",
    "PARALLELISM_CONFIG_SP_SIZE",
    "PARALLELISM_CONFIG_SP_BACKEND",
    "PARALLELISM_CONFIG_SP_SEQ_LENGTH",
    "PARALLELISM_CONFIG_SP_SEQ_LENGTH_IS_VARIABLE",
    "PARALLELISM_CONFIG_SP_ATTN_IMPLEMENTATION",
    "FSDP_VERSION",
];

/// What is wrong with variables and facts.
pub(crate) fn settings(input: &Input, setup: &Setup) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, value) in &input.settings {
        if let Some(fact) = Fact::named(name) {
            findings.extend(bad_fact(fact, name, value));
            continue;
        }
        // The launcher sets the sizes anew, so what they were before does not matter.
        let size = Axis::ALL.iter().any(|axis| axis.variable() == name) && !setup.handed_on;
        if size && !value.trim().parse::<u64>().is_ok_and(|n| (1..=MAX_COUNT).contains(&n)) {
            findings.push(Finding::new(Id::BadValue, Severity::Error, Stage::Read).says(
                message!("{name} = {value} cannot be used.", name, value = short(value)),
                message!(
                    "It must be a whole number from {low} to {most}.",
                    low = 1,
                    most = MAX_COUNT
                ),
                message!("Write the size that is meant; 1 leaves the axis out."),
            ));
        }
        if name == "ACCELERATE_USE_CPU" && truth(value).is_none() {
            findings.push(
                Finding::new(Id::BadValue, Severity::Error, Stage::Read)
                    .says(
                        message!("{name} = {value} cannot be used.", name, value = short(value)),
                        message!("accelerate stops at it with a ValueError: invalid truth value."),
                        message!("Write true or false, or unset it."),
                    )
                    .corrected_by([Edit::RemoveVariable(name.clone())]),
            );
        }
        findings.extend(bad_number(name, value, setup));
        findings.extend(unknown_variable(name));
    }
    findings
}

/// What a variable that holds a whole number may be, and an example.
fn numbers(name: &str) -> Option<(RangeInclusive<u64>, u64)> {
    let is = |at: usize| Launcher::ALL.iter().any(|mpi| mpi.variables()[at] == name);
    Some(match name {
        "WORLD_SIZE" | "LOCAL_WORLD_SIZE" | "OMP_NUM_THREADS" => (1..=MAX_COUNT, 8),
        "RANK" | "LOCAL_RANK" => (0..=MAX_COUNT, 0),
        "MASTER_PORT" => (1..=u64::from(u16::MAX), 29500),
        "FSDP_VERSION" => (1..=2, 2),
        // Size, rank and local size, as MPI sets them.
        _ if is(0) || is(2) => (1..=MAX_COUNT, 8),
        _ if is(1) => (0..=MAX_COUNT, 0),
        _ => return None,
    })
}

/// Python's `int` takes the number, with blanks around it or not, and stops at anything else.
fn bad_number(name: &str, value: &str, setup: &Setup) -> Option<Finding> {
    let (range, example) = numbers(name)?;
    let threads = name == "OMP_NUM_THREADS";
    // OpenMP takes a number for each level, where the launcher does not look first.
    let read = if threads && !setup.launched() {
        value.split(',').next().unwrap_or_default()
    } else {
        value
    };
    let good = read.trim().parse().is_ok_and(|number| range.contains(&number));
    // accelerate takes -1 for a LOCAL_RANK that is not set.
    if good || (name == "LOCAL_RANK" && read.trim() == "-1") {
        return None;
    }
    let expected = message!(
        "It must be a whole number from {low} to {most}.",
        low = *range.start(),
        most = *range.end()
    );
    let gets_by =
        if threads { !setup.launched() } else { setup.launched() && setup.kind.over_devices() };
    let (severity, why) = if gets_by {
        let why = message!(
            "{expected} Here it is set anew or not read, so this run gets by; another start stops \
             at it.",
            expected
        );
        (Severity::Warning, why)
    } else {
        (Severity::Error, expected)
    };
    // Without a size or a rank it would be another run, so that stays open.
    let left_out = gets_by || threads || name == "MASTER_PORT";
    let edit = left_out.then(|| Edit::RemoveVariable(name.to_owned()));
    Some(
        Finding::new(Id::BadValue, severity, Stage::Read)
            .says(
                message!("{name} = {value} cannot be used.", name, value = short(value)),
                why,
                message!("Write for example {name}={example}, or unset it.", name, example),
            )
            .refers_to(STATE)
            .corrected_by(edit),
    )
}

fn unknown_variable(name: &str) -> Option<Finding> {
    if VARIABLES.contains(&name) {
        return None;
    }
    if name.chars().any(|c| c.is_ascii_lowercase()) && !name.ends_with("_proxy") {
        return Some(unknown_setting(name));
    }
    let meant = nearest(name, VARIABLES.iter().copied());
    let ours = name.starts_with("PARALLELISM_CONFIG_") || name.contains("CP_SIZE");
    if meant.is_none() && !ours {
        return None;
    }
    let fix = match meant {
        Some(meant) => message!("Did you mean {meant}?", meant),
        None => message!("Set PARALLELISM_CONFIG_CP_SIZE, or use the configuration file."),
    };
    Some(
        Finding::new(Id::UnknownKey, Severity::Warning, Stage::Read)
            .says(
                message!("The variable {name} has no effect.", name = short(name)),
                message!("accelerate reads variables by their exact names."),
                fix,
            )
            .corrected_by([Edit::RemoveVariable(name.to_owned())]),
    )
}

/// Variables are in capitals, so this was to be a fact or one of them.
fn unknown_setting(name: &str) -> Finding {
    let lower = name.to_ascii_lowercase().replace('-', "_");
    let facts = Fact::all().flat_map(|(_, names)| names.iter().copied());
    let axis = Axis::ALL.into_iter().find(|axis| {
        let bare = lower.strip_prefix("parallelism_config_").unwrap_or(&lower);
        bare.strip_suffix("_size").unwrap_or(bare) == axis.name()
    });
    let capitals = lower.to_ascii_uppercase();
    let meant = axis
        .map(Axis::variable)
        .or_else(|| VARIABLES.iter().copied().find(|known| *known == capitals))
        .or_else(|| nearest(&lower, facts))
        .or_else(|| nearest(&capitals, VARIABLES.iter().copied()));
    let fix = match meant {
        Some(meant) => message!("Did you mean {meant}? Otherwise take it out.", meant),
        None => message!("Take it out, or write it as ringside doctor --help lists it."),
    };
    Finding::new(Id::UnknownKey, Severity::Warning, Stage::Read)
        .says(
            message!("The setting {name} is not understood.", name = short(name)),
            message!(
                "It is neither a fact that the doctor knows nor a variable, which are in capitals."
            ),
            fix,
        )
        .refers_to(None)
}

fn bad_fact(fact: Fact, name: &str, value: &str) -> Option<Finding> {
    let value = value.trim();
    let one_of = |names: &[&str]| {
        (!names.contains(&value))
            .then(|| message!("It must be one of {names}.", names = names.join(", ")))
    };
    let why = match fact {
        Fact::Launcher => {
            one_of(&["accelerate", "launch", "notebook", "notebook_launcher", "torchrun", "python"])
        }
        Fact::Processes | Fact::SeqLen | Fact::PadToMultipleOf => {
            let good = value.parse::<u64>().is_ok_and(|n| n > 0);
            (!good).then(|| message!("It must be a whole number from {low}.", low = 1))
        }
        Fact::Packing => truth(value).is_none().then(|| message!("It must be true or false.")),
        Fact::SlidingWindow => {
            let good = truth(value).is_some() || value.parse::<u64>().is_ok();
            (!good).then(|| message!("It must be a width, true or false."))
        }
        Fact::PaddingSide => one_of(&["left", "right"]),
        Fact::Loss => one_of(&["mean", "sum"]),
        Fact::ValidTokens => one_of(&["equal", "unequal"]),
        Fact::Context => one_of(&["after-prepare", "before-prepare"]),
        Fact::AttentionMask | Fact::Attention | Fact::DdpBackend => None,
    }?;
    Some(
        Finding::new(Id::BadValue, Severity::Error, Stage::Read)
            .says(
                message!(
                    "{name} = {value} cannot be understood.",
                    name = short(name),
                    value = short(value)
                ),
                why,
                message!("Correct it, or leave it out."),
            )
            .refers_to(None),
    )
}
