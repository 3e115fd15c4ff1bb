//! Times messages between two neighbours, there and back.

use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Result, Tag, Wanted};
use plan::{Op, Rank};

/// Message sizes in bytes, and round trips in one sample: without cross-origin isolation the
/// clock steps by 100 us, so that a single trip could not be read.
const SIZES: [(usize, u32); 3] = [(64 << 10, 16), (1 << 20, 8), (4 << 20, 2)];
const SAMPLES: usize = 20;

/// The median round trip between rank 0 and rank 1 as (bytes, microseconds), on rank 0; the other
/// ranks stand still meanwhile, and return nothing. All ranks call it together.
pub async fn measure(
    group: &dyn ProcessGroup,
    now_us: &dyn Fn() -> u64,
) -> Result<Vec<(u64, f64)>> {
    let mut medians = Vec::new();
    for (bytes, trips) in SIZES {
        let payload = Tensor::zeros(bytes / DType::F32.size_in_bytes(), DType::F32, &Device::Cpu)?;
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            group.barrier().await?;
            let tag = Tag {
                axis: group.axis(),
                op: Op::SendRecv,
                seq: group.next_seq(),
                block: None,
                lane: 0,
            };
            let begun = now_us();
            play(group, tag, &payload, trips).await?;
            samples.push((now_us() - begun) as f64 / f64::from(trips));
        }
        samples.sort_by(f64::total_cmp);
        medians.push((bytes as u64, samples[SAMPLES / 2]));
    }
    Ok(if group.rank() == Rank::ZERO && group.size().get() > 1 { medians } else { Vec::new() })
}

/// Rank 0 serves, rank 1 returns what it was sent.
async fn play(group: &dyn ProcessGroup, tag: Tag, payload: &Tensor, trips: u32) -> Result<()> {
    let Ok(partner) = group.size().rank(1) else { return Ok(()) };
    let wanted = Wanted::like(tag, payload);
    for _ in 0..trips {
        if group.rank() == Rank::ZERO {
            group.isend(partner, tag, payload)?;
            group.irecv(partner, wanted.clone()).wait().await?;
        } else if group.rank() == partner {
            let back = group.irecv(Rank::ZERO, wanted.clone()).wait().await?;
            group.isend(Rank::ZERO, tag, &back)?;
        }
    }
    Ok(())
}
