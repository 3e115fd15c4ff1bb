//! What goes wrong while `Accelerator()` is built.

use plan::runtime::Feature;
use plan::{Message, message};

use crate::correct::Edit;
use crate::facts::Fact;
use crate::finding::{Finding, Id, Severity, Stage};
use crate::keys::STRATEGIES;
use crate::nearest::nearest;
use crate::read::MAX_COUNT;
use crate::setup::{Axis, CpuWish, FsdpVersion, Kind, Legible, Parallelism, Setup, Starter};
use crate::text::short;
use crate::version::{REPAIRED, SHARDLESS_REFUSED, TORCH_WITH_CP};

fn finding(id: Id) -> Finding {
    Finding::new(id, Severity::Error, Stage::Accelerator)
}

pub(super) fn torch_too_old(setup: &Setup) -> Option<Finding> {
    let torch = setup.torch.filter(|torch| !torch.has(TORCH_WITH_CP))?;
    if !setup.cp_on() {
        return None;
    }
    Some(
        finding(Id::TorchTooOld)
            .says(
                message!(
                    "ParallelismConfig stops: CP needs torch 2.6.0 or later, and this is {torch}.",
                    torch
                ),
                message!(
                    "accelerate's CP is torch's own context_parallel on FSDP2, both from 2.6.0."
                ),
                message!("Install torch 2.6.0 or later."),
            )
            .corrected_by([Edit::Torch("2.6.0")]),
    )
}

pub(super) fn strategy_name(setup: &Setup) -> Option<Finding> {
    let name = setup.strategy.as_deref()?;
    if setup.asked.cp <= 1 {
        return None;
    }
    if name == "alltoall" {
        return Some(Finding::new(Id::StrategyName, Severity::Info, Stage::Accelerator).says(
            message!("alltoall is a ring here: keys and values rotate from rank to rank."),
            message!(
                "torch rotates the blocks with an all-to-all call, hence the name. Ulysses, which \
                 exchanges heads by all-to-all, is sp_size with DeepSpeed."
            ),
            message!(
                "Nothing to change. allgather, the default, fetches all keys and values at once."
            ),
        ));
    }
    if STRATEGIES.contains(&name) {
        return None;
    }
    let meant = match name.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "ring" | "alltoall" | "a2a" => "alltoall",
        other => nearest(other, STRATEGIES.iter().copied()).unwrap_or("allgather"),
    };
    Some(
        finding(Id::StrategyName)
            .says(
                message!(
                    "ParallelismConfig stops: cp_comm_strategy = {name} is no strategy.",
                    name = short(name)
                ),
                message!(
                    "It must be allgather (fetch all keys and values at once) or alltoall (a ring: \
                 they rotate from rank to rank)."
                ),
                message!("Write {meant}.", meant),
            )
            .corrected_by([Edit::Strategy(meant)]),
    )
}

pub(super) fn cp_and_sp(setup: &Setup) -> Option<Finding> {
    let both = setup.cp_on() && setup.asked.sp > 1;
    if !both || !setup.accelerate.has(REPAIRED) {
        return None;
    }
    Some(
        finding(Id::CpAndSp)
            .says(
                message!("ParallelismConfig stops: cp_size = {cp} and sp_size = {sp} exclude each other.", cp = setup.asked.cp, sp = setup.asked.sp),
                message!("Both split the sequence: CP by torch on FSDP2, SP (Ulysses) by DeepSpeed."),
                message!("Set one of them to 1; with FSDP2 that is sp_size."),
            )
            .corrected_by([Edit::Size(Axis::Sp, 1)]),
    )
}

pub(super) fn cp_with_pure_dp(setup: &Setup) -> Option<Finding> {
    let sizes = setup.asked;
    let on = setup.parallelism == Parallelism::On;
    if !on || (sizes.cp <= 1 && sizes.tp <= 1) || sizes.dp_replicate <= 1 || sizes.dp_shard > 1 {
        return None;
    }
    let which = if sizes.cp > 1 { "cp" } else { "tp" };
    Some(
        finding(Id::CpWithPureDp)
            .says(
                message!("ParallelismConfig stops: {which} with dp_replicate_size = {size} needs \
                     dp_shard_size above 1.", which, size = sizes.dp_replicate),
                message!("Replicas that shard nothing are plain DDP, which does not compose with CP or TP."),
                message!("Set dp_shard_size = {size} and dp_replicate_size = 1; the number of ranks stays.", size = sizes.dp_replicate),
            )
            .corrected_by([
                Edit::Size(Axis::DpShard, sizes.dp_replicate),
                Edit::Size(Axis::DpReplicate, 1),
            ]),
    )
}

