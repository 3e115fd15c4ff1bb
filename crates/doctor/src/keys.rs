//! The keys that accelerate reads from a configuration file.

/// What a key's value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A whole number from 1.
    Count,
    /// A whole number from 0.
    Index,
    /// true or false.
    Switch,
    /// One of a few names.
    Choice(&'static [&'static str]),
    /// Text; a number must be in quotes.
    Text,
    /// A single value that becomes text.
    Single,
    /// A section of its own.
    Section,
    /// Anything; nothing here depends on it.
    Any,
}

/// A known key.
pub type Key = (&'static str, Shape);

/// The kinds of launch.
pub const DISTRIBUTED_TYPES: &[&str] = &[
    "NO",
    "MULTI_CPU",
    "MULTI_GPU",
    "MULTI_NPU",
    "MULTI_MLU",
    "MULTI_SDAA",
    "MULTI_MUSA",
    "MULTI_XPU",
    "MULTI_HPU",
    "MULTI_NEURON",
    "DEEPSPEED",
    "FSDP",
    "XLA",
    "MEGATRON_LM",
];

/// The names of mixed precision.
pub const PRECISIONS: &[&str] = &["no", "fp16", "bf16", "fp8"];

/// The ways in which keys and values travel.
pub const STRATEGIES: &[&str] = &["allgather", "alltoall"];

/// Keys at the top of the file.
pub const TOP: &[Key] = &[
    ("compute_environment", Shape::Choice(&["LOCAL_MACHINE", "AMAZON_SAGEMAKER"])),
    ("distributed_type", Shape::Choice(DISTRIBUTED_TYPES)),
    ("mixed_precision", Shape::Choice(PRECISIONS)),
    ("use_cpu", Shape::Switch),
    ("debug", Shape::Switch),
    ("num_processes", Shape::Count),
    ("num_machines", Shape::Count),
    ("machine_rank", Shape::Index),
    ("gpu_ids", Shape::Text),
    ("main_process_ip", Shape::Any),
    ("main_process_port", Shape::Any),
    ("rdzv_backend", Shape::Any),
    ("same_network", Shape::Switch),
    ("main_training_function", Shape::Any),
    ("enable_cpu_affinity", Shape::Switch),
    ("downcast_bf16", Shape::Any),
    ("tpu_name", Shape::Any),
    ("tpu_zone", Shape::Any),
    ("tpu_use_cluster", Shape::Switch),
    ("tpu_use_sudo", Shape::Switch),
    ("tpu_vm", Shape::Any),
    ("tpu_env", Shape::Any),
    ("command_file", Shape::Any),
    ("commands", Shape::Any),
    // Forms of older versions that are still converted.
    ("fp16", Shape::Any),
    ("dynamo_backend", Shape::Any),
    ("fp8_config", Shape::Section),
    ("deepspeed_config", Shape::Section),
    ("fsdp_config", Shape::Section),
    ("parallelism_config", Shape::Section),
    ("megatron_lm_config", Shape::Section),
    ("mpirun_config", Shape::Section),
    ("dynamo_config", Shape::Section),
];

/// Keys at the top of a SageMaker configuration alone.
pub const SAGEMAKER: &[Key] = &[
    ("ec2_instance_type", Shape::Any),
    ("iam_role_name", Shape::Any),
    ("image_uri", Shape::Any),
    ("profile", Shape::Any),
    ("region", Shape::Any),
    ("base_job_name", Shape::Any),
    ("pytorch_version", Shape::Any),
    ("transformers_version", Shape::Any),
    ("py_version", Shape::Any),
    ("sagemaker_inputs_file", Shape::Any),
    ("sagemaker_metrics_file", Shape::Any),
    ("additional_args", Shape::Any),
    ("distributed_type", Shape::Choice(&["NO", "DATA_PARALLEL", "MODEL_PARALLEL"])),
];

/// Sizes that the launcher hands on as text without looking at them, so that quotes do no harm.
pub const THROUGH_TEXT: &[&str] = &[
    "parallelism_config_dp_replicate_size",
    "parallelism_config_dp_shard_size",
    "parallelism_config_tp_size",
];

/// Whether accelerate gets by where the key has no value.
pub fn may_be_empty(key: &str, shape: Shape) -> bool {
    match shape {
        Shape::Count | Shape::Single => false,
        Shape::Choice(_) => key == "mixed_precision",
        Shape::Index | Shape::Switch | Shape::Text | Shape::Section | Shape::Any => true,
    }
}

/// Whether the run still says what it said where the key is left out.
pub fn may_be_left_out(shape: Shape) -> bool {
    match shape {
        Shape::Count => false,
        Shape::Choice(names) => names == PRECISIONS || names.len() == 1,
        Shape::Index
        | Shape::Switch
        | Shape::Text
        | Shape::Single
        | Shape::Section
        | Shape::Any => true,
    }
}

/// A section that versions before 1.13.0 read.
pub const IPEX: &str = "ipex_config";

/// Keys of `parallelism_config`.
pub const PARALLELISM: &[Key] = &[
    ("parallelism_config_dp_replicate_size", Shape::Count),
    ("parallelism_config_dp_shard_size", Shape::Count),
    ("parallelism_config_tp_size", Shape::Count),
    ("parallelism_config_cp_size", Shape::Count),
    ("parallelism_config_cp_backend", Shape::Choice(&["torch"])),
    // Its values have a finding of their own.
    ("parallelism_config_cp_comm_strategy", Shape::Single),
    ("parallelism_config_sp_size", Shape::Count),
    ("parallelism_config_sp_backend", Shape::Choice(&["deepspeed"])),
    ("parallelism_config_sp_seq_length", Shape::Any),
    ("parallelism_config_sp_seq_length_is_variable", Shape::Switch),
    ("parallelism_config_sp_attn_implementation", Shape::Any),
    ("use_parallelism_config", Shape::Switch),
];

/// Keys of `fsdp_config`; each may also be written without `fsdp_`.
pub const FSDP: &[Key] = &[
    ("fsdp_version", Shape::Choice(&["1", "2"])),
    ("fsdp_offload_params", Shape::Any),
    ("fsdp_min_num_params", Shape::Any),
    ("fsdp_sharding_strategy", Shape::Any),
    ("fsdp_reshard_after_forward", Shape::Any),
    ("fsdp_auto_wrap_policy", Shape::Any),
    ("fsdp_transformer_layer_cls_to_wrap", Shape::Any),
    ("fsdp_backward_prefetch", Shape::Any),
    ("fsdp_backward_prefetch_policy", Shape::Any),
    ("fsdp_state_dict_type", Shape::Any),
    ("fsdp_forward_prefetch", Shape::Any),
    ("fsdp_use_orig_params", Shape::Any),
    ("fsdp_cpu_ram_efficient_loading", Shape::Any),
    ("fsdp_sync_module_states", Shape::Any),
    ("fsdp_activation_checkpointing", Shape::Any),
    ("fsdp_activation_checkpointing_offload", Shape::Any),
];

/// Keys of `deepspeed_config`.
pub const DEEPSPEED: &[Key] = &[
    ("deepspeed_config_file", Shape::Any),
    ("zero_stage", Shape::Any),
    ("offload_optimizer_device", Shape::Any),
    ("offload_param_device", Shape::Any),
    ("offload_optimizer_nvme_path", Shape::Any),
    ("offload_param_nvme_path", Shape::Any),
    ("gradient_accumulation_steps", Shape::Any),
    ("gradient_clipping", Shape::Any),
    ("zero3_init_flag", Shape::Any),
    ("zero3_save_16bit_model", Shape::Any),
    ("deepspeed_hostfile", Shape::Any),
    ("deepspeed_exclusion_filter", Shape::Any),
    ("deepspeed_inclusion_filter", Shape::Any),
    ("deepspeed_multinode_launcher", Shape::Any),
    ("deepspeed_moe_layer_cls_names", Shape::Any),
];

/// The keys of a section whose keys are all known here.
pub fn section(name: &str) -> Option<&'static [Key]> {
    match name {
        "parallelism_config" => Some(PARALLELISM),
        "fsdp_config" => Some(FSDP),
        "deepspeed_config" => Some(DEEPSPEED),
        _ => None,
    }
}
