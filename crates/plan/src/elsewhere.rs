//! The same run written for another program: the code, and what has no equivalent there.
//!
//! What is said of a program was read in its source and documents at the versions that
//! [`Target::versions`] names; [`Target::source`] is where to read on. The code holds no prose:
//! words are the caller's, by [`Note::key`].

mod accelerate;
mod megatron;
mod torch;

use crate::{Layout, RunPlan, StrategyKind};

/// A program that trains with context parallelism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// PyTorch's own `context_parallel`.
    #[default]
    Torch,
    /// Hugging Face's accelerate, on PyTorch's CP or DeepSpeed's Ulysses.
    Accelerate,
    /// NVIDIA's Megatron-LM, on Transformer Engine.
    Megatron,
}

impl Target {
    /// Every target, from the closest to the machine's own words to the farthest.
    pub const ALL: [Self; 3] = [Self::Torch, Self::Accelerate, Self::Megatron];

    /// A short name for addresses and ids.
    pub fn key(self) -> &'static str {
        match self {
            Self::Torch => "torch",
            Self::Accelerate => "accelerate",
            Self::Megatron => "megatron",
        }
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Torch => "PyTorch",
            Self::Accelerate => "accelerate",
            Self::Megatron => "Megatron-LM",
        }
    }

    /// The target with this key.
    pub fn named(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.key() == key)
    }

    /// The versions that the code is for.
    pub fn versions(self) -> &'static str {
        match self {
            Self::Torch => "torch 2.7+",
            Self::Accelerate => "accelerate 1.13+, torch 2.7+",
            Self::Megatron => "Megatron-LM core 0.12+, Transformer Engine 2.x",
        }
    }

    /// Where its makers describe it.
    pub fn source(self) -> &'static str {
        match self {
            Self::Torch => "https://docs.pytorch.org/tutorials/unstable/context_parallel.html",
            Self::Accelerate => {
                "https://huggingface.co/docs/accelerate/concept_guides/context_parallelism"
            }
            Self::Megatron => {
                "https://docs.nvidia.com/megatron-core/developer-guide/latest/api-guide/context_parallel.html"
            }
        }
    }
}

/// What a piece of code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A script.
    Python,
    /// A configuration file.
    Yaml,
    /// The line that starts it.
    Shell,
}

impl Kind {
    /// A short name.
    pub fn key(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Yaml => "yaml",
            Self::Shell => "shell",
        }
    }
}

/// A text to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is written in.
    pub kind: Kind,
    /// The text, without a newline at its end.
    pub code: String,
}

/// Something to know beside the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// One rank holds each sequence: there is no context parallelism to configure.
    Off,
    /// There is no exchange of heads.
    NoUlysses,
    /// There is no exchange of heads inside a ring.
    NoUsp,
    /// No rank takes every W-th token.
    NoStriped,
    /// The sequence is always cut head to tail, as zigzag is.
    AlwaysZigzag,
    /// The sequence is always cut into consecutive slices.
    AlwaysContiguous,
    /// Consecutive slices need a switch that is not public.
    PrivateSwitch,
    /// A query sees everything before it: a window is dropped.
    NoWindow,
    /// A window needs another way to communicate than this run's.
    WindowNeedsOther,
    /// Documents in one sequence see each other.
    NoDocuments,
    /// Documents are told apart by an attention kernel that reads position ids.
    DocumentsByPositions,
    /// Documents need the packed form of the data, which no flag gives.
    DocumentsByPacking,
    /// The length must be a multiple, and nobody pads it.
    Padding {
        /// Tokens of the run here.
        seq_len: usize,
        /// Tokens that the code asks for.
        padded: usize,
        /// What they are a multiple of.
        multiple: usize,
    },
    /// A key/value head must not be shared by several ranks.
    NoSharedHeads,
    /// `alltoall` is the name of the ring's rotation, and not of Ulysses.
    AlltoallIsRing,
    /// Keys and values are gathered after the first tile, not before.
    GathersLater,
    /// Parameters are sharded over the replicas.
    ShardsParameters,
    /// The parts of a batch are a loop of the caller's.
    GradAccum {
        /// Micro-batches of a step.
        parts: usize,
    },
    /// Loss and gradients need one denominator: valid tokens of the whole batch.
    Loss,
    /// Data and tokenizer are the caller's, and a seed is another one.
    Data,
    /// Model, optimiser, batches and seed are the caller's.
    Yours,
    /// Attention over ranks has no f32 there.
    Bf16,
    /// It runs on GPUs alone.
    Gpus,
}

