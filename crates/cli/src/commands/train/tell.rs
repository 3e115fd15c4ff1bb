//! What ranks in other processes did, told to rank 0, which prints and writes.

use candle_core::{DType, Device, Error, Shape, Tensor};
use comm::{ProcessGroup, Tag, Wanted};
use plan::{Axis, Event, Op, Rank};

use crate::ranks::Stop;

/// On rank 0 the events of every rank, by rank; nothing on the others. All ranks call it together.
pub async fn root(
    world: &dyn ProcessGroup,
    events: Vec<Event>,
) -> Result<Vec<(usize, Vec<Event>)>, Stop> {
    let bytes = serde_json::to_vec(&events).map_err(Error::wrap)?;
    let length = Tensor::new(&[bytes.len() as u32], &Device::Cpu)?;
    let lengths = world.all_gather(&length).await?;
    let tag =
        Tag { axis: Axis::World, op: Op::SendRecv, seq: world.next_seq(), block: None, lane: 0 };
    if world.rank() != Rank::ZERO {
        world.isend(
            Rank::ZERO,
            tag,
            &Tensor::from_vec(bytes, length_of(&length)?, &Device::Cpu)?,
        )?;
        return Ok(Vec::new());
    }
    let mut all = vec![(Rank::ZERO.index(), events)];
    for (peer, length) in world.size().ranks().zip(&lengths).skip(1) {
        let shape = Shape::from(length_of(length)?);
        let told = world.irecv(peer, Wanted { tag, dtype: DType::U8, shape }).wait().await?;
        let events = serde_json::from_slice(&told.to_vec1::<u8>()?).map_err(Error::wrap)?;
        all.push((peer.index(), events));
    }
    Ok(all)
}

fn length_of(length: &Tensor) -> candle_core::Result<usize> {
    Ok(length.get(0)?.to_scalar::<u32>()? as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::MachineArgs;
    use crate::device;
    use crate::ranks::{self, Clock};
    use plan::{EventKind, WorldSize};

    #[test]
    fn rank_0_hears_what_each_rank_did() -> anyhow::Result<()> {
        let place = device::resolve(&MachineArgs::CPU, WorldSize::new(3)?)?;
        let told = ranks::run(&place, Clock::Wall, async |seat| {
            // Each rank has another number of events, the last one none.
            let rank = seat.world.rank().index();
            (rank..2).for_each(|_| seat.recorder.record(EventKind::StepBegin));
            let events = seat.recorder.drain();
            let own = events.clone();
            Ok((own, root(seat.world.as_ref(), events).await?))
        })?;
        let own: Vec<_> = told.iter().map(|(own, _)| own.clone()).enumerate().collect();
        assert_eq!(own.iter().map(|(_, events)| events.len()).collect::<Vec<_>>(), [2, 1, 0]);
        assert_eq!(told[0].1, own);
        assert!(told[1].1.is_empty() && told[2].1.is_empty());
        Ok(())
    }
}
