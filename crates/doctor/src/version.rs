//! The versions on which a diagnosis depends.

use plan::version::release;

pub use plan::runtime::practice::REPAIRED;
pub use plan::version::{Maturity, Version};

/// The first accelerate with CP.
pub const FIRST_WITH_CP: Version = release(1, 10, 0);
/// The accelerate that never builds the context, and the first with sequence parallelism.
pub const BROKEN: Version = release(1, 12, 0);
/// The first accelerate that refuses sliding windows with CP.
pub const WINDOW_REFUSED: Version = release(1, 15, 0);
/// The first accelerate that refuses FSDP2 with nothing to shard over, instead of failing later.
pub const SHARDLESS_REFUSED: Version = release(1, 15, 0);
/// The newest accelerate whose behaviour is known here.
pub const NEWEST_KNOWN: Version = release(1, 15, 0);
/// The newest TRL whose behaviour is known here.
pub const NEWEST_KNOWN_TRL: Version = TRL_REFUSES_PACKING;
/// The oldest torch that accelerate's CP takes.
pub const TORCH_WITH_CP: Version = release(2, 6, 0);
/// The first TRL that refuses packing with CP.
pub const TRL_REFUSES_PACKING: Version = release(1, 11, 0);

/// accelerate's releases from 1.0.0 on, as far as they are known here.
const RELEASES: &[(u32, u32, u32)] = &[
    (1, 0, 0),
    (1, 0, 1),
    (1, 1, 0),
    (1, 1, 1),
    (1, 2, 0),
    (1, 2, 1),
    (1, 3, 0),
    (1, 4, 0),
    (1, 5, 0),
    (1, 5, 1),
    (1, 5, 2),
    (1, 6, 0),
    (1, 7, 0),
    (1, 8, 0),
    (1, 8, 1),
    (1, 9, 0),
    (1, 10, 0),
    (1, 10, 1),
    (1, 11, 0),
    (1, 12, 0),
    (1, 13, 0),
    (1, 14, 0),
    (1, 15, 0),
];

/// The release of accelerate that stands in for this one, where there is none of this number.
///
/// All releases before 1.0.0 are alike here, and none of them is missed.
pub fn stand_in(version: Version) -> Option<Version> {
    let asked = version.release;
    let before = asked < (1, 0, 0) || RELEASES.contains(&asked);
    let (major, minor, patch) = *RELEASES.iter().rev().find(|&&known| !before && known < asked)?;
    Some(release(major, minor, patch))
}
