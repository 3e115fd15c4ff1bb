//! How many bytes each rank holds, by purpose.

use serde::Serialize;

use crate::run::MLP_RATIO;
use crate::traffic::F32_BYTES;
use crate::{Optimizer, RunPlan, StrategyKind};

/// Bytes on one rank while it trains, in f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankMemory {
    /// The rank within the world.
    pub rank: usize,
    /// Parameters, whole on every rank.
    pub parameters: u64,
    /// Gradients, whole on every rank.
    pub gradients: u64,
    /// AdamW's two moments; nothing for SGD.
    pub optimizer: u64,
    /// What the backward pass needs of the forward pass, outside attention.
    pub activations: u64,
    /// Keys and values: each layer's own, kept for the backward pass, and the visiting blocks.
    pub kv: u64,
}

impl RankMemory {
    /// The sum.
    pub fn total(&self) -> u64 {
        self.parameters + self.gradients + self.optimizer + self.activations + self.kv
    }
}

/// Memory of every rank of the run.
///
/// Per token and layer the backward pass keeps 5 vectors of the model's width outside attention
/// (the inputs of both norms, their normalised forms, and attention's output by tokens) and the
/// MLP's hidden layer before and after GELU; inside attention q, out and one lse a head. The head
/// keeps two vectors of the width and two of the vocabulary. The layer that is being pulled back
/// needs the gradients of the hidden layer, before and after GELU, and three of the width.
pub fn memory(plan: &RunPlan) -> Vec<RankMemory> {
    let config = plan.config();
    let model = plan.model();
    let attention = plan.attention();
    let micro_batch = config.batch / config.grad_accum;
    let tokens = (micro_batch * attention.sequence().local_len()) as u64;
    let parameters = model.parameters() as u64 * F32_BYTES;
    let (d, layers) = (model.d_model as u64, model.layers as u64);
    let q_width = (model.heads * model.head_dim()) as u64;
    let hidden = MLP_RATIO as u64 * d;
    let per_layer = 5 * d + 2 * hidden + 2 * q_width + model.heads as u64;
    let head = 2 * d + 2 * model.vocab as u64;
    let at_work = 3 * d + 2 * hidden;
    let activations = tokens * (layers * per_layer + head + at_work) * F32_BYTES;
    let strategy = attention.strategy();
    let block = 2
        * tokens
        * (model.kv_heads * model.head_dim()) as u64
        * strategy.kv_replicas(model.kv_heads) as u64
        * F32_BYTES;
    let ring = strategy.ring() as u64;
    let visiting = match strategy.kind() {
        // Gathered keys and values, and gradients of the same size.
        StrategyKind::AllGather => 2 * ring * block,
        // One block in use, one arriving, and their gradients.
        _ if ring > 1 => 4 * block,
        _ => block,
    };
    plan.mesh()
        .world()
        .ranks()
        .map(|rank| RankMemory {
            rank: rank.index(),
            parameters,
            gradients: parameters,
            optimizer: match config.optimizer {
                Optimizer::Adamw => 2 * parameters,
                Optimizer::Sgd => 0,
            },
            activations,
            kv: layers * block + visiting,
        })
        .collect()
}
