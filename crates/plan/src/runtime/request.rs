//! What is asked of a machine.

use serde::{Deserialize, Serialize};

use crate::{Message, message};

/// What is asked of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// Where tensors live.
    pub device: DeviceChoice,
    /// How ranks talk.
    pub backend: BackendChoice,
    /// Use the CPU whatever else is asked.
    pub force_cpu: bool,
    /// Ranks; left out, as many as the backend offers by itself.
    pub world_size: Option<usize>,
    /// What the training code wants to use.
    pub features: Vec<Feature>,
}

/// Where tensors are to live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceChoice {
    /// CUDA where there is any, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A CUDA device or nothing.
    Cuda,
}

/// How ranks are to talk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackendChoice {
    /// What fits the machine.
    #[default]
    Auto,
    /// Threads of one process.
    Threads,
    /// Web workers of one page.
    Workers,
    /// Processes started by MPI.
    Mpi,
    /// NCCL, one rank a GPU.
    Nccl,
}

impl BackendChoice {
    /// Every choice.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Threads, Self::Workers, Self::Mpi, Self::Nccl];
}

impl DeviceChoice {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Cpu, Self::Cuda];
}

/// Something that training code uses and that not every machine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// Fully sharded data parallelism.
    Fsdp,
    /// DeepSpeed.
    Deepspeed,
    /// FlashAttention's kernels.
    FlashAttention,
    /// 8-bit floating point.
    Fp8,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 4] = [Self::Fsdp, Self::Deepspeed, Self::FlashAttention, Self::Fp8];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fsdp => "fsdp",
            Self::Deepspeed => "deepspeed",
            Self::FlashAttention => "flash-attention",
            Self::Fp8 => "fp8",
        }
    }

    /// Why it needs a GPU.
    pub fn needs_gpu_because(self) -> Message {
        match self {
            Self::Fsdp => {
                message!("FSDP shards parameters over accelerators and assumes that there is one")
            }
            Self::Deepspeed => message!("DeepSpeed's engine and its kernels assume an accelerator"),
            Self::FlashAttention => message!("FlashAttention has no CPU kernel"),
            Self::Fp8 => message!("8-bit matrix products exist on GPUs alone"),
        }
    }

    /// What to use on a CPU.
    pub fn on_a_cpu(self) -> Message {
        match self {
            Self::Fsdp => message!("leave FSDP out and use plain data parallelism"),
            Self::Deepspeed => message!("leave DeepSpeed out and use plain data parallelism"),
            Self::FlashAttention => message!("use sdpa or eager attention"),
            Self::Fp8 => message!("use mixed precision no, or bf16"),
        }
    }
}