pub(super) fn nccl_without_cuda(setup: &Setup) -> Option<Finding> {
    let asked = setup.facts.get(Fact::DdpBackend) == Some("nccl");
    let several = setup.processes.is_none_or(|processes| processes > 1);
    let implied = setup.kind.over_devices() && setup.cpu.is_none() && several;
    let launched = matches!(setup.starter, Starter::Launch | Starter::PerhapsNotebook);
    if !setup.on_cpu() || !(asked || (implied && launched && setup.no_gpu())) {
        return None;
    }
    let edits = match asked {
        true => vec![Edit::Script(Fact::DdpBackend, "gloo".to_owned())],
        false => vec![Edit::PlainCpu],
    };
    let what = match (asked, setup.no_gpu()) {
        (true, true) => message!("The script asks for nccl, and there is no CUDA device."),
        (true, false) => message!("The script asks for nccl, and the run is on the CPU."),
        (false, _) => message!("The processes are started for GPUs, and there is no CUDA device."),
    };
    Some(
        finding(Id::NcclWithoutCuda)
            .says(
                what,
                message!("nccl moves GPU memory and exists only with CUDA. Without it accelerate makes a \
                 group only for cpu=True (mpi or gloo); otherwise each process stays alone."),
                message!("On CPUs use gloo: set use_cpu: true with one process, or MULTI_CPU under mpirun."),
            )
            .corrected_by(edits),
    )
}

pub(super) fn gpu_only_feature(setup: &Setup) -> Option<Finding> {
    let on_cpu = setup.no_gpu() || matches!(setup.cpu, Some(CpuWish::Kind));
    let wants = features(setup);
    let wants: Vec<Feature> = match (on_cpu, setup.cpu) {
        (true, _) => wants,
        // FSDP with the CPU has a finding of its own.
        (false, Some(_)) => wants.into_iter().filter(|f| *f != Feature::Fsdp).collect(),
        (false, None) => return None,
    };
    let first = *wants.first()?;
    let names: Vec<_> = wants.iter().map(|feature| feature.name()).collect();
    let works = wants.iter().map(|feature| feature.on_a_cpu());
    let works = Message::list(works, |list, item| message!("{list}; {item}", list, item));
    let mut edits = Vec::new();
    if wants.iter().any(|f| *f != Feature::FlashAttention) {
        edits.push(if setup.no_gpu() || setup.cpu.is_some() {
            Edit::PlainCpu
        } else {
            Edit::Rewrite
        });
    }
    if wants.contains(&Feature::FlashAttention) {
        edits.push(Edit::Script(Fact::Attention, "sdpa".to_owned()));
    }
    Some(
        finding(Id::GpuOnlyFeature)
            .says(
                message!("{names} cannot run on the CPU.", names = names.join(", ")),
                message!("{text}.", text = first.needs_gpu_because()),
                message!("On a CPU {works}.", works),
            )
            .corrected_by(edits),
    )
}

/// What the run wants that only a GPU has.
fn features(setup: &Setup) -> Vec<Feature> {
    let mut wants = Vec::new();
    match setup.kind {
        Kind::Fsdp(_) => wants.push(Feature::Fsdp),
        Kind::Deepspeed => wants.push(Feature::Deepspeed),
        Kind::Single | Kind::MultiCpu | Kind::MultiDevice | Kind::Megatron | Kind::Xla => {}
    }
    if setup.facts.get(Fact::Attention).is_some_and(|name| name.starts_with("flash")) {
        wants.push(Feature::FlashAttention);
    }
    if setup.precision.as_deref() == Some("fp8") {
        wants.push(Feature::Fp8);
    }
    wants
}

pub(super) fn cp_on_cpu(setup: &Setup) -> Option<Finding> {
    if setup.asked.cp <= 1 || !setup.on_cpu() || setup.parallelism == Parallelism::Unsupported {
        return None;
    }
    let edit = match setup.cpu {
        Some(CpuWish::Kind) if !setup.no_gpu() => Edit::UseFsdp2,
        Some(wish) if !setup.no_gpu() => Edit::LeaveCpu(wish),
        _ => Edit::PlainCpu,
    };
    Some(
        finding(Id::CpOnCpu)
            .says(
                message!("cp_size = {cp} cannot be had on the CPU.", cp = setup.asked.cp),
                message!(
                    "Three ways are closed: FSDP is refused with the CPU, MULTI_CPU is no \
                 multi-device kind, and torch's context parallelism has no attention kernel for \
                 the CPU."
                ),
                message!("Use GPUs, or leave CP out. The playground here runs CP on a CPU."),
            )
            .corrected_by([edit]),
    )
}

