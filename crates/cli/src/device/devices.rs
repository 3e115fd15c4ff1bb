//! The devices that the ranks of a run compute on.

use candle_core::Device;
use plan::Refusal;
use plan::runtime::{self, Backend, RuntimeProfile};

use super::cuda;

/// Where the ranks compute.
#[derive(Clone, Debug)]
pub enum Devices {
    /// All on one device, each rank a thread.
    Shared(Device),
    /// Each rank on a GPU of its own, by rank.
    OneEach(Vec<Device>),
}

impl Devices {
    /// The CPU, shared by all ranks.
    pub const CPU: Self = Self::Shared(Device::Cpu);

    /// Opens what `profile` says.
    pub fn open(profile: &RuntimeProfile) -> Result<Self, Refusal> {
        match (profile.device, profile.backend) {
            (runtime::Device::Cpu, _) => Ok(Self::CPU),
            (runtime::Device::Cuda, Backend::Nccl) => {
                let ranks = profile.world_size.get();
                Ok(Self::OneEach((0..ranks).map(cuda::open).collect::<Result<_, _>>()?))
            }
            // Tensors change hands without a copy, so all ranks hold clones of one handle.
            (runtime::Device::Cuda, _) => Ok(Self::Shared(cuda::open(0)?)),
        }
    }

    /// Whether the ranks compute on the CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::Shared(Device::Cpu))
    }
}
