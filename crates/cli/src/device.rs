//! What --device, --backend and --force-cpu come down to on this machine, in this binary.

pub mod cuda;
mod devices;

use plan::Refusal;
use plan::runtime::{
    Backend, BackendChoice, Device, DeviceChoice, Gpus, Probe, Request, RuntimeProfile, detect,
};

pub use devices::Devices;

use crate::args::{BackendName, DeviceName, RunArgs};
use crate::probe;

/// Where the ranks compute, and how much memory they may fill there.
#[derive(Debug)]
pub struct Resolved {
    /// The devices, opened.
    pub devices: Devices,
    /// Bytes for all ranks together, where the system tells.
    pub memory: Option<u64>,
}

/// The devices of a run of `world_size` ranks; refused where this binary or machine cannot have
/// them.
pub fn resolve(args: &RunArgs, world_size: usize) -> Result<Resolved, Refusal> {
    let probe = probe::this(cuda::build());
    let profile = profile(args, world_size, &probe)?;
    Ok(Resolved { devices: Devices::open(&profile)?, memory: memory(&profile, &probe) })
}

fn profile(args: &RunArgs, world_size: usize, probe: &Probe) -> Result<RuntimeProfile, Refusal> {
    if args.force_cpu && args.device == DeviceName::Cuda {
        return Err(Refusal::new(
            "device",
            "cuda",
            "--force-cpu asks for the opposite",
            "leave one of the two out",
        ));
    }
    let request = Request {
        device: match args.device {
            DeviceName::Auto => DeviceChoice::Auto,
            DeviceName::Cpu => DeviceChoice::Cpu,
            DeviceName::Cuda => DeviceChoice::Cuda,
        },
        backend: match args.backend {
            BackendName::Auto => BackendChoice::Auto,
            BackendName::Threads => BackendChoice::Threads,
            BackendName::Mpi => BackendChoice::Mpi,
            BackendName::Nccl => BackendChoice::Nccl,
        },
        force_cpu: args.force_cpu,
        world_size: Some(world_size),
        features: Vec::new(),
    };
    detect(probe, &request).profile()
}

/// What the ranks share: the machine's memory, the first GPU's, or those of as many as there are
/// ranks.
fn memory(profile: &RuntimeProfile, probe: &Probe) -> Option<u64> {
    let gpus = match (&probe.gpus, profile.device) {
        (Gpus::Devices(gpus), Device::Cuda) => gpus,
        _ => return probe.memory,
    };
    let used = if profile.backend == Backend::Nccl { profile.world_size.get() } else { 1 };
    Some(gpus.iter().take(used).map(|gpu| gpu.memory).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::runtime::{Build, Gpu, Launch, Place};

    fn machine(build: Build, gpus: Gpus) -> Probe {
        let memory = Some(1 << 30);
        Probe { place: Place::Native, build, gpus, launch: Launch::Alone, cores: 2, memory }
    }

    fn gpus(count: usize) -> Gpus {
        let gpu = Gpu { name: "NVIDIA T4".to_owned(), memory: 16 << 30 };
        Gpus::Devices(vec![gpu; count])
    }

    fn wish(device: DeviceName, backend: BackendName) -> RunArgs {
        RunArgs { device, backend, ..RunArgs::default() }
    }

    fn refused(args: &RunArgs, probe: &Probe) -> String {
        profile(args, 4, probe).expect_err("it must be refused").to_string()
    }

    #[test]
    fn a_gpu_that_cannot_be_had_is_refused_with_its_own_reason() {
        let cuda = wish(DeviceName::Cuda, BackendName::Auto);
        let without = refused(&cuda, &machine(Build::PLAIN, gpus(1)));
        assert!(without.contains("without CUDA") && without.contains("--features cuda"));
        let no_driver = refused(&cuda, &machine(Build::FULL, Gpus::NoDriver));
        assert!(no_driver.contains("no NVIDIA driver"), "{no_driver}");
        let hidden = refused(&cuda, &machine(Build::FULL, gpus(0)));
        assert!(hidden.contains("CUDA_VISIBLE_DEVICES"), "{hidden}");
        let both = RunArgs { force_cpu: true, ..cuda };
        assert!(refused(&both, &machine(Build::FULL, gpus(1))).contains("--force-cpu"));
    }

    #[test]
    fn a_backend_that_is_not_built_in_is_refused_by_name() {
        for (backend, name) in [(BackendName::Mpi, "mpi"), (BackendName::Nccl, "nccl")] {
            let text = refused(&wish(DeviceName::Auto, backend), &machine(Build::PLAIN, gpus(0)));
            assert!(text.contains(&format!("backend = {name}")), "{text}");
        }
    }

    #[test]
    fn ranks_that_share_a_gpu_share_its_memory() -> Result<(), Refusal> {
        let probe = machine(Build::FULL, gpus(4));
        let memory = |args: &RunArgs| Ok(memory(&profile(args, 4, &probe)?, &probe));
        let auto = BackendName::Auto;
        assert_eq!(memory(&wish(DeviceName::Cuda, BackendName::Threads))?, Some(16 << 30));
        assert_eq!(memory(&wish(DeviceName::Cuda, auto))?, Some(64 << 30));
        assert_eq!(memory(&wish(DeviceName::Cpu, auto))?, Some(1 << 30));
        Ok(())
    }
}
