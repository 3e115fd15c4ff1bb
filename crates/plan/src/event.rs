//! What the ranks report while they work; the page, the traces and the tests read nothing else.

use serde::{Deserialize, Serialize};

use crate::TileKind;

/// An axis of the mesh, which names a rank's group along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// All ranks: dp x cp flattened.
    World,
    /// Data parallel: different sequences.
    Dp,
    /// Context parallel: slices of the same sequences.
    Cp,
    /// The part of cp that turns keys and values around.
    Ring,
    /// The part of cp that exchanges heads.
    Ulysses,
}

impl Axis {
    /// Every axis.
    pub const ALL: [Self; 5] = [Self::World, Self::Dp, Self::Cp, Self::Ring, Self::Ulysses];

    /// The name in JSON and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Dp => "dp",
            Self::Cp => "cp",
            Self::Ring => "ring",
            Self::Ulysses => "ulysses",
        }
    }
}

/// The operation that a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// A point-to-point message outside any pattern.
    SendRecv,
    /// A block of keys and values on its way around the ring.
    RingKv,
    /// Gradients of keys and values on their way home.
    RingKvGrad,
    /// One rank's tensor to all.
    Broadcast,
    /// The sum of all ranks' tensors, on every rank.
    AllReduce,
    /// All ranks' tensors, on every rank.
    AllGather,
    /// Each rank's share of the sum.
    ReduceScatter,
    /// Each rank's i-th part to rank i.
    AllToAll,
    /// Nobody goes on before all have come.
    Barrier,
}

impl Op {
    /// The name in messages and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::SendRecv => "send/recv",
            Self::RingKv => "ring kv",
            Self::RingKvGrad => "ring dkv",
            Self::Broadcast => "broadcast",
            Self::AllReduce => "all_reduce",
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllToAll => "all_to_all",
            Self::Barrier => "barrier",
        }
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Forward or backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// Computes outputs.
    Forward,
    /// Computes gradients.
    Backward,
}

impl Pass {
    /// The name in traces and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// One thing that happened on one rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The rank within the world.
    pub rank: u16,
    /// The training step, from 0.
    pub step: u32,
    /// When it ended, in microseconds since the run began, by this rank's clock.
    pub at_us: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened. Peers are ranks within the world; bytes are payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// Not `tag = ".."`: postcard, which carries events out of the workers, cannot read such enums.
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A training step began.
    StepBegin,
    /// A training step ended.
    StepEnd {
        /// How long it took.
        took_us: u64,
    },
    /// A message was handed to the transport.
    Send {
        /// The group that it was sent in.
        axis: Axis,
        /// The operation that it belongs to.
        op: Op,
        /// The operation's number within the group.
        seq: u32,
        /// Receiver.
        to: u16,
        /// Payload.
        bytes: u64,
        /// For ring messages, the rank whose keys and values these are.
        block: Option<u16>,
    },
    /// A message was taken from the transport.
    Recv {
        /// The group that it came in.
        axis: Axis,
        /// The operation that it belongs to.
        op: Op,
        /// The operation's number within the group.
        seq: u32,
        /// Sender.
        from: u16,
        /// Payload.
        bytes: u64,
        /// For ring messages, the rank whose keys and values these are.
        block: Option<u16>,
        /// How long the rank stood still for it.
        waited_us: u64,
    },
    /// A collective ended.
    Collective {
        /// The group that took part.
        axis: Axis,
        /// Which one.
        op: Op,
        /// Its number within the group.
        seq: u32,
        /// How long it took, waiting included.
        took_us: u64,
    },
    /// A tile of attention was computed, or skipped with nothing to do.
    Tile {
        /// Layer, from 0.
        layer: u16,
        /// Forward or backward.
        pass: Pass,
        /// Step of the ring; 0 is the rank's own block.
        ring_step: u16,
        /// The rank whose keys were used.
        kv_from: u16,
        /// How much of it is seen.
        kind: TileKind,
        /// Visible (query, key) pairs per head.
        pairs: u64,
        /// How long it took.
        took_us: u64,
    },
    /// A named stretch of compute outside attention ended.
    Compute {
        /// What was computed.
        what: Compute,
        /// How long it took.
        took_us: u64,
    },
    /// A number of the training step, equal on every rank.
    Scalar {
        /// Which number.
        name: Scalar,
        /// Its value.
        value: f64,
    },
    /// The rank was held between two ring steps, for somebody who watches.
    Held {
        /// How long.
        took_us: u64,
    },
}

impl Event {
    /// How long it took, in microseconds; what has no duration takes none.
    pub fn took_us(&self) -> u64 {
        match self.kind {
            EventKind::StepEnd { took_us }
            | EventKind::Collective { took_us, .. }
            | EventKind::Tile { took_us, .. }
            | EventKind::Compute { took_us, .. }
            | EventKind::Held { took_us } => took_us,
            EventKind::Recv { waited_us, .. } => waited_us,
            EventKind::StepBegin | EventKind::Send { .. } | EventKind::Scalar { .. } => 0,
        }
    }

    /// When it began, in microseconds since the run did.
    pub fn start_us(&self) -> u64 {
        self.at_us.saturating_sub(self.took_us())
    }
}

/// Stretches of compute outside attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compute {
    /// Embedding, segments and head, forward.
    Forward,
    /// The same, backward.
    Backward,
    /// Clipping and the parameter update.
    Optimizer,
}

impl Compute {
    /// The name in traces and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
        }
    }
}

/// Numbers of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scalar {
    /// Mean loss over the valid tokens of the whole batch, in nats.
    Loss,
    /// The same on the evaluation batches.
    EvalLoss,
    /// Global L2 norm of the gradient before clipping.
    GradNorm,
    /// Learning rate of this step.
    LearningRate,
    /// Valid tokens of the whole batch.
    ValidTokens,
}

impl Scalar {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::EvalLoss => "eval_loss",
            Self::GradNorm => "grad_norm",
            Self::LearningRate => "learning_rate",
            Self::ValidTokens => "valid_tokens",
        }
    }
}
