//! Ranks over MPI: this process is one of them, and the others run the same program.

use std::time::Instant;

use candle_core::Device;
use comm::ProcessGroup;
use comm::mpi::MpiGroup;
use futures::executor::block_on;

use super::super::{Clock, End, RankFailure, Seat, Stop, TIMEOUT, Times, sit};

/// Runs `program` on this process's rank, and returns its end alone.
pub fn run<T, F>(device: &Device, clock: Clock, program: &F) -> Result<Vec<End<T>>, RankFailure>
where
    F: AsyncFn(Seat) -> Result<T, Stop>,
{
    let group = MpiGroup::start(TIMEOUT)
        .map_err(|refusal| RankFailure::Train { rank: 0, source: refusal.into() })?;
    let rank = group.rank().index();
    // Every process's clock begins when all have come this far, so that events lie side by side.
    block_on(group.barrier()).map_err(|error| RankFailure::Train { rank, source: error.into() })?;
    let times = Times { clock, epoch: Instant::now() };
    Ok(vec![block_on(sit(group, device.clone(), times, program))])
}
