//! Where a run runs: what is asked of this machine, decided by `plan`'s detection, and opened.

mod absent;
mod built;

use plan::WorldSize;
use plan::runtime::{Decision, Detection, Probe, Request, Standing, Step, detect};

pub use absent::open;
pub use built::build;

use crate::args::MachineArgs;

/// Decides device and backend for a run of `world` ranks on the machine of `probe`.
pub fn decide(probe: &Probe, asked: &MachineArgs, world: WorldSize) -> Detection {
    detect(probe, &Request { world_size: Some(world.get()), ..request(asked) })
}

/// What is asked, the number of ranks left open.
pub fn request(asked: &MachineArgs) -> Request {
    Request {
        device: asked.device.unwrap_or_default().into(),
        backend: asked.backend.unwrap_or_default().into(),
        force_cpu: asked.force_cpu,
        ..Request::default()
    }
}

/// One line that says on what a run runs, and why.
pub fn line(detection: &Detection) -> String {
    let [device, backend] = [Step::Device, Step::Backend].map(|step| part(&detection.trail, step));
    format!("device {device}; backend {backend}")
}

/// `cpu (force_cpu is set; device = cuda: force_cpu outranks it)`.
fn part(trail: &[Decision], step: Step) -> String {
    let of = |standing| trail.iter().filter(move |d| d.step == step && d.standing == standing);
    let taken = of(Standing::Taken).map(|d| d.choice.as_str()).collect::<Vec<_>>().join(", ");
    let why = of(Standing::Taken).map(|d| d.reason.clone());
    let overruled = of(Standing::Overruled).map(|d| format!("{}: {}", d.choice, d.reason));
    let reasons: Vec<_> = why.chain(overruled).collect();
    format!("{taken} ({})", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{BackendName, DeviceName};
    use plan::runtime::{Build, Device, Preset};

    fn on(preset: Preset, asked: &MachineArgs) -> Detection {
        let this = crate::probe::this(Build::PLAIN);
        decide(&preset.probe(&this), asked, WorldSize::ONE)
    }

    #[test]
    fn the_line_names_device_and_backend_with_their_reasons() {
        let plain = on(Preset::ColabCpu, &MachineArgs::default());
        assert_eq!(
            line(&plain),
            "device cpu (there is no NVIDIA driver on this machine); \
             backend threads (one process; each rank is a thread)"
        );
        let forced = MachineArgs {
            device: Some(DeviceName::Cuda),
            backend: Some(BackendName::Nccl),
            force_cpu: true,
        };
        let text = line(&on(Preset::H100Node, &forced));
        assert!(
            text.starts_with("device cpu (force_cpu is set; device = cuda: force_cpu"),
            "{text}"
        );
        assert!(text.contains("backend threads (") && text.contains("backend = nccl"), "{text}");
    }

    #[test]
    fn a_device_that_is_not_compiled_in_is_not_opened() -> anyhow::Result<()> {
        let mut profile = on(Preset::Laptop, &MachineArgs::default()).profile()?;
        let rank = plan::Rank::ZERO;
        assert!(open(&profile, rank)?.is_cpu());
        profile.device = Device::Cuda;
        let refusal = open(&profile, rank).expect_err("there is no CUDA in this program");
        assert!(refusal.works.contains("--features cuda"), "{refusal}");
        Ok(())
    }
}
