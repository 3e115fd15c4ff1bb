//! Which device, and whether it can do what the training code wants.

use super::branch::Branch;
use super::probe::Probe;
use super::profile::{CpuMode, Device, Trail};
use super::request::{DeviceChoice, Feature, Request};
use crate::Refusal;

pub(super) fn decide(
    probe: &Probe,
    request: &Request,
    trail: &mut Trail,
) -> Result<(Device, CpuMode), Refusal> {
    if request.force_cpu {
        trail.at(Branch::ForcedCpu);
        if request.device == DeviceChoice::Cuda {
            trail.overruled("device = cuda", "force_cpu outranks it");
        }
        trail.took("cpu", "force_cpu is set");
        return Ok((Device::Cpu, CpuMode::Forced));
    }
    match (request.device, probe.cuda()) {
        (DeviceChoice::Cpu, _) => {
            trail.at(Branch::AskedCpu);
            trail.took("cpu", "device = cpu was asked for");
            Ok((Device::Cpu, CpuMode::Chosen))
        }
        (DeviceChoice::Auto | DeviceChoice::Cuda, Ok(gpus)) => {
            trail.at(Branch::Gpu);
            let names = gpus.first().map_or("", |gpu| gpu.name.as_str());
            trail.took("cuda", format!("{} found: {names}", count(gpus.len(), "GPU")));
            Ok((Device::Cuda, CpuMode::Off))
        }
        (DeviceChoice::Auto, Err(why)) => {
            trail.at(Branch::NoGpu);
            trail.took("cpu", why.reason());
            Ok((Device::Cpu, CpuMode::Fallback))
        }
        (DeviceChoice::Cuda, Err(why)) => {
            trail.at(Branch::GpuRefused);
            Err(Refusal::new("device", "cuda", why.reason(), why.works()))
        }
    }
}

pub(super) fn check_features(
    device: Device,
    request: &Request,
    trail: &mut Trail,
) -> Result<(), Refusal> {
    trail.at(match (request.features.is_empty(), device) {
        (true, _) => Branch::NothingWanted,
        (false, Device::Cuda) => Branch::FeaturesOnGpu,
        (false, Device::Cpu) => Branch::FeaturesRefused,
    });
    if device == Device::Cuda {
        for feature in &request.features {
            trail.took(feature.name(), "the device is a GPU");
        }
        return Ok(());
    }
    let each = |word: fn(Feature) -> &'static str| -> Vec<&'static str> {
        request.features.iter().map(|&feature| word(feature)).collect()
    };
    match request.features.is_empty() {
        true => Ok(()),
        false => Err(Refusal::new(
            "feature",
            each(Feature::name).join(", "),
            format!("{}; the device is the CPU", each(Feature::needs_gpu_because).join(", and ")),
            each(Feature::on_a_cpu).join(", and "),
        )),
    }
}

/// `2 GPUs`, `1 GPU`.
pub(super) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
