//! Errors that are known: what their texts hold, and the findings that end in them.
//!
//! The texts were read in accelerate 1.13.0 and 1.15.0, transformers 5.24.0, TRL 1.11.0 and torch.

use plan::{Message, message};

use crate::finding::Id;

/// An error that is known.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// A text of which any one is enough.
    pub says: &'static [&'static str],
    /// The findings that end in it, likeliest first.
    pub ids: &'static [Id],
    /// What it is about.
    pub topic: Topic,
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The CP context, which has a checklist and a lesson.
    Context,
    /// A machine without a GPU, which has both as well.
    NoGpu,
    /// Another error, to which it only points.
    Pointer,
    /// Something else.
    Other,
}

const fn known(topic: Topic, says: &'static [&'static str], ids: &'static [Id]) -> Known {
    Known { says, ids, topic }
}

/// What an error is known by. The first that fits counts, so what only points stands last.
pub const KNOWN: &[Known] = &[
    known(
        Topic::Context,
        &["has no attribute '_cp_context'"],
        &[Id::CpContextNeverBuilt, Id::CpContextBeforePrepare, Id::NoCpInVersion],
    ),
    known(
        Topic::Context,
        &[
            "has no attribute 'maybe_context_parallel'",
            "cannot import name 'ParallelismConfig' from 'accelerate",
            "No module named 'accelerate.parallelism_config'",
            "Accelerator.__init__() got an unexpected keyword argument 'parallelism_config'",
        ],
        &[Id::NoCpInVersion],
    ),
    known(
        Topic::Other,
        &["Context parallelism is supported only with SDPA"],
        &[Id::AttentionNotSdpa],
    ),
    known(
        Topic::Other,
        &[
            "`cp_size > 1` specified in the `parallelism_config`, but no `fsdp_plugin`",
            "Using `cp_size>1` requires FSDP2",
            "without `--use_fsdp` and `--fsdp_version=2`",
        ],
        &[Id::CpNeedsFsdp2],
    ),
    known(
        Topic::Other,
        &["ParallelismConfig is only compatible DistributedType.FSDP"],
        &[Id::CpNeedsFsdp2, Id::CpOnCpu],
    ),
    known(Topic::Other, &["Sequence Parallelism (SP) are mutually exclusive"], &[Id::CpAndSp]),
    known(Topic::Other, &["cannot be used with pure data parallelism"], &[Id::CpWithPureDp]),
    known(Topic::Other, &["ParallelismConfig total_size ("], &[Id::SizesDoNotMultiply]),
    known(Topic::Other, &["Context parallelism is only available in PyTorch"], &[Id::TorchTooOld]),
    known(Topic::Other, &["Invalid cp_comm_strategy"], &[Id::StrategyName]),
    known(
        Topic::Other,
        &["Context parallelism does not support attention layers of type"],
        &[Id::WindowWithCp],
    ),
    known(
        Topic::Other,
        &["Packing is not compatible with context parallelism"],
        &[Id::PackingWithCp],
    ),
    // The assertion has no text of its own; its line of code has.
    known(Topic::Other, &["world_size * 2) == 0"], &[Id::LengthNotDivisible]),
    known(
        Topic::Other,
        &["no dimension for FSDP to shard across", "('dp_shard_cp',)"],
        &[Id::NothingToShard],
    ),
    known(Topic::NoGpu, &["No such file or directory: 'nvidia-smi'"], &[Id::NvidiaSmiMissing]),
    known(
        Topic::NoGpu,
        &["ProcessGroupNCCL is only supported with GPUs", "package doesn't have NCCL built in"],
        &[Id::NcclWithoutCuda],
    ),
    known(Topic::NoGpu, &["scaled_dot_product_flash_attention_for_cpu"], &[Id::CpOnCpu]),
    known(
        Topic::NoGpu,
        &[
            "Torch not compiled with CUDA enabled",
            "Found no NVIDIA driver on your system",
            "No CUDA GPUs are available",
        ],
        &[Id::GpuOnlyFeature, Id::MoreRanksThanGpus],
    ),
    known(
        Topic::Other,
        &["invalid device ordinal", "Duplicate GPU detected"],
        &[Id::MoreRanksThanGpus],
    ),
    known(
        Topic::Other,
        &["`--use_deepspeed`, `--use_fsdp` at a time"],
        &[Id::FlagsContradict, Id::CpuWithFsdp],
    ),
    known(Topic::Other, &["at least 2 processes to use `--multi_gpu`"], &[Id::FlagsContradict]),
    known(
        Topic::Other,
        &["Less than two GPU ids were configured", "invalid truth value"],
        &[Id::BadValue],
    ),
    known(Topic::Other, &["had unknown keys ("], &[Id::UnknownKey, Id::NoCpInVersion]),
    known(
        Topic::Other,
        &["manually pass in `--num_processes`", "`distributed_type` must be specified"],
        &[Id::MissingKey],
    ),
    known(
        Topic::Other,
        &["yaml.scanner.ScannerError", "yaml.parser.ParserError", "yaml.constructor.Constructor"],
        &[Id::BadYaml],
    ),
    known(
        Topic::Pointer,
        &[
            "NCCL error",
            "collective operation timeout",
            "ChildFailedError",
            "CalledProcessError",
            "ProcessRaisedException",
        ],
        &[],
    ),
];

