//! A run on PyTorch's `torch.distributed.tensor.experimental.context_parallel`.
//!
//! It cuts buffers along the sequence and replaces scaled_dot_product_attention inside its
//! context. Head-to-tail balance is on unless a private switch says otherwise; the ring's
//! rotation is `alltoall`, and `allgather` takes all blocks at once after the first tile.
//! Read in pytorch's source of 2025, before and after the parts moved to `_context_parallel`; the
//! old module hands them on.

use super::{Draft, Kind, Note, balances, rotation};
use crate::StrategyKind;

pub(super) fn write(draft: &mut Draft<'_>) {
    let config = draft.plan.config();
    if config.cp == 1 {
        return draft.notes.extend([Note::Off, Note::Loss]);
    }
    match draft.kind() {
        StrategyKind::Ulysses => return draft.notes.push(Note::NoUlysses),
        StrategyKind::Usp => return draft.notes.push(Note::NoUsp),
        StrategyKind::Ring | StrategyKind::AllGather => {}
    }
    let multiple = if balances(draft.layout()) { 2 * config.cp } else { config.cp };
    let seq_len = draft.padded(multiple);
    draft.note_torch();
    let parts = config.grad_accum;
    draft.note_if(parts > 1, Note::GradAccum { parts });
    let (private, switch) = match balances(draft.layout()) {
        true => ("", ""),
        false => ("_cp_options, ", "_cp_options.enable_load_balance = False\n"),
    };
    let batch = draft.plan.micro_batch();
    let clip = match config.grad_clip {
        0.0 => String::new(),
        limit => format!("\n    torch.nn.utils.clip_grad_norm_(model.parameters(), {limit})"),
    };
    let code = format!(
        "\
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import {private}set_rotate_method

torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))
mesh = init_device_mesh(\"cuda\", ({dp}, {cp}), mesh_dim_names=(\"dp\", \"cp\"))
set_rotate_method(\"{rotation}\")
{switch}
BATCH, SEQ_LEN = {batch}, {seq_len}

for ids, targets in batches:
    assert ids.shape == targets.shape == (BATCH, SEQ_LEN)
    positions = torch.arange(SEQ_LEN, device=\"cuda\").expand(BATCH, -1).contiguous()
    valid = (targets != -100).sum()
    dist.all_reduce(valid, group=mesh[\"dp\"].get_group())
    with context_parallel(
        mesh[\"cp\"],
        buffers=[ids, targets, positions],
        buffer_seq_dims=[1, 1, 1],
        no_restore_buffers={{ids, targets, positions}},
    ):
        logits = model(ids, positions)
        total = F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction=\"sum\"
        )
        (total / valid).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad){clip}
    optimizer.step()
    optimizer.zero_grad()",
        dp = config.dp,
        cp = config.cp,
        rotation = rotation(draft.kind()),
    );
    draft.piece(Kind::Python, code);
    let world = config.dp * config.cp;
    draft.piece(Kind::Shell, format!("torchrun --nproc-per-node {world} train.py"));
}
