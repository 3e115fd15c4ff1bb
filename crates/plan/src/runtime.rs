//! Runtime detection: what a machine has and what is asked of it, lowered once into what will run.
//!
//! [`detect`] is a pure function of a [`Probe`] and a [`Request`], so that the page, the command
//! line and the tests follow the same tree. Its laws, tested over the product of both:
//!
//! - without CUDA the result is never `nccl`;
//! - `force_cpu` wins over every other wish about device and backend;
//! - a world size that cannot be had is refused, never shrunk;
//! - what needs a GPU is refused before anything starts, with what to use instead.

mod backend;
mod branch;
mod device;
#[cfg(test)]
mod laws;
pub mod practice;
mod preset;
mod probe;
mod profile;
mod request;
mod world;

pub use branch::{Branch, End};
pub use preset::Preset;
pub use probe::{
    Browser, Build, Gpu, Gpus, Launch, Launcher, MIB, Place, Probe, Support, WhyNoCuda,
};
pub use profile::{
    Backend, CpuMode, Decision, Detection, Device, Outcome, RuntimeProfile, Standing, Step,
};
pub use request::{BackendChoice, DeviceChoice, Feature, Request};
pub use world::{MAX_WORKERS, WORKER_MEMORY};

use crate::Refusal;
use profile::Trail;

/// Decides device, backend and world size, or refuses; the trail tells how, step by step.
pub fn detect(probe: &Probe, request: &Request) -> Detection {
    let mut trail = Trail::default();
    let outcome = match decide(probe, request, &mut trail) {
        Ok(profile) => Outcome::Runs(profile),
        Err(refusal) => {
            trail.refused(&refusal);
            Outcome::Refused(refusal)
        }
    };
    let (trail, path) = trail.into_parts();
    Detection { trail, path, outcome }
}

fn decide(probe: &Probe, request: &Request, trail: &mut Trail) -> Result<RuntimeProfile, Refusal> {
    trail.enter(Step::Device);
    let (device, cpu_mode) = device::decide(probe, request, trail)?;
    trail.enter(Step::Features);
    device::check_features(device, request, trail)?;
    trail.enter(Step::Backend);
    let backend = backend::decide(probe, request, device, trail)?;
    trail.enter(Step::WorldSize);
    let world_size = world::decide(probe, request, backend, trail)?;
    Ok(RuntimeProfile { device, backend, cpu_mode, world_size })
}
