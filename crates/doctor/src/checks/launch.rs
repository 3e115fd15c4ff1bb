//! What goes wrong while the processes are started.

use plan::runtime::Preset;
use plan::{Message, message};

use crate::correct::Edit;
use crate::facts::Fact;
use crate::finding::{Finding, Id, Severity, Stage};
use crate::setup::{
    CpuWish, GpuCount, GroupVariables, Hidden, Ignored, Kind, Legible, Parallelism, Setup, Source,
    Starter,
};
use crate::version::REPAIRED;

pub(super) fn no_cp_in_version(setup: &Setup) -> Option<Finding> {
    if setup.parallelism != Parallelism::Unsupported {
        return None;
    }
    Some(
        Finding::new(Id::NoCpInVersion, Severity::Error, Stage::Launch)
            .says(
                message!("accelerate {version} has no context parallelism.", version = setup.accelerate),
                message!("1.10.0 (August 2025) is the first that has it; earlier ones refuse the section \
                 and the flags, and never look at the variables."),
                message!("Install accelerate 1.13.0 or later; 1.12.0 has it but never builds the context."),
            )
            .corrected_by([Edit::Accelerate("1.13.0")]),
    )
}

pub(super) fn cpu_with_fsdp(setup: &Setup) -> Option<Finding> {
    let (Some(wish), Kind::Fsdp(_)) = (setup.cpu, setup.kind) else { return None };
    let typed = wish == CpuWish::Flag && setup.line.has("use_fsdp");
    let (message, why) = match wish {
        CpuWish::Flag if typed => (
            message!("accelerate launch stops: only one of --cpu and --use_fsdp at a time."),
            message!("FSDP shards over accelerators, so the launcher refuses the two together."),
        ),
        CpuWish::Flag => (
            message!("--cpu drops the file's FSDP without a word: one plain process starts."),
            message!(
                "The launcher takes its simple path for --cpu, and that path sets nothing of FSDP."
            ),
        ),
        CpuWish::Config | CpuWish::Environment | CpuWish::Kind => (
            message!("FSDP is asked for together with the CPU; it assumes an accelerator."),
            message!(
                "On the CPU the kind of run is MULTI_CPU or a single process, and FSDP's part of \
             accelerate is reached from neither."
            ),
        ),
    };
    let edit = if setup.no_gpu() { Edit::PlainCpu } else { Edit::LeaveCpu(wish) };
    let fix = if setup.no_gpu() {
        message!("There is no GPU: leave FSDP out and run one process on the CPU.")
    } else {
        message!("Leave the CPU out to shard over GPUs, or leave FSDP out to run on the CPU.")
    };
    Some(
        Finding::new(Id::CpuWithFsdp, Severity::Error, Stage::Launch)
            .says(message, why, fix)
            .corrected_by([edit]),
    )
}

pub(super) fn cp_flag_ignored(setup: &Setup) -> Option<Finding> {
    let Parallelism::Ignored(reason) = setup.parallelism else { return None };
    let what = if setup.asked.cp > 1 {
        message!("cp_size = {cp} is ignored without a word; cp stays 1.", cp = setup.asked.cp)
    } else {
        message!("The sizes of the mesh are ignored without a word; all stay 1.")
    };
    let (why, fix, severity) = match reason {
        Ignored::NoUseFlag => (
            message!("The launcher hands the sizes on only with --use_parallelism_config."),
            message!("Add --use_parallelism_config (with --use_fsdp --fsdp_version 2)."),
            Severity::Error,
        ),
        Ignored::KindFlag => (
            message!(
                "A flag that names the kind of run keeps the launcher from switching the file's \
             section on."
            ),
            message!(
                "Leave that flag out, so that the file decides, or add --use_parallelism_config."
            ),
            Severity::Error,
        ),
        Ignored::SwitchedOff => (
            message!("The section itself says use_parallelism_config: false."),
            message!("Take that line out."),
            Severity::Error,
        ),
        Ignored::NoUseVariable => (
            message!(
                "Accelerator() reads the sizes only where ACCELERATE_USE_PARALLELISM_CONFIG is true, \
             or where the script builds a ParallelismConfig itself."
            ),
            message!("Set ACCELERATE_USE_PARALLELISM_CONFIG=true, or pass a ParallelismConfig."),
            Severity::Error,
        ),
        Ignored::Notebook => (
            message!("notebook_launcher reads neither the file nor the launcher's flags."),
            message!(
                "Pass a ParallelismConfig to Accelerator() in the notebook, or use accelerate launch."
            ),
            Severity::Error,
        ),
        Ignored::OtherStarter => (
            message!("torchrun and python read neither the file nor the launcher's flags."),
            message!(
                "Use accelerate launch, or pass a ParallelismConfig to Accelerator() in the script."
            ),
            Severity::Error,
        ),
    };
    let edits = [Edit::UseParallelism].into_iter().filter(|_| setup.legible == Legible::Yes);
    Some(
        Finding::new(Id::CpFlagIgnored, severity, Stage::Silent)
            .says(what, why, fix)
            .corrected_by(edits),
    )
}

