//! Inputs for the doctor, built from one configuration that is in order.

use doctor::{Input, Machine, Report, diagnose, split_line};
use plan::runtime::{Build, Gpus, Launch, Place, Preset, Probe};

/// What `accelerate config` writes for CP 2 on one node of 8 GPUs, in order from 1.13.0 on.
pub const CP_2: &str = "\
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

/// What it writes for one process on a CPU.
pub const PLAIN_CPU: &str = "\
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: 'NO'
downcast_bf16: 'no'
enable_cpu_affinity: false
machine_rank: 0
main_training_function: main
mixed_precision: 'no'
num_machines: 1
num_processes: 1
rdzv_backend: static
same_network: true
tpu_env: []
tpu_use_cluster: false
tpu_use_sudo: false
use_cpu: true
";

/// Flags that are in order from 1.13.0 on.
pub const CP_FLAGS: &str = "--num_processes 8 --use_fsdp --fsdp_version 2 --use_parallelism_config \
    --parallelism_config_cp_size 2 --parallelism_config_dp_shard_size 4 train.py";

/// The configuration with lines replaced; a line `- x` takes `x` out, `a => b` puts b for a.
pub fn yaml(changes: &[(&str, &str)]) -> String {
    let mut text = CP_2.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "there is no {from:?} to replace");
        text = text.replace(from, to);
    }
    text
}

/// The configuration under a version.
pub fn config(text: impl Into<String>, accelerate: &str) -> Input {
    Input {
        config: Some(text.into()),
        accelerate: Some(accelerate.to_owned()),
        torch: Some("2.7.1".to_owned()),
        ..Input::default()
    }
}

/// Flags under a version.
pub fn flags(line: &str, accelerate: &str) -> Input {
    Input {
        launch: Some(split_line(line)),
        accelerate: Some(accelerate.to_owned()),
        torch: Some("2.7.1".to_owned()),
        ..Input::default()
    }
}

/// The input with settings.
pub fn set(mut input: Input, settings: &[(&str, &str)]) -> Input {
    for (name, value) in settings {
        input.settings.insert((*name).to_owned(), (*value).to_owned());
    }
    input
}

/// The input on a machine.
pub fn on(mut input: Input, preset: Preset) -> Input {
    let this = Probe {
        place: Place::Native,
        build: Build::FULL,
        gpus: Gpus::NoDriver,
        launch: Launch::Alone,
        cores: 2,
        memory: None,
    };
    input.machine = Some(Machine { preset, probe: preset.probe(&this) });
    input
}

/// The report.
pub fn report(input: &Input) -> Report {
    diagnose(input).expect("there is something to diagnose")
}

/// The names of what is found, in order.
pub fn ids(input: &Input) -> Vec<&'static str> {
    report(input).findings.iter().map(|finding| finding.id.name()).collect()
}
