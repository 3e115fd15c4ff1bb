//! What a rank needs to take part in attention: its groups, its tiles and its strategy.

use std::rc::Rc;

use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder, SubGroup};
use plan::{AttentionPlan, Axis, CpPlan, Heads, Mesh, Rank, Refusal, Sequence, WorldSize};

use crate::tiles::Tiles;
use crate::{NoContext, Result};

/// One rank's part in context-parallel attention.
///
/// There is one way to it, [`CpContext::new`], which takes all that it stands on: a checked plan,
/// a process group, a device. So it is whole from the first moment or it is not there.
pub struct CpContext {
    pub(crate) plan: Rc<AttentionPlan>,
    pub(crate) heads: Heads,
    pub(crate) ring: SubGroup,
    pub(crate) ulysses: SubGroup,
    pub(crate) tiles: Tiles,
    rank: Rank,
    dtype: DType,
    device: Device,
}

impl CpContext {
    /// Builds `world`'s rank its groups and tiles for `plan`: dp x cp ranks, dp being what the
    /// plan leaves of the world.
    ///
    /// Errors: [`NoContext::Unsupported`] for a world that does not split into whole groups, or a
    /// type of elements that attention has no kernels for.
    pub fn new(
        plan: &CpPlan,
        world: &Rc<dyn ProcessGroup>,
        recorder: &Rc<Recorder>,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        let own = world.rank();
        let (mesh, rank) = place(plan, world.size(), own, dtype).map_err(NoContext::from)?;
        let group = |axis| SubGroup::new(world.clone(), axis, mesh.group(own, axis));
        let world_ranks = mesh.group(own, Axis::Cp).iter().map(|r| r.index() as u16).collect();
        let attention = Rc::new(plan.attention().clone());
        let tiles = Tiles::new(attention.clone(), rank, world_ranks, recorder.clone());
        Ok(Self {
            plan: attention,
            heads: plan.heads(),
            ring: group(Axis::Ring),
            ulysses: group(Axis::Ulysses),
            tiles,
            rank,
            dtype,
            device: device.clone(),
        })
    }

    /// The rank within the context-parallel group.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Whether `tensor` is of the type and on the device that this context was built for.
    pub(crate) fn is_at_home(&self, tensor: &Tensor) -> bool {
        tensor.dtype() == self.dtype && tensor.device().same_device(&self.device)
    }

    /// Ranks that share each sequence.
    pub fn size(&self) -> WorldSize {
        self.plan.sequence().world()
    }

    /// How each sequence is split over them.
    pub fn sequence(&self) -> &Sequence {
        self.plan.sequence()
    }

    /// The global positions of this rank's tokens.
    pub fn positions(&self) -> &[u32] {
        self.sequence().positions(self.rank)
    }
}

/// The mesh that the world forms, and `own`'s rank within its context-parallel group.
fn place(
    plan: &CpPlan,
    world: WorldSize,
    own: Rank,
    dtype: DType,
) -> Result<(Mesh, Rank), Refusal> {
    check_dtype(dtype)?;
    let mesh = plan.mesh(world)?;
    Ok((mesh, plan.size().rank(mesh.coordinate(own, Axis::Cp))?))
}

fn check_dtype(dtype: DType) -> Result<(), Refusal> {
    match dtype {
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 => Ok(()),
        other => Err(Refusal::new(
            "dtype",
            other.as_str(),
            "attention has kernels for floating-point numbers of 16, 32 and 64 bits",
            "use f32",
        )),
    }
}