fn on_colab(setup: &Setup) -> bool {
    let machine = setup.machine.as_ref();
    machine.is_some_and(|m| matches!(m.preset, Preset::ColabCpu | Preset::ColabT4))
}

pub(super) fn nvidia_smi_missing(setup: &Setup) -> Option<Finding> {
    let severity = match setup.starter {
        Starter::Notebook => Severity::Error,
        Starter::PerhapsNotebook => Severity::Warning,
        Starter::Launch | Starter::Torchrun | Starter::Python => return None,
    };
    if !on_colab(setup) || !setup.no_gpu() || setup.accelerate.has(REPAIRED) {
        return None;
    }
    let message = match severity {
        Severity::Error => {
            message!("notebook_launcher stops: FileNotFoundError for nvidia-smi.")
        }
        Severity::Warning | Severity::Info => message!(
            "Started from the notebook, notebook_launcher stops: FileNotFoundError for nvidia-smi."
        ),
    };
    Some(
        Finding::new(Id::NvidiaSmiMissing, severity, Stage::Launch)
            .says(
                message,
                message!("In Colab the launcher counts GPUs with nvidia-smi before it looks whether CUDA \
                 is there, and without a GPU there is no such program."),
                message!("Install accelerate 1.13.0 or later, or call the training function directly."),
            )
            .corrected_by([Edit::Accelerate("1.13.0")]),
    )
}

pub(super) fn processes_ignored(setup: &Setup) -> Option<Finding> {
    let asked = setup.processes.filter(|&processes| processes > 1)?;
    // Without a GPU the older launcher does not get as far.
    let colab = setup.starter == Starter::Notebook
        && on_colab(setup)
        && (setup.gpus == GpuCount::Known(1) || (setup.no_gpu() && setup.accelerate.has(REPAIRED)));
    let simple = setup.starter == Starter::Launch
        && matches!(setup.kind, Kind::Single | Kind::MultiCpu)
        && setup.group == GroupVariables::Absent
        && !setup.mpirun;
    let (why, fix) = match (colab, simple) {
        (true, _) => (
            message!(
                "In Colab without two GPUs the launcher calls the function once and does not look at \
             num_processes."
            ),
            message!("Say 1, or move to a machine with the GPUs."),
        ),
        (_, true) => (
            message!(
                "For this kind of run accelerate launch starts the script once; only mpirun starts \
             several on CPUs."
            ),
            message!("Say 1, or start it under mpirun (mpirun_hostfile in mpirun_config)."),
        ),
        (false, false) => return None,
    };
    Some(
        Finding::new(Id::ProcessesIgnored, Severity::Warning, Stage::Silent)
            .says(message!("{asked} processes are asked for and one runs.", asked), why, fix)
            .corrected_by([Edit::Processes(1)]),
    )
}