/// What is so where the finding is the cause of an error.
pub fn sign(id: Id) -> Message {
    match id {
        Id::CpContextNeverBuilt => {
            message!("accelerate is 1.12.0, whose prepare() returns early and builds no context.")
        }
        Id::CpContextBeforePrepare => message!(
            "The script enters maybe_context_parallel before accelerator.prepare(), in any version."
        ),
        Id::NoCpInVersion => message!("accelerate is older than 1.10.0, the first that has CP."),
        Id::AttentionNotSdpa => {
            message!("The model was loaded with another attn_implementation than sdpa.")
        }
        Id::CpNeedsFsdp2 => message!("cp_size is above 1 without FSDP and fsdp_version 2."),
        Id::CpOnCpu => message!("cp_size is above 1 on a CPU."),
        Id::CpAndSp => message!("cp_size and sp_size are both above 1."),
        Id::CpWithPureDp => message!("dp_replicate_size is above 1 and dp_shard_size is 1."),
        Id::SizesDoNotMultiply => {
            message!("The product of the sizes is another number than num_processes.")
        }
        Id::TorchTooOld => message!("torch is older than 2.6.0."),
        Id::StrategyName => message!("cp_comm_strategy is neither allgather nor alltoall."),
        Id::WindowWithCp => message!("The model attends in a sliding window or in chunks."),
        Id::PackingWithCp => message!("packing or eval_packing is on."),
        Id::LengthNotDivisible => {
            message!("The length of the sequences is no multiple of 2 x cp_size.")
        }
        Id::NothingToShard => message!("dp_shard_size and cp_size are both 1 under FSDP 2."),
        Id::NvidiaSmiMissing => message!(
            "notebook_launcher of an accelerate before 1.13.0 runs in a Colab without a GPU."
        ),
        Id::NcclWithoutCuda => {
            message!("nccl is asked for where the machine, or this torch, has no CUDA.")
        }
        Id::GpuOnlyFeature => message!(
            "The script, FSDP, DeepSpeed, fp8 or a flash kernel wants a GPU where there is none."
        ),
        Id::MoreRanksThanGpus => message!(
            "There are more processes than visible GPUs: compare num_processes with \
             CUDA_VISIBLE_DEVICES and gpu_ids."
        ),
        Id::FlagsContradict => message!("Two flags of the launch line exclude each other."),
        Id::CpuWithFsdp => message!("--cpu and --use_fsdp stand in the launch line together."),
        Id::BadValue => message!("A key, a flag or a variable has a value that cannot be."),
        Id::UnknownKey => message!("The configuration has a key that this version does not know."),
        Id::MissingKey => message!("The configuration lacks a key, and no flag stands for it."),
        Id::BadYaml => message!("The configuration is no YAML."),
        // No error's text leads to the others.
        _ => Message::default(),
    }
}