impl Note {
    /// Its name in a catalogue.
    pub fn key(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::NoUlysses => "no_ulysses",
            Self::NoUsp => "no_usp",
            Self::NoStriped => "no_striped",
            Self::AlwaysZigzag => "always_zigzag",
            Self::AlwaysContiguous => "always_contiguous",
            Self::PrivateSwitch => "private_switch",
            Self::NoWindow => "no_window",
            Self::WindowNeedsOther => "window_needs_other",
            Self::NoDocuments => "no_documents",
            Self::DocumentsByPositions => "documents_by_positions",
            Self::DocumentsByPacking => "documents_by_packing",
            Self::Padding { .. } => "padding",
            Self::NoSharedHeads => "no_shared_heads",
            Self::AlltoallIsRing => "alltoall_is_ring",
            Self::GathersLater => "gathers_later",
            Self::ShardsParameters => "shards_parameters",
            Self::GradAccum { .. } => "grad_accum",
            Self::Loss => "loss",
            Self::Data => "data",
            Self::Yours => "yours",
            Self::Bf16 => "bf16",
            Self::Gpus => "gpus",
        }
    }

    /// Whether something of the run is lost there, and not only said in another way.
    pub fn is_missing(self) -> bool {
        matches!(
            self,
            Self::NoUlysses
                | Self::NoUsp
                | Self::NoStriped
                | Self::AlwaysZigzag
                | Self::AlwaysContiguous
                | Self::NoWindow
                | Self::WindowNeedsOther
                | Self::NoDocuments
                | Self::DocumentsByPacking
                | Self::NoSharedHeads
        )
    }
}

/// A run elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The program.
    pub target: Target,
    /// What to copy; empty where the run has no equivalent.
    pub pieces: Vec<Piece>,
    /// What to know: first what is lost, then what differs.
    pub notes: Vec<Note>,
}

/// `plan` as `target` would have it.
pub fn elsewhere(plan: &RunPlan, target: Target) -> Elsewhere {
    let mut draft = Draft { plan, pieces: Vec::new(), notes: Vec::new() };
    match target {
        Target::Torch => torch::write(&mut draft),
        Target::Accelerate => accelerate::write(&mut draft),
        Target::Megatron => megatron::write(&mut draft),
    }
    let Draft { pieces, mut notes, .. } = draft;
    notes.sort_by_key(|note| (!note.is_missing(), *note));
    Elsewhere { target, pieces, notes }
}

/// An answer in the making.
struct Draft<'a> {
    plan: &'a RunPlan,
    pieces: Vec<Piece>,
    notes: Vec<Note>,
}

impl Draft<'_> {
    fn piece(&mut self, kind: Kind, code: String) {
        self.pieces.push(Piece { kind, code });
    }

    fn note_if(&mut self, is_so: bool, note: Note) {
        if is_so {
            self.notes.push(note);
        }
    }

    fn kind(&self) -> StrategyKind {
        self.plan.config().strategy
    }

    fn layout(&self) -> Layout {
        self.plan.config().layout
    }

    /// The length that is cut there into `multiple` equal parts; a note where it is another.
    fn padded(&mut self, multiple: usize) -> usize {
        let seq_len = self.plan.config().seq_len;
        let padded = seq_len.next_multiple_of(multiple);
        self.note_if(padded != seq_len, Note::Padding { seq_len, padded, multiple });
        padded
    }

    /// What is said of every run on PyTorch's `context_parallel`, with or without accelerate.
    fn note_torch(&mut self) {
        let config = self.plan.config();
        self.note_if(config.layout == Layout::Striped, Note::NoStriped);
        self.note_if(config.layout == Layout::Contiguous, Note::PrivateSwitch);
        self.note_if(config.window.is_some(), Note::NoWindow);
        self.note_if(config.documents.len() > 1, Note::NoDocuments);
        match self.kind() {
            StrategyKind::AllGather => self.notes.push(Note::GathersLater),
            _ => self.notes.push(Note::AlltoallIsRing),
        }
        self.notes.extend([Note::Loss, Note::Yours, Note::Gpus]);
    }
}