pub(super) fn ranks_alone(setup: &Setup) -> Option<Finding> {
    let asked = setup.processes.filter(|&processes| processes > 1)?;
    let notebook = setup.starter == Starter::Notebook && !on_colab(setup);
    let by_hand = matches!(setup.starter, Starter::Torchrun | Starter::Python)
        && setup.group != GroupVariables::Absent;
    if !(notebook || by_hand) || !setup.no_gpu() || setup.cpu.is_some() {
        return None;
    }
    // Until 1.12.0 a rank was enough for a group on the CPU; since 1.13.0 cpu=True is needed too.
    let grouped = !setup.accelerate.has(REPAIRED);
    let finding = match (grouped, notebook) {
        (true, false) => return None,
        (true, true) => Finding::new(Id::RanksAlone, Severity::Info, Stage::Silent).says(
            message!(
                "notebook_launcher says \"Launching training on {asked} CUDAs\"; it is \
                     {asked} processes on the CPU, and they form a group.",
                asked
            ),
            message!(
                "The launcher names a device that is not there. From 1.13.0 on a group on the CPU \
                 needs cpu=True as well, so the same call leaves each process alone."
            ),
            message!("Before moving to 1.13.0 or later, write Accelerator(cpu=True)."),
        ),
        (false, true) => {
            alone(asked, "notebook_launcher".into()).corrected_by([Edit::Processes(1)])
        }
        (false, false) => {
            let edit = Edit::PutVariable("ACCELERATE_USE_CPU", "true");
            alone(asked, message!("torchrun or mpirun")).corrected_by([edit])
        }
    };
    Some(finding)
}

fn alone(asked: u64, by: Message) -> Finding {
    Finding::new(Id::RanksAlone, Severity::Error, Stage::Silent).says(
        message!("{by} starts {asked} processes, and each believes it is rank 0 of 1.", by, asked),
        message!(
            "From 1.13.0 on accelerate makes a group on the CPU only where cpu=True is said. Each \
         process trains the whole run by itself; notebook_launcher even speaks of CUDAs."
        ),
        message!(
            "Write Accelerator(cpu=True) or set ACCELERATE_USE_CPU=true, or start one process."
        ),
    )
}

pub(super) fn more_ranks_than_gpus(setup: &Setup) -> Option<Finding> {
    let (GpuCount::Known(gpus), Some(asked)) = (setup.gpus, setup.processes) else { return None };
    let notebook = setup.starter == Starter::Notebook && !on_colab(setup);
    let each_a_gpu = setup.kind.over_devices() || notebook;
    let by_mpi = setup.starter == Starter::Python && setup.group == GroupVariables::Mpi;
    let none = gpus == 0 && setup.hidden.is_none();
    if none || asked <= gpus || setup.cpu.is_some() || !each_a_gpu || by_mpi {
        return None;
    }
    if let Some(who) = setup.hidden {
        if super::contradiction::one_gpu_id(setup).is_some() {
            return None;
        }
        return Some(hidden_gpus(who, asked, gpus));
    }
    let mut edits = vec![Edit::Processes(gpus)];
    if setup.parallelism == Parallelism::On {
        // With fewer ranks the mesh must shrink as well: all of them go to CP.
        edits.extend([
            Edit::Size(crate::setup::Axis::DpReplicate, 1),
            Edit::Size(crate::setup::Axis::DpShard, 1),
            Edit::Size(crate::setup::Axis::Tp, 1),
            Edit::Size(crate::setup::Axis::Cp, gpus),
        ]);
        if gpus == 1 {
            edits.push(Edit::PutNamed(
                None,
                "distributed_type".to_owned(),
                crate::document::Value::text("NO"),
            ));
        }
    }
    let gpus_are = if gpus == 1 { message!("is 1 GPU") } else { message!("are {gpus} GPUs", gpus) };
    Some(
        Finding::new(Id::MoreRanksThanGpus, Severity::Error, Stage::Launch)
            .says(
                message!("{asked} processes are asked for and there {gpus_are}.", asked, gpus_are),
                shared(),
                message!("Use num_processes {gpus}, or a machine with {asked} GPUs.", gpus, asked),
            )
            .corrected_by(edits),
    )
}

