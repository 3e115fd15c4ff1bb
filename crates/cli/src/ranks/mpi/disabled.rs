//! Ranks over MPI in a program that was built without it.

use candle_core::Device;
use plan::Refusal;

use super::super::{Clock, End, RankFailure, Seat, Stop};

/// Refuses: MPI is not built in.
pub fn run<T, F>(_: &Device, _: Clock, _: &F) -> Result<Vec<End<T>>, RankFailure>
where
    F: AsyncFn(Seat) -> Result<T, Stop>,
{
    let refusal = Refusal::new(
        "backend",
        "mpi",
        "this program is built without MPI",
        "build with --features mpi, or use backend threads",
    );
    Err(RankFailure::Train { rank: 0, source: refusal.into() })
}
