//! Devices of a program that is built without CUDA: the CPU alone.

use candle_core::Device;
use plan::runtime::{self, RuntimeProfile, WhyNoCuda};
use plan::{Rank, Refusal};

/// Opens the device of one rank.
///
/// Errors: a profile that asks for a GPU, which detection yields for other programs only.
pub fn open(profile: &RuntimeProfile, _rank: Rank) -> Result<Device, Refusal> {
    match profile.device {
        runtime::Device::Cpu => Ok(Device::Cpu),
        runtime::Device::Cuda => {
            let why = WhyNoCuda::NotCompiled;
            Err(Refusal::new("device", "cuda", why.reason(), why.works()))
        }
    }
}