/// How PyTorch names the way in which keys and values travel.
fn rotation(kind: StrategyKind) -> &'static str {
    match kind {
        StrategyKind::AllGather => "allgather",
        _ => "alltoall",
    }
}

/// Whether PyTorch's head-to-tail cut is this layout; striped has none, and takes the balanced one.
fn balances(layout: Layout) -> bool {
    layout != Layout::Contiguous
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::RunConfig;

    fn run(change: impl FnOnce(&mut RunConfig)) -> RunPlan {
        let mut config = RunConfig::default();
        change(&mut config);
        RunPlan::new(config).expect("the run can be had")
    }

    fn cases() -> Vec<(&'static str, RunPlan)> {
        vec![
            ("one rank", run(|c| c.cp = 1)),
            ("ring of 4, contiguous", run(|_| ())),
            ("ring of 8, zigzag", run(|c| (c.cp, c.layout) = (8, Layout::Zigzag))),
            (
                "all-gather, zigzag, 2 replicas",
                run(|c| {
                    (c.dp, c.layout, c.strategy) = (2, Layout::Zigzag, StrategyKind::AllGather);
                }),
            ),
            (
                "ulysses, grouped heads",
                run(|c| {
                    (c.strategy, c.kv_heads) = (StrategyKind::Ulysses, Some(2));
                }),
            ),
            (
                "usp 2 x 2, micro-batches",
                run(|c| {
                    (c.strategy, c.layout) = (StrategyKind::Usp, Layout::Zigzag);
                    (c.batch, c.grad_accum) = (4, 2);
                }),
            ),
            (
                "striped, documents, window, odd length",
                run(|c| {
                    (c.layout, c.seq_len) = (Layout::Striped, 250);
                    (c.documents, c.window) = (vec![100, 150], Some(64));
                }),
            ),
        ]
    }

    #[test]
    fn each_run_reads_as_it_should_elsewhere() {
        for target in Target::ALL {
            let mut page = String::new();
            for (name, plan) in cases() {
                let Elsewhere { pieces, notes, .. } = elsewhere(&plan, target);
                let _ = writeln!(page, "=== {name}");
                for Piece { kind, code } in pieces {
                    let _ = writeln!(page, "--- {}\n{code}", kind.key());
                }
                for note in notes {
                    let mark = if note.is_missing() { "missing" } else { "differs" };
                    let _ = writeln!(page, "{mark}: {note:?}");
                }
            }
            insta::with_settings!({ prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(target.key(), page);
            });
        }
    }

    #[test]
    fn a_run_without_an_equivalent_gives_no_code_and_says_why() {
        for kind in StrategyKind::ALL {
            let plan = run(|c| c.strategy = kind);
            for target in Target::ALL {
                let Elsewhere { pieces, notes, .. } = elsewhere(&plan, target);
                let none = [Note::NoUlysses, Note::NoUsp].iter().any(|note| notes.contains(note));
                assert_eq!(pieces.is_empty(), none, "{kind} in {target:?}");
                assert!(!notes.is_empty(), "{kind} in {target:?}");
            }
        }
    }

    #[test]
    fn what_is_lost_comes_first_and_is_told_once() {
        for (name, plan) in cases() {
            for target in Target::ALL {
                let notes = elsewhere(&plan, target).notes;
                assert!(notes.is_sorted_by_key(|note| !note.is_missing()), "{name} {target:?}");
                let mut keys: Vec<_> = notes.iter().map(|note| note.key()).collect();
                keys.dedup();
                assert_eq!(keys.len(), notes.len(), "{name} {target:?}");
            }
        }
    }

    #[test]
    fn names_lead_back() {
        for target in Target::ALL {
            assert_eq!(Target::named(target.key()), Some(target));
            assert!(target.source().starts_with("https://"));
        }
        assert_eq!(Target::named("jax"), None);
    }
}
