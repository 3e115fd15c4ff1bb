//! Where a run runs: what is asked of this machine, decided by `plan`'s detection, and opened.

pub mod cuda;
mod devices;

use plan::runtime::{
    Backend, Build, Decision, Detection, Device, Gpus, Launch, Probe, Request, RuntimeProfile,
    Standing, Step, Support, detect,
};
use plan::{Refusal, WorldSize};

pub use devices::Devices;

use crate::args::MachineArgs;
use crate::probe;

/// Where a run runs, and how that came about.
#[derive(Debug)]
pub struct Place {
    /// Device, backend and number of ranks.
    pub profile: RuntimeProfile,
    /// The devices, opened.
    pub devices: Devices,
    /// Bytes for all ranks together, where the system tells.
    pub memory: Option<u64>,
    /// One line that says where it runs, and why.
    pub line: String,
    /// Whether this process prints and writes for all ranks.
    pub is_root: bool,
}

/// What was compiled into this program.
pub fn build() -> Build {
    Build { mpi: Support::of(cfg!(feature = "mpi")), ..cuda::build() }
}

/// The place of a run of `world` ranks; refused where this program or machine cannot have it.
pub fn resolve(asked: &MachineArgs, world: WorldSize) -> Result<Place, Refusal> {
    let probe = probe::this(build());
    let detection = decide(&probe, asked, world);
    let profile = detection.profile()?;
    check_processes(&profile, &probe)?;
    Ok(Place {
        profile,
        devices: Devices::open(&profile)?,
        memory: memory(&profile, &probe),
        line: line(&detection),
        is_root: match (profile.backend, probe.launch) {
            (Backend::Mpi, Launch::Mpi { rank, .. }) => rank == 0,
            _ => true,
        },
    })
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

fn decide(probe: &Probe, asked: &MachineArgs, world: WorldSize) -> Detection {
    detect(probe, &Request { world_size: Some(world.get()), ..request(asked) })
}

/// Refuses what detection knows and this program does not do: GPUs in several processes.
fn check_processes(profile: &RuntimeProfile, probe: &Probe) -> Result<(), Refusal> {
    let launched = matches!(probe.launch, Launch::Mpi { size, .. } if size > 1);
    let reason = match (profile.device, profile.backend) {
        (Device::Cuda, Backend::Mpi) => "here MPI carries tensors of the CPU alone",
        (Device::Cuda, Backend::Nccl) if launched => "here NCCL joins the GPUs of one process",
        _ => return Ok(()),
    };
    Err(Refusal::new(
        "backend",
        profile.backend.name(),
        reason,
        "add --force-cpu, or start one process",
    ))
}

/// What the ranks share: the machine's memory, the first GPU's, or those of as many as there are
/// ranks.
fn memory(profile: &RuntimeProfile, probe: &Probe) -> Option<u64> {
    let gpus = match (&probe.gpus, profile.device) {
        (Gpus::Devices(gpus), Device::Cuda) => gpus,
        _ => return probe.memory,
    };
    let used = if profile.backend == Backend::Nccl { profile.world_size.get() } else { 1 };
    gpus.iter().take(used).map(|gpu| gpu.memory).sum()
}

/// `device cpu (..); backend threads (..)`.
fn line(detection: &Detection) -> String {
    let [device, backend] = [Step::Device, Step::Backend].map(|step| part(&detection.trail, step));
    format!("device {device}; backend {backend}")
}

/// `cpu (force_cpu is set; device = cuda: force_cpu outranks it)`.
fn part(trail: &[Decision], step: Step) -> String {
    let of = |standing| trail.iter().filter(move |d| d.step == step && d.standing == standing);
    let taken = of(Standing::Taken).map(|d| d.choice.as_str()).collect::<Vec<_>>().join(", ");
    let why = of(Standing::Taken).map(|d| d.reason.to_string());
    let overruled = of(Standing::Overruled).map(|d| format!("{}: {}", d.choice, d.reason));
    let reasons: Vec<_> = why.chain(overruled).collect();
    format!("{taken} ({})", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{BackendName, DeviceName};
    use plan::runtime::{Gpu, Launcher, Place as Surroundings};

    fn machine(build: Build, gpus: Gpus) -> Probe {
        let memory = Some(1 << 30);
        let place = Surroundings::Native;
        Probe { place, build, gpus, launch: Launch::Alone, cores: 4, memory }
    }

    fn gpus(count: usize) -> Gpus {
        let gpu = Gpu { name: "NVIDIA T4".to_owned(), memory: Some(16 << 30) };
        Gpus::Devices(vec![gpu; count])
    }

    fn wish(device: DeviceName, backend: BackendName) -> MachineArgs {
        MachineArgs { device: Some(device), backend: Some(backend), force_cpu: false }
    }

    fn on(asked: &MachineArgs, probe: &Probe) -> Detection {
        decide(probe, asked, WorldSize::new(4).expect("a small world"))
    }

    fn refused(asked: &MachineArgs, probe: &Probe) -> String {
        on(asked, probe).profile().expect_err("it must be refused").to_string()
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
    }

    #[test]
    fn a_backend_that_is_not_built_in_is_refused_by_name() {
        for (backend, name) in [(BackendName::Mpi, "mpi"), (BackendName::Nccl, "nccl")] {
            let text = refused(&wish(DeviceName::Auto, backend), &machine(Build::PLAIN, gpus(0)));
            assert!(text.contains(&format!("backend = {name}")), "{text}");
        }
    }

    #[test]
    fn gpus_in_several_processes_are_refused() -> Result<(), Refusal> {
        let launch = Launch::Mpi { launcher: Launcher::OpenMpi, rank: 1, size: 4, local_size: 4 };
        let probe = Probe { launch, ..machine(Build::FULL, gpus(4)) };
        for backend in [BackendName::Mpi, BackendName::Nccl] {
            let profile = on(&wish(DeviceName::Cuda, backend), &probe).profile()?;
            let refusal = check_processes(&profile, &probe).expect_err("it is not built");
            assert_eq!(
                (refusal.field.as_str(), refusal.value.to_string().as_str()),
                ("backend", profile.backend.name())
            );
        }
        let cpu = on(&wish(DeviceName::Cpu, BackendName::Mpi), &probe).profile()?;
        check_processes(&cpu, &probe)
    }

    #[test]
    fn ranks_that_share_a_gpu_share_its_memory() -> Result<(), Refusal> {
        let probe = machine(Build::FULL, gpus(4));
        let memory = |asked: &MachineArgs| Ok(memory(&on(asked, &probe).profile()?, &probe));
        let auto = BackendName::Auto;
        assert_eq!(memory(&wish(DeviceName::Cuda, BackendName::Threads))?, Some(16 << 30));
        assert_eq!(memory(&wish(DeviceName::Cuda, auto))?, Some(64 << 30));
        assert_eq!(memory(&wish(DeviceName::Cpu, auto))?, Some(1 << 30));
        Ok(())
    }

    #[test]
    fn the_line_names_device_and_backend_with_their_reasons() {
        let plain = on(&MachineArgs::default(), &machine(Build::FULL, Gpus::NoDriver));
        assert_eq!(
            line(&plain),
            "device cpu (there is no NVIDIA driver on this machine); \
             backend threads (one process; each rank is a thread)"
        );
        let forced = MachineArgs { force_cpu: true, ..wish(DeviceName::Cuda, BackendName::Nccl) };
        let text = line(&on(&forced, &machine(Build::FULL, gpus(4))));
        for word in [
            "device cpu (force_cpu is set; device = cuda: ",
            "backend threads (",
            "backend = nccl: ",
        ] {
            assert!(text.contains(word), "no `{word}` in {text}");
        }
    }
}
