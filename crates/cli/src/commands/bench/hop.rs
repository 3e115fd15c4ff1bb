//! What a message to the next rank costs: a thread's hop.

use std::time::Instant;

use anyhow::Result;
use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Tag, Wanted};
use plan::bench::Hop;
use plan::{Axis, Op, RunConfig};

use crate::args::MachineArgs;
use crate::job::Job;
use crate::output::table;
use crate::ranks::{self, Clock, Stop};

/// Bytes of a message: from little more than its header to more than a core's cache.
const BYTES: [usize; 4] = [64, 16 << 10, 256 << 10, 4 << 20];
const WARM_UP: usize = 20;
const ROUNDS: usize = 200;

/// Whether a rank hands on what came or a copy of it.
#[derive(Clone, Copy, Debug)]
enum Handed {
    AsItCame,
    Copied,
}

/// Measures every size between two ranks.
pub fn measure() -> Result<Vec<Hop>> {
    let job = Job::of(RunConfig { cp: 2, ..RunConfig::default() }, &MachineArgs::CPU)?;
    let seconds = |bytes, handed| -> Result<f64> {
        let halves = ranks::run(&job.place, Clock::Wall, async |seat| {
            half_round_trip(seat.world.as_ref(), bytes, handed).await
        })?;
        Ok(halves.into_iter().fold(0.0, f64::max))
    };
    BYTES
        .into_iter()
        .map(|bytes| {
            let (plain, copied) =
                (seconds(bytes, Handed::AsItCame)?, seconds(bytes, Handed::Copied)?);
            Ok(Hop { microseconds: Some(1e6 * plain), ..Hop::copied(bytes as u64, 1e6 * copied) })
        })
        .collect()
}

/// Seconds, the median over the rounds.
async fn half_round_trip(
    group: &dyn ProcessGroup,
    bytes: usize,
    handed: Handed,
) -> Result<f64, Stop> {
    let other = group.size().hop(group.rank(), 1);
    let is_first = group.rank().index() == 0;
    let mut message = Tensor::ones(bytes / DType::F32.size_in_bytes(), DType::F32, &Device::Cpu)?;
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..WARM_UP + ROUNDS {
        let seq = group.next_seq();
        let tag = Tag { axis: Axis::World, op: Op::SendRecv, seq, block: None, lane: 0 };
        let start = Instant::now();
        let pending = group.irecv(other, Wanted::like(tag, &message));
        if is_first {
            group.isend(other, tag, &message)?;
        }
        let came = pending.wait().await?;
        message = match handed {
            Handed::AsItCame => came,
            Handed::Copied => came.copy()?,
        };
        if !is_first {
            group.isend(other, tag, &message)?;
        }
        if round >= WARM_UP {
            times.push(start.elapsed().as_secs_f64() / 2.0);
        }
    }
    Ok(super::speed::median(times))
}

/// The section as people read it.
pub fn table(all: &[Hop]) -> comfy_table::Table {
    let mut rows = table::new(["message", "us a hop", "us, copied", "GB/s, copied"]);
    for hop in all {
        rows.add_row([
            table::right(table::bytes(hop.bytes)),
            table::right(hop.microseconds.map_or_else(String::new, |us| format!("{us:.1}"))),
            table::right(format!("{:.1}", hop.copied_microseconds)),
            super::ratio(hop.copied_gigabytes_per_s),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_makes_its_round() {
        let hops = measure().expect("two threads");
        assert_eq!(hops.iter().map(|hop| hop.bytes as usize).collect::<Vec<_>>(), BYTES);
        assert!(
            hops.iter().all(|hop| hop.microseconds > Some(0.0) && hop.copied_microseconds > 0.0)
        );
    }
}
