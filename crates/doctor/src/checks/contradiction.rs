//! What `accelerate launch` refuses because two of its settings contradict each other.

use plan::message;

use crate::correct::Edit;
use crate::document::Value;
use crate::finding::{Finding, Id, LAUNCH, Severity, Stage};
use crate::setup::{Kind, Legible, Parallelism, Setup};

/// Flags of which only one is taken; where there are several, the first of these stays.
const ONE_OF: [&str; 5] = ["use_fsdp", "use_deepspeed", "multi_gpu", "tpu", "cpu"];

fn refused(id: Id) -> Finding {
    Finding::new(id, Severity::Error, Stage::Launch).refers_to(LAUNCH)
}

pub(super) fn one_kind_only(setup: &Setup) -> Option<Finding> {
    let typed: Vec<&str> = ONE_OF.into_iter().filter(|flag| setup.line.has(flag)).collect();
    let (&stays, others) = typed.split_first()?;
    // The CPU with FSDP has a finding of its own.
    if others.is_empty() || !setup.launched() || typed == ["use_fsdp", "cpu"] {
        return None;
    }
    let names: Vec<String> = typed.iter().map(|flag| format!("--{flag}")).collect();
    Some(
        refused(Id::FlagsContradict)
            .says(
                message!(
                    "accelerate launch stops: only one of {names} at a time.",
                    names = names.join(", ")
                ),
                message!("Each of them names the kind of run, and a run is of one kind."),
                message!("Keep one of them, for example --{stays}.", stays),
            )
            .corrected_by(others.iter().map(|flag| Edit::RemoveFlag((*flag).to_owned()))),
    )
}

pub(super) fn one_process_on_several_gpus(setup: &Setup) -> Option<Finding> {
    let one = setup.line.value("num_processes").is_some_and(|number| number.trim() == "1");
    if !setup.line.has("multi_gpu") || !one || !setup.launched() {
        return None;
    }
    Some(
        refused(Id::FlagsContradict)
            .says(
                message!("accelerate launch stops: --multi_gpu needs at least 2 processes."),
                message!("--multi_gpu starts a process on each of several GPUs, and --num_processes says 1."),
                message!("Leave --multi_gpu out, or ask for as many processes as there are GPUs."),
            )
            .corrected_by([Edit::RemoveFlag("multi_gpu".to_owned())]),
    )
}

/// The launcher looks at its flags before it looks into the file.
pub(super) fn mesh_without_fsdp2(setup: &Setup) -> Option<Finding> {
    let typed = setup.launched() && setup.line.has("use_parallelism_config");
    if !typed || setup.line.has("use_fsdp") || setup.parallelism == Parallelism::Unsupported {
        return None;
    }
    Some(
        refused(Id::CpNeedsFsdp2)
            .says(
                message!(
                    "accelerate launch stops: --use_parallelism_config without --use_fsdp and \
                 --fsdp_version 2."
                ),
                message!(
                    "The launcher wants the three together, and looks at the flags before the file."
                ),
                message!(
                    "Add --use_fsdp --fsdp_version 2, or leave the flag out where a file holds all."
                ),
            )
            .corrected_by([Edit::UseFsdp2]),
    )
}

/// Read from the file alone: without one the launcher does not count the ids.
pub(super) fn one_gpu_id(setup: &Setup) -> Option<Finding> {
    let ids = setup.gpu_ids.as_deref()?;
    let from_file = setup.source == crate::setup::Source::Config && setup.launched();
    let several = setup.kind == Kind::MultiDevice && setup.machines.count <= 1;
    if !from_file || !several || ids.contains(',') {
        return None;
    }
    Some(
        refused(Id::BadValue)
            .says(
                message!(
                    "accelerate launch stops: less than two GPU ids for a run on several GPUs."
                ),
                message!(
                    "gpu_ids is {ids}, and MULTI_GPU wants two at least.",
                    ids = crate::text::short(ids)
                ),
                message!("Write gpu_ids: all, or name as many as there are processes."),
            )
            .corrected_by([
                Edit::RemoveFlag("gpu_ids".to_owned()),
                Edit::PutNamed(None, "gpu_ids".to_owned(), Value::text("all")),
            ]),
    )
}

pub(super) fn machines(setup: &Setup) -> Option<Finding> {
    let machines = setup.machines;
    if !setup.launched() || !setup.kind.over_devices() || setup.cpu.is_some() {
        return None;
    }
    let uneven = setup.processes.filter(|processes| {
        setup.legible == Legible::Yes && !processes.is_multiple_of(machines.count)
    });
    let (message, why, fix) = if let Some(processes) = uneven {
        let each = processes / machines.count;
        (
            message!(
                "{processes} processes do not divide among {machines} machines.",
                processes,
                machines = machines.count
            ),
            message!(
                "Each machine starts {each}, so {all} run in all.",
                each,
                all = each * machines.count
            ),
            message!(
                "Use a multiple of {machines}: num_processes counts all machines.",
                machines = machines.count
            ),
        )
    } else if let Some(rank) = machines.rank.filter(|&rank| rank >= machines.count) {
        if machines.count == 1 {
            return Some(rank_of_one(rank));
        }
        (
            message!(
                "machine_rank is {rank}, and num_machines is {machines}.",
                rank,
                machines = machines.count
            ),
            message!(
                "Machines are counted from 0; a rank beyond the last waits for a group without end."
            ),
            message!("Use a machine_rank from 0 to {last}.", last = machines.count - 1),
        )
    } else if machines.count > 1 && !machines.address && setup.kind != Kind::Deepspeed {
        (
            message!("Several machines, and no main_process_ip: they do not find each other."),
            message!("The launcher hands the address None to torch, and no machine has that name."),
            message!("Set main_process_ip and main_process_port to those of machine 0."),
        )
    } else {
        return None;
    };
    Some(refused(Id::MachinesDoNotFit).says(message, why, fix))
}

/// On one machine its rank is not looked at, so it was probably meant to be one of several.
fn rank_of_one(rank: u64) -> Finding {
    Finding::new(Id::MachinesDoNotFit, Severity::Warning, Stage::Silent).says(
        message!(
            "machine_rank is {rank}, and num_machines is 1: each machine trains for itself.",
            rank
        ),
        message!("Machines are counted from 0, and of a single one the rank is not looked at."),
        message!("Set num_machines to the number of machines, or machine_rank to 0."),
    )
}