pub(super) fn cp_needs_fsdp2(setup: &Setup) -> Option<Finding> {
    // The launcher has refused the flag already.
    let refused = super::contradiction::mesh_without_fsdp2(setup).is_some();
    if !setup.cp_on() || setup.on_cpu() || setup.standalone || refused {
        return None;
    }
    let (message, why) = match setup.kind {
        Kind::Fsdp(FsdpVersion::Two) => return None,
        Kind::Fsdp(FsdpVersion::One) => (
            message!("Accelerator() stops: cp_size above 1 requires FSDP2, and this is FSDP1."),
            message!(
                "fsdp_version is 1 unless it is set to 2; CP shards the model over the mesh, which \
             only FSDP2 does."
            ),
        ),
        Kind::Deepspeed => (
            message!("CP with DeepSpeed is not to be had: CP belongs to FSDP2."),
            message!(
                "cp_backend is torch's, which shards with FSDP2. DeepSpeed splits the sequence by \
             sp_size instead."
            ),
        ),
        Kind::Single => (
            message!("The launcher starts one plain process, and the mesh is dropped or refused."),
            message!(
                "With distributed_type NO the sizes are not handed on, and --use_parallelism_config \
             is refused without --use_fsdp."
            ),
        ),
        Kind::MultiDevice => (
            message!("Accelerator() stops: cp_size above 1 without an fsdp_plugin."),
            message!(
                "CP shards the model over the mesh, so accelerate wants FSDP2 beside it \
             (ACCELERATE_ALLOW_CP_STANDALONE lifts that for libraries that do it themselves)."
            ),
        ),
        Kind::MultiCpu | Kind::Megatron | Kind::Xla => (
            message!("CP is built for FSDP2 only; this kind of run does not reach it."),
            message!("accelerate looks at cp_size for multi-device kinds with an FSDP2 plugin."),
        ),
    };
    Some(
        finding(Id::CpNeedsFsdp2)
            .says(message, why, message!("Set distributed_type: FSDP and fsdp_version: 2."))
            .corrected_by([Edit::UseFsdp2]),
    )
}

pub(super) fn sizes_do_not_multiply(setup: &Setup) -> Option<Finding> {
    let processes = setup.processes?;
    let sizes = setup.asked;
    let product = sizes.product();
    // A product of 1 is filled up with replicas, and DeepSpeed's SP makes its own groups.
    let deepspeed = sizes.sp > 1 && setup.accelerate.has(REPAIRED);
    let on = setup.parallelism == Parallelism::On && setup.legible == Legible::Yes;
    if !on || product == 1 || product == processes || deepspeed {
        return None;
    }
    let terms: Vec<String> = Axis::ALL
        .into_iter()
        .filter(|&axis| sizes.get(axis) > 1)
        .map(|axis| format!("{} {}", axis.name(), sizes.get(axis)))
        .collect();
    let others = product / sizes.dp_shard;
    let (edit, fix) = if product > MAX_COUNT {
        (None, message!("Choose sizes whose product is {processes}.", processes))
    } else if others > 0 && processes.is_multiple_of(others) && processes > 1 {
        let shard = processes / others;
        (
            Some(Edit::Size(Axis::DpShard, shard)),
            message!("Set dp_shard_size = {shard}, or num_processes = {product}.", shard, product),
        )
    } else {
        (Some(Edit::Processes(product)), message!("Set num_processes = {product}.", product))
    };
    Some(
        finding(Id::SizesDoNotMultiply)
            .says(
                message!("Accelerator() stops: {terms} makes {product} ranks, and num_processes is {processes}.", terms = terms.join(" x "), product, processes),
                message!("Every process has one place in the mesh, so the product must be their number."),
                fix,
            )
            .corrected_by(edit),
    )
}

pub(super) fn nothing_to_shard(setup: &Setup) -> Option<Finding> {
    let sizes = setup.asked;
    let fsdp2 = setup.kind == Kind::Fsdp(FsdpVersion::Two);
    let on = setup.parallelism == Parallelism::On;
    let several = setup.processes.is_none_or(|processes| processes > 1);
    if setup.legible == Legible::No
        || !fsdp2
        || !on
        || !several
        || sizes.dp_shard > 1
        || sizes.cp > 1
        || setup.on_cpu()
    {
        return None;
    }
    let message = if setup.accelerate.has(SHARDLESS_REFUSED) {
        message!("Accelerator() stops: FSDP has no dimension to shard across.")
    } else {
        message!(
            "prepare() stops with a KeyError from the device mesh: FSDP has nothing to shard across."
        )
    };
    let edits = setup.processes.map_or(vec![], |processes| shard_something(setup, processes));
    Some(
        finding(Id::NothingToShard)
            .says(
                message,
                message!("FSDP2 shards over dp_shard and cp together, and both are 1."),
                message!("Set dp_shard_size or cp_size above 1, or leave the parallelism_config section out."),
            )
            .corrected_by(edits),
    )
}

/// Gives FSDP a dimension: from the ranks that are left over, from half of tp, or from all.
fn shard_something(setup: &Setup, processes: u64) -> Vec<Edit> {
    let sizes = setup.asked;
    let taken = sizes.product();
    if processes > taken && processes.is_multiple_of(taken) {
        return vec![Edit::Size(Axis::DpShard, processes / taken)];
    }
    if processes == taken && sizes.tp.is_multiple_of(2) {
        return vec![Edit::Size(Axis::Tp, sizes.tp / 2), Edit::Size(Axis::DpShard, 2)];
    }
    vec![
        Edit::Size(Axis::DpReplicate, 1),
        Edit::Size(Axis::Tp, 1),
        Edit::Size(Axis::DpShard, processes),
    ]
}
