//! What may go wrong, in the order in which a run meets it; a file for each stage.

mod accelerator;
mod contradiction;
mod given;
mod launch;
mod running;
mod settings;

use crate::finding::Finding;
use crate::setup::Setup;

pub(crate) use given::{flags, versions};
pub(crate) use settings::settings;

type Check = fn(&Setup) -> Option<Finding>;

/// Within a stage the order is that of the code that a run goes through.
const CHECKS: &[Check] = &[
    contradiction::one_kind_only,
    contradiction::one_process_on_several_gpus,
    contradiction::mesh_without_fsdp2,
    launch::no_cp_in_version,
    contradiction::one_gpu_id,
    contradiction::machines,
    launch::cpu_with_fsdp,
    launch::cp_flag_ignored,
    launch::nvidia_smi_missing,
    launch::processes_ignored,
    launch::ranks_alone,
    launch::gpus_passed_over,
    launch::more_ranks_than_gpus,
    launch::missing_processes,
    accelerator::torch_too_old,
    accelerator::strategy_name,
    accelerator::cp_and_sp,
    accelerator::cp_with_pure_dp,
    accelerator::nccl_without_cuda,
    accelerator::gpu_only_feature,
    accelerator::cp_on_cpu,
    accelerator::cp_needs_fsdp2,
    accelerator::sizes_do_not_multiply,
    accelerator::nothing_to_shard,
    running::window_with_cp,
    running::context_never_built,
    running::context_before_prepare,
    running::attention_not_sdpa,
    running::length_not_divisible,
    running::packing_with_cp,
    running::mask_dropped,
    running::loss_unequal_shards,
];

/// Every finding about the run itself.
pub(crate) fn run(setup: &Setup) -> Vec<Finding> {
    CHECKS.iter().filter_map(|check| check(setup)).collect()
}
