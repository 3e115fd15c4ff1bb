//! A run as flags of Megatron-LM's `pretrain_gpt.py`.
//!
//! `--cp-comm-type` names the exchange: `p2p` is the ring, `all_gather`, `a2a` is Ulysses, and
//! `a2a+p2p` is USP, whose sizes are `--hierarchical-context-parallel-sizes U R`. The sequence is
//! always cut into 2 x CP pieces, of which a rank holds one from each end. Read in Megatron-LM's
//! `arguments.py` of 2025, and in Transformer Engine's context_parallel.py and its tests, which say
//! what each exchange does not take, and that none takes f32. `initialize.py` refuses a seed of 0.

use super::{Draft, Kind, Note};
use crate::run::MLP_RATIO;
use crate::{Layout, Optimizer, StrategyKind};

pub(super) fn write(draft: &mut Draft<'_>) {
    let config = draft.plan.config();
    let strategy = draft.plan.attention().strategy();
    let is_cp = config.cp > 1;
    let seq_len = draft.padded(if is_cp { 2 * config.cp } else { 1 });
    let comm = match draft.kind() {
        StrategyKind::Ring => "p2p",
        StrategyKind::AllGather => "all_gather",
        StrategyKind::Ulysses => "a2a",
        StrategyKind::Usp => "a2a+p2p",
    };
    draft.note_if(!is_cp, Note::Off);
    draft.note_if(is_cp && draft.layout() == Layout::Contiguous, Note::AlwaysZigzag);
    draft.note_if(is_cp && draft.layout() == Layout::Striped, Note::NoStriped);
    draft.note_if(config.documents.len() > 1, Note::DocumentsByPacking);
    draft.note_if(strategy.kv_replicas(config.kv_heads()) > 1, Note::NoSharedHeads);
    let slides = !is_cp || matches!(comm, "a2a" | "all_gather");
    draft.note_if(config.window.is_some() && !slides, Note::WindowNeedsOther);
    draft.note_if(is_cp, Note::Bf16);
    draft.notes.extend([Note::Data, Note::Gpus]);

    let mut lines =
        vec![format!("torchrun --nproc-per-node {} pretrain_gpt.py", config.dp * config.cp)];
    let mut line = |text: String| lines.push(format!("  {text}"));
    line("--use-mcore-models --transformer-impl transformer_engine".to_owned());
    line(format!("--context-parallel-size {}", config.cp));
    if is_cp {
        line(format!("--cp-comm-type {comm} --bf16"));
    }
    if draft.kind() == StrategyKind::Usp && is_cp {
        let (u, r) = (strategy.ulysses(), strategy.ring());
        line(format!("--hierarchical-context-parallel-sizes {u} {r}"));
    }
    line(format!("--seq-length {seq_len} --max-position-embeddings {seq_len}"));
    line(format!("--num-layers {} --hidden-size {}", config.layers, config.d_model));
    line(format!("--ffn-hidden-size {}", MLP_RATIO * config.d_model));
    line(format!("--num-attention-heads {}", config.heads));
    if config.kv_heads() != config.heads {
        line(format!("--group-query-attention --num-query-groups {}", config.kv_heads()));
    }
    if let Some(window) = config.window.filter(|_| slides) {
        // Ours counts the query itself.
        line(format!("--window-size {},0", window - 1));
    }
    line("--normalization RMSNorm --disable-bias-linear".to_owned());
    line("--position-embedding-type rope --untie-embeddings-and-output-weights".to_owned());
    line("--attention-dropout 0 --hidden-dropout 0".to_owned());
    let (micro, global) = (draft.plan.micro_batch(), config.batch * config.dp);
    line(format!("--micro-batch-size {micro} --global-batch-size {global}"));
    line(format!("--train-iters {} --lr {}", config.steps, config.lr));
    line(format!("--lr-decay-style cosine --lr-warmup-iters {}", config.warmup_steps));
    line(match config.optimizer {
        Optimizer::Adamw => {
            format!("--optimizer adam --adam-beta2 0.95 --weight-decay {}", config.weight_decay)
        }
        Optimizer::Sgd => "--optimizer sgd --sgd-momentum 0 --weight-decay 0".to_owned(),
    });
    line(format!("--min-lr {}", tenth(config.lr)));
    line(format!("--clip-grad {} --seed {}", config.grad_clip, config.seed.max(1)));
    draft.piece(Kind::Shell, lines.join(" \\\n"));
}

/// A tenth of the peak, where the rate ends here; rounded as the peak was typed.
fn tenth(lr: f64) -> f64 {
    let lowest = lr / 10.0;
    format!("{lowest:.9e}").parse().unwrap_or(lowest)
}
