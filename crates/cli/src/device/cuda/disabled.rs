//! CUDA in a binary that was built without it.

use candle_core::Device;
use plan::Refusal;
use plan::runtime::{Build, Gpus, WhyNoCuda};

/// What this binary was built with.
pub fn build() -> Build {
    Build::PLAIN
}

/// The driver's own list of GPUs: this binary cannot ask it.
pub fn gpus() -> Option<Gpus> {
    None
}

/// Opens the GPU of this number; refused, since CUDA is not built in.
pub fn open(_gpu: usize) -> Result<Device, Refusal> {
    let why = WhyNoCuda::NotCompiled;
    Err(Refusal::new("device", "cuda", why.reason(), why.works()))
}
