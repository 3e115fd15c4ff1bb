//! How the ranks of a context-parallel group share attention, checked against the heads.

use serde::{Deserialize, Serialize};

use crate::{Message, Refusal, WorldSize, message};

/// The name of a way to share attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyKind {
    /// Keys and values travel around the ring, block by block.
    #[default]
    Ring,
    /// Every rank gathers all keys and values first.
    AllGather,
    /// all_to_all turns a slice of the sequence into a slice of the heads, and back.
    Ulysses,
    /// Ulysses inside, ring outside: U x R ranks.
    Usp,
}

impl StrategyKind {
    /// Every strategy, in the order in which they are taught.
    pub const ALL: [Self; 4] = [Self::Ring, Self::AllGather, Self::Ulysses, Self::Usp];

    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::AllGather => "all-gather",
            Self::Ulysses => "ulysses",
            Self::Usp => "usp",
        }
    }
}

impl std::fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A strategy with its degrees: `ulysses` x `ring` ranks make the group.
///
/// Ranks that are neighbours by number share a Ulysses group, so rank = ring index x U + u.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    kind: StrategyKind,
    ulysses: usize,
    ring: usize,
}

impl Strategy {
    /// Checks `kind` for a group of `cp` ranks and a model's heads.
    ///
    /// `ulysses_degree` is U; `None` picks it: `cp` for Ulysses, the largest workable U with
    /// U x U <= cp for USP.
    pub fn new(
        kind: StrategyKind,
        cp: WorldSize,
        heads: usize,
        kv_heads: usize,
        ulysses_degree: Option<usize>,
    ) -> Result<Self, Refusal> {
        let w = cp.get();
        let refuse_degree = |value: usize, reason: Message, works: Message| {
            Refusal::new("ulysses_degree", value, reason, works)
        };
        let ulysses = match (kind, ulysses_degree) {
            (StrategyKind::Ring | StrategyKind::AllGather, None | Some(1)) => 1,
            (StrategyKind::Ring | StrategyKind::AllGather, Some(u)) => {
                return Err(refuse_degree(
                    u,
                    message!("strategy {kind} does not exchange heads", kind = kind.name()),
                    message!("leave it out, or choose strategy usp"),
                ));
            }
            (StrategyKind::Ulysses, None) => w,
            (StrategyKind::Ulysses, Some(u)) if u == w => w,
            (StrategyKind::Ulysses, Some(u)) => {
                return Err(refuse_degree(
                    u,
                    message!("strategy ulysses exchanges heads over all {w} ranks of cp", w),
                    message!("try {number}, or choose strategy usp", number = w),
                ));
            }
            (StrategyKind::Usp, None) => (1..=w)
                .rev()
                .find(|&u| u * u <= w && w.is_multiple_of(u) && heads_fit(u, heads, kv_heads))
                .unwrap_or(1),
            (StrategyKind::Usp, Some(u)) => {
                if u == 0 || !w.is_multiple_of(u) {
                    let divisors: Vec<_> =
                        (1..=w).filter(|d| w.is_multiple_of(*d)).map(|d| d.to_string()).collect();
                    return Err(refuse_degree(
                        u,
                        message!("it does not divide the {w} ranks of cp", w),
                        message!("try one of {numbers}", numbers = divisors.join(", ")),
                    ));
                }
                u
            }
        };
        if !heads_fit(ulysses, heads, kv_heads) {
            let workable =
                (1..=w).filter(|&u| w.is_multiple_of(u) && heads_fit(u, heads, kv_heads));
            let workable =
                Message::list(workable, |list, item| message!("{list} or {item}", list, item));
            let (field, value) = match kind {
                StrategyKind::Ulysses => ("strategy", kind.to_string()),
                _ => ("ulysses_degree", ulysses.to_string()),
            };
            return Err(Refusal::new(
                field,
                value,
                message!(
                    "{heads} query and {kv_heads} key/value heads cannot be shared by {ulysses} \
                     ranks: the query heads must divide evenly, and each rank needs a whole \
                     number of key/value heads or a whole share of the ranks per head",
                    heads,
                    kv_heads,
                    ulysses
                ),
                message!("try strategy ring, or usp with ulysses_degree {workable}", workable),
            ));
        }
        Ok(Self { kind, ulysses, ring: w / ulysses })
    }

    /// The name it was asked for by.
    pub fn kind(self) -> StrategyKind {
        self.kind
    }

    /// U: ranks that exchange heads among themselves.
    pub fn ulysses(self) -> usize {
        self.ulysses
    }

    /// R: positions on the ring (or in the gather), W / U.
    pub fn ring(self) -> usize {
        self.ring
    }

    /// r_U: how many ranks of a Ulysses group hold a copy of the same key/value head.
    pub fn kv_replicas(self, kv_heads: usize) -> usize {
        (self.ulysses / kv_heads).max(1)
    }

    /// Query heads on each rank while attention is computed.
    pub fn local_heads(self, heads: usize) -> usize {
        heads / self.ulysses
    }

    /// Key/value heads on each rank while attention is computed.
    pub fn local_kv_heads(self, kv_heads: usize) -> usize {
        (kv_heads / self.ulysses).max(1)
    }
}

/// Whether a Ulysses group of `u` ranks can share these heads.
fn heads_fit(u: usize, heads: usize, kv_heads: usize) -> bool {
    heads.is_multiple_of(u) && (kv_heads.is_multiple_of(u) || u.is_multiple_of(kv_heads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use StrategyKind::{AllGather, Ring, Ulysses, Usp};

    fn build(
        kind: StrategyKind,
        cp: usize,
        heads: (usize, usize),
        degree: Option<usize>,
    ) -> Result<(usize, usize), Refusal> {
        let cp = WorldSize::new(cp)?;
        Strategy::new(kind, cp, heads.0, heads.1, degree).map(|s| (s.ulysses(), s.ring()))
    }

    #[test]
    fn degrees_multiply_to_the_group() {
        assert_eq!(build(Ring, 8, (4, 4), None), Ok((1, 8)));
        assert_eq!(build(AllGather, 3, (4, 4), Some(1)), Ok((1, 3)));
        assert_eq!(build(Ulysses, 4, (4, 2), None), Ok((4, 1)));
        assert_eq!(build(Usp, 8, (4, 4), None), Ok((2, 4)));
        assert_eq!(build(Usp, 8, (4, 4), Some(4)), Ok((4, 2)));
        assert_eq!(build(Usp, 1, (4, 4), None), Ok((1, 1)));
    }

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        let field = |r: Result<(usize, usize), Refusal>| r.expect_err("it must be refused").field;
        assert_eq!(field(build(Ulysses, 8, (4, 4), None)), "strategy");
        assert_eq!(field(build(Ulysses, 3, (4, 4), None)), "strategy");
        assert_eq!(field(build(Ulysses, 4, (12, 3), None)), "strategy");
        assert_eq!(field(build(Ulysses, 4, (4, 4), Some(2))), "ulysses_degree");
        assert_eq!(field(build(Ring, 4, (4, 4), Some(2))), "ulysses_degree");
        assert_eq!(field(build(Usp, 8, (4, 4), Some(3))), "ulysses_degree");
        assert_eq!(field(build(Usp, 8, (4, 4), Some(0))), "ulysses_degree");
        assert_eq!(field(build(Usp, 8, (4, 4), Some(8))), "ulysses_degree");
    }
}
