//! Which device, and whether it can do what the training code wants.

use super::branch::Branch;
use super::probe::Probe;
use super::profile::{CpuMode, Device, Trail};
use super::request::{DeviceChoice, Feature, Request};
use crate::{Message, Refusal, message};

pub(super) fn decide(
    probe: &Probe,
    request: &Request,
    trail: &mut Trail,
) -> Result<(Device, CpuMode), Refusal> {
    if request.force_cpu {
        trail.at(Branch::ForcedCpu);
        if request.device == DeviceChoice::Cuda {
            trail.overruled("device = cuda", message!("force_cpu outranks it"));
        }
        trail.took("cpu", message!("force_cpu is set"));
        return Ok((Device::Cpu, CpuMode::Forced));
    }
    match (request.device, probe.cuda()) {
        (DeviceChoice::Cpu, _) => {
            trail.at(Branch::AskedCpu);
            trail.took("cpu", message!("device = cpu was asked for"));
            Ok((Device::Cpu, CpuMode::Chosen))
        }
        (DeviceChoice::Auto | DeviceChoice::Cuda, Ok(gpus)) => {
            trail.at(Branch::Gpu);
            let name = gpus.first().map_or("", |gpu| gpu.name.as_str());
            trail
                .took("cuda", message!("{gpus} found: {name}", gpus = gpus_told(gpus.len()), name));
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
            trail.took(feature.name(), message!("the device is a GPU"));
        }
        return Ok(());
    }
    let names: Vec<_> = request.features.iter().map(|feature| feature.name()).collect();
    let each = |word: fn(Feature) -> Message| {
        let words = request.features.iter().map(|&feature| word(feature));
        Message::list(words, |list, item| message!("{list}, and {item}", list, item))
    };
    match request.features.is_empty() {
        true => Ok(()),
        false => Err(Refusal::new(
            "feature",
            names.join(", "),
            message!(
                "{reasons}; the device is the CPU",
                reasons = each(Feature::needs_gpu_because)
            ),
            each(Feature::on_a_cpu),
        )),
    }
}

/// `2 GPUs`, `1 GPU`.
pub(super) fn gpus_told(number: usize) -> Message {
    if number == 1 { message!("1 GPU") } else { message!("{number} GPUs", number) }
}
