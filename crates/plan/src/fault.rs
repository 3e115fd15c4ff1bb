//! What can be wrong with a run on purpose: the failure lab's list, and when each can be seen.

use serde::{Deserialize, Serialize};

use crate::targets::{IGNORED, shift_within, unshifted, valid_by_rank};
use crate::{CpPlan, Message, Refusal, RunConfig, Sequence, Strategy, Task, message};

/// A fault that a run has on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Keys and values do not pass around the ring.
    NoExchange,
    /// Labels are shifted within each rank's slice.
    ShiftAfterSharding,
    /// The loss is the mean over ranks of each rank's mean.
    MeanOfMeans,
    /// Each rank counts positions from 0.
    LocalPositions,
    /// Nobody has configured context parallelism.
    CpNotConfigured,
    /// The context is asked for before there is a process group.
    CpBeforeGroup,
    /// The caller was written for another version of the context.
    CpVersion,
    /// A library takes a context for granted that could not be had.
    CpAssumed,
}

impl Fault {
    /// Every fault, those that train first.
    pub const ALL: [Self; 8] = [
        Self::NoExchange,
        Self::ShiftAfterSharding,
        Self::MeanOfMeans,
        Self::LocalPositions,
        Self::CpNotConfigured,
        Self::CpBeforeGroup,
        Self::CpVersion,
        Self::CpAssumed,
    ];

    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoExchange => "no-exchange",
            Self::ShiftAfterSharding => "shift-after-sharding",
            Self::MeanOfMeans => "mean-of-means",
            Self::LocalPositions => "local-positions",
            Self::CpNotConfigured => "cp-not-configured",
            Self::CpBeforeGroup => "cp-before-group",
            Self::CpVersion => "cp-version",
            Self::CpAssumed => "cp-assumed",
        }
    }

    /// Whether a run with it trains; otherwise its first step ends with an error.
    pub fn trains(self) -> bool {
        matches!(
            self,
            Self::NoExchange | Self::ShiftAfterSharding | Self::MeanOfMeans | Self::LocalPositions
        )
    }

    /// What is wrong, in a sentence.
    pub fn wrong(self) -> Message {
        match self {
            Self::NoExchange => {
                message!(
                    "keys and values do not pass around the ring: each rank sees its own block alone"
                )
            }
            Self::ShiftAfterSharding => message!(
                "labels are shifted after the sequence is split, so that the last token of each slice loses its label"
            ),
            Self::MeanOfMeans => message!(
                "the loss is the mean over ranks of each rank's mean, instead of all losses by all valid tokens"
            ),
            Self::LocalPositions => message!(
                "each rank counts its positions from 0, instead of where its tokens stand in the sequence"
            ),
            Self::CpNotConfigured => message!("nobody has configured context parallelism"),
            Self::CpBeforeGroup => {
                message!(
                    "the CP context is asked for before there is a process group to build it on"
                )
            }
            Self::CpVersion => {
                message!("the trainer was written for another version of the CP context")
            }
            Self::CpAssumed => message!(
                "each rank has a process group of its own, context parallelism is refused, and the trainer takes it for granted"
            ),
        }
    }

    /// What to look for, in a sentence.
    pub fn symptom(self) -> Message {
        match self {
            Self::NoExchange => message!(
                "no messages but those of the gradients, and a smooth loss that says little: each rank sees its own slice alone; recall is never learned"
            ),
            Self::ShiftAfterSharding => message!(
                "fewer valid tokens a step; with zigzag or striped slices wrong labels too, and a loss that stays higher"
            ),
            Self::MeanOfMeans => message!(
                "loss and gradient norm of the first step differ from the healthy run, the more so the more unequal the ranks' valid tokens are"
            ),
            Self::LocalPositions => message!(
                "the first loss is almost right and the run trains, but worse: the losses part after some tens of steps"
            ),
            Self::CpNotConfigured | Self::CpBeforeGroup | Self::CpVersion | Self::CpAssumed => {
                message!("the first step ends with an error that says why there is no CP context")
            }
        }
    }

    /// Public reports of its kind.
    pub fn reports(self) -> &'static str {
        match self {
            Self::NoExchange => {
                "Megatron-Bridge PR 2665; pytorch 159634, 152261; transformers PR 48663"
            }
            Self::ShiftAfterSharding => "transformers PR 36607, 48493, 37993",
            Self::MeanOfMeans => {
                "Megatron-LM 673, 906; verl 5983, 6609; DeepSpeed 5248; torchtitan 3329; transformers PR 48167"
            }
            Self::LocalPositions => "Megatron-LM PR 5243, 560; torchtitan 792",
            Self::CpNotConfigured | Self::CpBeforeGroup => "accelerate 3856, 3867",
            Self::CpVersion => "accelerate 3856, PR 3817, 3858",
            Self::CpAssumed => "accelerate 3871, 3358; pytorch 147793, 141429",
        }
    }
}

