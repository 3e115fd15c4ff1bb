//! What to begin with: the two stories that people report, and a run that is in order.

use std::borrow::Cow;

use crate::t;
use plan::runtime::Preset;

use super::entered::{Entered, Part};

/// A sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The `AttributeError` of accelerate 1.12.0.
    LostContext,
    /// A Colab without a GPU.
    ColabWithoutGpu,
    /// Eight GPUs and nothing wrong.
    Healthy,
}

impl Sample {
    /// Every sample.
    pub const ALL: [Self; 3] = [Self::LostContext, Self::ColabWithoutGpu, Self::Healthy];

    /// Its name in lessons.
    pub fn key(self) -> &'static str {
        match self {
            Self::LostContext => "lost-context",
            Self::ColabWithoutGpu => "colab",
            Self::Healthy => "healthy",
        }
    }

    /// Its name on the button.
    pub fn title(self) -> Cow<'static, str> {
        match self {
            Self::LostContext => t!("doctor.samples.lost_context"),
            Self::ColabWithoutGpu => t!("doctor.samples.colab"),
            Self::Healthy => t!("doctor.samples.healthy"),
        }
    }

    /// What it enters.
    pub fn entered(self) -> Entered {
        match self {
            Self::LostContext => Entered::default()
                .with(Part::Config, CP_2)
                .with(Part::Accelerate, "1.12.0")
                .with(Part::Torch, "2.9.1"),
            Self::ColabWithoutGpu => Entered::default()
                .with(Part::Settings, "launcher=notebook\nnum_processes=1\n")
                .with(Part::Accelerate, "1.12.0")
                .with(Part::Torch, "2.9.1")
                .on(Preset::ColabCpu),
            Self::Healthy => Entered::default()
                .with(Part::Config, CP_2)
                .with(Part::Settings, "context=after-prepare\nseq_len=8192\n")
                .with(Part::Accelerate, "1.13.0")
                .with(Part::Torch, "2.9.1")
                .on(Preset::H100Node),
        }
    }
}

/// What `accelerate config` writes for CP 2 on one node of 8 GPUs.
const CP_2: &str = "\
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: FSDP
downcast_bf16: 'no'
enable_cpu_affinity: false
fsdp_config:
  fsdp_activation_checkpointing: false
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_cpu_ram_efficient_loading: true
  fsdp_offload_params: false
  fsdp_reshard_after_forward: true
  fsdp_state_dict_type: SHARDED_STATE_DICT
  fsdp_version: 2
machine_rank: 0
main_training_function: main
mixed_precision: bf16
num_machines: 1
num_processes: 8
parallelism_config:
  parallelism_config_cp_comm_strategy: allgather
  parallelism_config_cp_size: 2
  parallelism_config_dp_replicate_size: 1
  parallelism_config_dp_shard_size: 4
  parallelism_config_tp_size: 1
rdzv_backend: static
same_network: true
tpu_env: []
tpu_use_cluster: false
tpu_use_sudo: false
use_cpu: false
";
