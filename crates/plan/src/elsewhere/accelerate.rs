//! A run with accelerate's `ParallelismConfig`, as Python and as its configuration file.
//!
//! Ring and all-gather are PyTorch's context parallelism (`cp_*`, which needs FSDP 2); Ulysses is
//! DeepSpeed's sequence parallelism (`sp_*`); the two together are refused. Read in accelerate at
//! 1.12.0, 1.13.0 and 1.15.0: 1.12.0 has all of this, and a fault that keeps CP's context from
//! being built.

use super::{Draft, Kind, Note, balances, rotation};
use crate::StrategyKind;

pub(super) fn write(draft: &mut Draft<'_>) {
    let config = draft.plan.config();
    if config.cp == 1 {
        return draft.notes.extend([Note::Off, Note::Loss]);
    }
    match draft.kind() {
        StrategyKind::Usp => return draft.notes.push(Note::NoUsp),
        StrategyKind::Ulysses => ulysses(draft),
        StrategyKind::Ring | StrategyKind::AllGather => rotating(draft),
    }
    draft.piece(Kind::Shell, "accelerate launch --config_file accelerate.yaml train.py".to_owned());
}

fn rotating(draft: &mut Draft<'_>) {
    let config = draft.plan.config();
    let multiple = if balances(draft.layout()) { 2 * config.cp } else { config.cp };
    let seq_len = draft.padded(multiple);
    draft.note_torch();
    draft.note_if(config.dp > 1, Note::ShardsParameters);
    let switch = match balances(draft.layout()) {
        true => "",
        false => {
            "from torch.distributed.tensor.experimental._attention import _cp_options\n\n\
             _cp_options.enable_load_balance = False\n"
        }
    };
    let (cp, dp, parts, world) = (config.cp, config.dp, config.grad_accum, config.dp * config.cp);
    let (batch, rotation) = (draft.plan.micro_batch(), rotation(draft.kind()));
    let clip = match config.grad_clip {
        0.0 => String::new(),
        limit => format!(
            "\n            if accelerator.sync_gradients:\n                \
             accelerator.clip_grad_norm_(model.parameters(), {limit})"
        ),
    };
    let code = format!(
        "\
from accelerate import Accelerator
from accelerate.utils import (
    FullyShardedDataParallelPlugin,
    ParallelismConfig,
    TorchContextParallelConfig,
)
{switch}
accelerator = Accelerator(
    gradient_accumulation_steps={parts},
    fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2),
    parallelism_config=ParallelismConfig(
        dp_replicate_size=1,
        dp_shard_size={dp},
        cp_size={cp},
        cp_backend=\"torch\",
        cp_handler=TorchContextParallelConfig(cp_comm_strategy=\"{rotation}\"),
    ),
)
model, optimizer, batches = accelerator.prepare(model, optimizer, batches)

for batch in batches:
    buffers = [batch[\"input_ids\"], batch[\"shift_labels\"], batch[\"position_ids\"]]
    assert all(buffer.shape == ({batch}, {seq_len}) for buffer in buffers)
    with accelerator.maybe_context_parallel(
        buffers=buffers, buffer_seq_dims=[1, 1, 1], no_restore_buffers=set(buffers)
    ):
        with accelerator.accumulate(model):
            accelerator.backward(loss_of(model, batch)){clip}
            optimizer.step()
            optimizer.zero_grad()"
    );
    draft.piece(Kind::Python, code);
    let file = format!(
        "\
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_reshard_after_forward: true
  fsdp_state_dict_type: SHARDED_STATE_DICT
  fsdp_version: 2
mixed_precision: 'no'
num_machines: 1
num_processes: {world}
parallelism_config:
  parallelism_config_cp_backend: torch
  parallelism_config_cp_comm_strategy: {rotation}
  parallelism_config_cp_size: {cp}
  parallelism_config_dp_replicate_size: 1
  parallelism_config_dp_shard_size: {dp}"
    );
    draft.piece(Kind::Yaml, file);
}

fn ulysses(draft: &mut Draft<'_>) {
    let config = draft.plan.config();
    let (sp, dp, parts, world) = (config.cp, config.dp, config.grad_accum, config.dp * config.cp);
    let seq_len = draft.padded(sp);
    let shares = draft.plan.attention().strategy().kv_replicas(config.kv_heads()) > 1;
    draft.note_if(config.layout != crate::Layout::Contiguous, Note::AlwaysContiguous);
    draft.note_if(config.window.is_some(), Note::NoWindow);
    let packed = config.documents.len() > 1;
    draft.note_if(packed, Note::DocumentsByPositions);
    draft.note_if(shares, Note::NoSharedHeads);
    draft.notes.extend([Note::Loss, Note::Yours, Note::Gpus]);
    let kernel = if packed { "flash_attention_2" } else { "sdpa" };
    let code = format!(
        "\
from accelerate import Accelerator
from accelerate.utils import DeepSpeedSequenceParallelConfig, ParallelismConfig

accelerator = Accelerator(
    gradient_accumulation_steps={parts},
    parallelism_config=ParallelismConfig(
        dp_replicate_size={dp},
        dp_shard_size=1,
        sp_size={sp},
        sp_backend=\"deepspeed\",
        sp_handler=DeepSpeedSequenceParallelConfig(
            sp_seq_length={seq_len},
            sp_seq_length_is_variable=False,
            sp_attn_implementation=\"{kernel}\",
        ),
    ),
)
model, optimizer, batches = accelerator.prepare(model, optimizer, batches)

for batch in batches:
    with accelerator.accumulate(model):
        accelerator.backward(loss_of(model, batch))
        optimizer.step()
        optimizer.zero_grad()"
    );
    let clip = match config.grad_clip {
        0.0 => String::new(),
        limit => format!("\n  gradient_clipping: {limit}"),
    };
    draft.piece(Kind::Python, code);
    let file = format!(
        "\
compute_environment: LOCAL_MACHINE
deepspeed_config:
  gradient_accumulation_steps: {parts}{clip}
  zero_stage: 2
distributed_type: DEEPSPEED
mixed_precision: 'no'
num_machines: 1
num_processes: {world}
parallelism_config:
  parallelism_config_dp_replicate_size: {dp}
  parallelism_config_dp_shard_size: 1
  parallelism_config_sp_attn_implementation: {kernel}
  parallelism_config_sp_backend: deepspeed
  parallelism_config_sp_seq_length: {seq_len}
  parallelism_config_sp_seq_length_is_variable: false
  parallelism_config_sp_size: {sp}"
    );
    draft.piece(Kind::Yaml, file);
}