/// Refuses a fault that could not be seen in `config`'s run.
pub(crate) fn check(
    config: &RunConfig,
    sequence: &Sequence,
    strategy: Strategy,
) -> Result<(), Refusal> {
    let Some(fault) = config.fault else { return Ok(()) };
    let refuse = |reason, works| Err(Refusal::new("fault", fault.name(), reason, works));
    let alone = sequence.world().get() == 1;
    match fault {
        Fault::MeanOfMeans if is_balanced(config.task, sequence) => refuse(
            message!(
                "every rank has equally many valid tokens, so that the mean of means is the mean"
            ),
            message!("try task recall or copy, or documents of unequal lengths, with cp 2 or more"),
        ),
        Fault::CpAssumed if alone => refuse(
            message!("one rank is what the code assumes, so that nothing goes wrong"),
            message!("try cp 2 or more"),
        ),
        _ if !fault.trains() || fault == Fault::MeanOfMeans => Ok(()),
        _ if alone => refuse(
            message!(
                "one rank holds the whole sequence, so that nothing can go wrong between ranks"
            ),
            message!("try cp 2 or more"),
        ),
        Fault::NoExchange if strategy.ring() == 1 => refuse(
            message!("strategy {kind} passes nothing around a ring", kind = strategy.kind().name()),
            message!("try strategy ring"),
        ),
        Fault::NoExchange if strategy.kind() == crate::StrategyKind::AllGather => refuse(
            message!("strategy {kind} passes nothing around a ring", kind = strategy.kind().name()),
            message!("try strategy ring"),
        ),
        Fault::NoExchange if !crosses(sequence, |index| index / strategy.ulysses()) => refuse(
            message!("no query sees a key of another rank, so that there is nothing to pass"),
            message!("try fewer documents, or no window"),
        ),
        Fault::ShiftAfterSharding if keeps_targets(config.task, sequence) => refuse(
            message!("no label that counts lies beyond the end of a rank's slice"),
            message!("try task text, or layout zigzag or striped"),
        ),
        Fault::LocalPositions if !leaves_runs(sequence) => refuse(
            message!(
                "every query sees neighbours on its own rank alone, and their distances stay right"
            ),
            message!("try fewer documents, or no window"),
        ),
        _ => Ok(()),
    }
}

/// The plan of a run with `fault`: what its ranks will do, and so what they will send.
pub(crate) fn planned(fault: Option<Fault>, cp: CpPlan) -> CpPlan {
    match fault {
        Some(Fault::NoExchange) => cp.without_exchange(),
        _ => cp,
    }
}

fn is_balanced(task: Task, sequence: &Sequence) -> bool {
    let valid = valid_by_rank(task, sequence);
    valid.iter().all(|&count| count == valid[0])
}

/// Whether any query sees a key that lies at another place, `place` being that of a rank.
fn crosses(sequence: &Sequence, place: impl Fn(usize) -> usize) -> bool {
    let mut places = vec![0; sequence.padded_len()];
    for rank in sequence.world().ranks() {
        sequence.positions(rank).iter().for_each(|&p| places[p as usize] = place(rank.index()));
    }
    // Where the keys begin that lie at one place up to a query: what is seen before is elsewhere.
    let mut begin = 0;
    (0..sequence.seq_len()).any(|p| {
        if places[p] != places[begin] {
            begin = p;
        }
        (sequence.mask().keys_of(p as u32).start as usize) < begin
    })
}

/// Whether any query sees a key outside of its rank's own unbroken run of positions.
fn leaves_runs(sequence: &Sequence) -> bool {
    let mask = sequence.mask();
    sequence.world().ranks().any(|rank| {
        let mut begin = 0;
        sequence.positions(rank).iter().enumerate().any(|(at, &p)| {
            let positions = sequence.positions(rank);
            if at > 0 && positions[at - 1] + 1 != p {
                begin = at;
            }
            let seen = mask.keys_of(p);
            !seen.is_empty() && seen.start < positions[begin]
        })
    })
}

/// Whether a shift within each rank's slice gives the same targets as one before the split.
fn keeps_targets(task: Task, sequence: &Sequence) -> bool {
    let mask = sequence.mask();
    // Each token's place stands for the token.
    let targets: Vec<i64> = (0..sequence.seq_len() as u32)
        .map(|p| match task.counts(sequence.seq_len(), p as usize) && !mask.ends_document(p) {
            true => i64::from(p) + 1,
            false => IGNORED,
        })
        .collect();
    let labels = unshifted(&targets);
    sequence.world().ranks().all(|rank| {
        let shifted = shift_within(&sequence.shard(rank, &labels, IGNORED));
        shifted == sequence.shard(rank, &targets, IGNORED)
    })
}
