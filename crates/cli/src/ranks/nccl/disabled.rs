//! Ranks over NCCL in a binary that was built without it.

use candle_core::Device;
use plan::Refusal;

use super::super::{End, RankFailure, Seat, Stop, Times};

/// Refuses: NCCL is not built in.
pub fn run<T, F>(_: &[Device], _: Times, _: &F) -> Result<Vec<End<T>>, RankFailure>
where
    F: AsyncFn(Seat) -> Result<T, Stop>,
{
    let refusal = Refusal::new(
        "backend",
        "nccl",
        "this program is built without NCCL",
        "build with --features nccl, or use backend threads",
    );
    Err(RankFailure::Train { rank: 0, source: refusal.into() })
}
