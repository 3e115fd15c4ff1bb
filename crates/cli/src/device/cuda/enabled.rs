//! CUDA in a binary that was built with it: which GPUs there are, and a handle of one.

use candle_core::cuda_backend::cudarc::driver::result;
use candle_core::{Device, Tensor, cuda_backend};
use plan::Refusal;
use plan::runtime::{Build, Gpu, Gpus, Support};

use super::unsafe_driver;

/// What this binary was built with.
pub fn build() -> Build {
    Build {
        cuda: Support::Present,
        nccl: Support::of(cfg!(feature = "nccl")),
        mpi: Support::Absent,
    }
}

/// The driver's own list of GPUs, those that `CUDA_VISIBLE_DEVICES` hides left out.
pub fn gpus() -> Option<Gpus> {
    if !unsafe_driver::load() {
        return Some(Gpus::NoDriver);
    }
    // A driver that does not start, as where its kernel module is missing, shows no device.
    let count = result::init().and_then(|()| result::device::get_count()).unwrap_or(0);
    let gpu = |number| {
        let device = result::device::get(number).ok()?;
        let name = result::device::get_name(device).ok()?;
        let memory = Some(unsafe_driver::memory(device)).filter(|&bytes| bytes > 0);
        Some(Gpu { name, memory })
    };
    Some(Gpus::Devices((0..count).filter_map(gpu).collect()))
}

/// Opens the GPU of this number, counted from 0 among those that the driver shows.
///
/// All work given to the handle and its clones lies in one stream, in the order in which it is
/// given, whichever thread gives it. Candle's usual handle has a stream for each thread instead,
/// and nothing would order one rank's kernels before those of the rank that it sent a tensor to.
pub fn open(gpu: usize) -> Result<Device, Refusal> {
    // Products of f32 are computed in f32: TF32 keeps 10 bits of the mantissa.
    cuda_backend::set_gemm_reduced_precision_f32(false);
    Device::new_cuda_with_stream(gpu).and_then(tried).map_err(|error| {
        Refusal::new(
            "device",
            "cuda",
            format!("GPU {gpu} could not be used: {error}"),
            "compare the driver's CUDA version in nvidia-smi with the toolkit's that this program \
             was built with, and CUDA_COMPUTE_CAP with the GPU; or use device cpu",
        )
    })
}

/// Runs a kernel, because a driver that is older than the toolkit shows itself only then.
fn tried(device: Device) -> candle_core::Result<Device> {
    Tensor::new(&[1f32], &device)?.affine(2.0, 1.0)?.to_vec1::<f32>()?;
    Ok(device)
}