fn hidden_gpus(who: Hidden, asked: u64, gpus: u64) -> Finding {
    let (name, edits) = match who {
        Hidden::Variable => {
            let name = "CUDA_VISIBLE_DEVICES";
            (name, vec![Edit::RemoveVariable(name.to_owned())])
        }
        Hidden::GpuIds => {
            let all = crate::document::Value::text("all");
            let file = Edit::PutNamed(None, "gpu_ids".to_owned(), all);
            ("gpu_ids", vec![Edit::RemoveFlag("gpu_ids".to_owned()), file])
        }
    };
    let (left, why, fix) = match gpus {
        0 => (
            message!("no GPU"),
            message!("Where no GPU is to be seen there is no CUDA, and so neither nccl nor FSDP."),
            message!("Take {name} out, or ask for a run on the CPU.", name),
        ),
        gpus => (
            if gpus == 1 { message!("1 GPU") } else { message!("{number} GPUs", number = gpus) },
            shared(),
            message!(
                "Name {asked} GPUs in {name} or leave it out, or use num_processes {gpus}.",
                asked,
                name,
                gpus
            ),
        ),
    };
    Finding::new(Id::MoreRanksThanGpus, Severity::Error, Stage::Launch)
        .says(
            message!(
                "{asked} processes are asked for, and {name} leaves {left} to see.",
                asked,
                name,
                left
            ),
            why,
            fix,
        )
        .corrected_by(edits)
}

/// What becomes of more processes than GPUs; read in accelerate's `set_device`, 1.10.0 and 1.13.0.
fn shared() -> Message {
    message!(
        "accelerate takes the local rank modulo the number of GPUs, so that processes share one. \
         nccl stops at that: Duplicate GPU detected. A script that takes its rank for the device \
         stops earlier: invalid device ordinal."
    )
}

/// Under MPI no `LOCAL_RANK` is set, and so accelerate does not look at the GPUs.
pub(super) fn gpus_passed_over(setup: &Setup) -> Option<Finding> {
    let asked = setup.processes.filter(|&processes| processes > 1)?;
    let by_mpi = setup.starter == Starter::Python && setup.group == GroupVariables::Mpi;
    let GpuCount::Known(1..) = setup.gpus else { return None };
    if !by_mpi || setup.cpu.is_some() {
        return None;
    }
    let (id, what) = if setup.accelerate.has(REPAIRED) {
        (Id::RanksAlone, message!("each believes it is rank 0 of 1"))
    } else {
        (Id::GpusPassedOver, message!("they train on the CPU, as a MULTI_CPU group"))
    };
    let message = message!("mpirun starts {asked} processes, and {what}.", asked, what);
    Some(Finding::new(id, Severity::Error, Stage::Silent).says(
        message,
        message!("mpirun sets no LOCAL_RANK, and accelerate looks at the GPUs only where there is one; \
         from 1.13.0 on MPI's own variables count only with cpu=True."),
        message!("Start it with torchrun or accelerate launch on each node, or set LOCAL_RANK from MPI's \
         variable before the script."),
    ))
}

pub(super) fn missing_processes(setup: &Setup) -> Option<Finding> {
    let from_file = setup.source == Source::Config && setup.launched();
    let written = setup.legible == Legible::No;
    let said = setup.processes.is_some() || setup.facts.get(Fact::Processes).is_some();
    if !from_file || said || written {
        return None;
    }
    let product = match setup.parallelism {
        Parallelism::On => setup.asked.product(),
        Parallelism::Unasked | Parallelism::Ignored(_) | Parallelism::Unsupported => 1,
    };
    Some(
        Finding::new(Id::MissingKey, Severity::Error, Stage::Launch)
            .says(
                message!("accelerate launch stops: num_processes must be passed."),
                message!(
                    "The file does not hold it, and there is no default for this kind of run."
                ),
                message!("Add num_processes: {product}, or pass --num_processes.", product),
            )
            .corrected_by([Edit::Processes(product)]),
    )
}
