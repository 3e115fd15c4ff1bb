//! Ranks over NCCL, each a thread with a GPU of its own.

use candle_core::Device;
use comm::{ProcessGroup, nccl};

use super::super::{End, RankFailure, Seat, Stop, TIMEOUT, Times, sit};

/// Runs `program` on one rank for each of `devices`.
pub fn run<T, F>(devices: &[Device], times: Times, program: &F) -> Result<Vec<End<T>>, RankFailure>
where
    T: Send,
    F: AsyncFn(Seat) -> Result<T, Stop> + Sync,
{
    let ends = nccl::run(devices, TIMEOUT, async |rank, group| match group {
        Ok(group) => {
            let device = group.device();
            sit(group, device, times, program).await
        }
        Err(error) => End::Failed(RankFailure::Train { rank: rank.index(), source: error.into() }),
    });
    ends.map_err(|error| RankFailure::Train { rank: 0, source: error.into() })
}
