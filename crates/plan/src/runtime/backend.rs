//! How the ranks talk.

use super::branch::Branch;
use super::device::count;
use super::probe::{Browser, Launch, Place, Probe, Support, WhyNoCuda};
use super::profile::{Backend, Device, Trail};
use super::request::{BackendChoice, Request};
use crate::Refusal;

pub(super) fn decide(
    probe: &Probe,
    request: &Request,
    device: Device,
    trail: &mut Trail,
) -> Result<Backend, Refusal> {
    let wish = match (request.backend, request.force_cpu) {
        (BackendChoice::Nccl, true) => {
            trail.overruled("backend = nccl", "force_cpu outranks it, and NCCL moves GPU memory");
            BackendChoice::Auto
        }
        (wish, _) => wish,
    };
    match probe.place {
        Place::Browser(browser) => in_a_page(browser, wish, trail),
        Place::Native => natively(probe, request, device, wish, trail),
    }
}

fn in_a_page(browser: Browser, wish: BackendChoice, trail: &mut Trail) -> Result<Backend, Refusal> {
    let wished = match wish {
        BackendChoice::Auto | BackendChoice::Workers => None,
        BackendChoice::Threads => Some("threads"),
        BackendChoice::Mpi => Some("mpi"),
        BackendChoice::Nccl => Some("nccl"),
    };
    if let Some(name) = wished {
        trail.at(Branch::NotInAPage);
        return Err(refuse(name, "in a page a rank is a web worker", "use backend workers"));
    }
    if browser.workers == Support::Absent || browser.simd == Support::Absent {
        trail.at(Branch::NoWorkers);
    }
    if browser.workers == Support::Absent {
        let why = "this browser has no module workers, and a rank is one";
        return Err(refuse("workers", why, "use a current browser, or run the native program"));
    }
    if browser.simd == Support::Absent {
        let why = "this browser has no WebAssembly SIMD, which the rank worker is built for";
        return Err(refuse("workers", why, "use a current browser, or run the native program"));
    }
    trail.at(Branch::Workers);
    trail.took(
        "workers",
        match browser.isolation {
            Support::Present => "a page; messages travel on ports, so its isolation is not needed",
            Support::Absent => "a page; messages travel on ports, so no isolation is needed",
        },
    );
    Ok(Backend::Workers)
}

fn natively(
    probe: &Probe,
    request: &Request,
    device: Device,
    wish: BackendChoice,
    trail: &mut Trail,
) -> Result<Backend, Refusal> {
    match wish {
        BackendChoice::Workers => {
            trail.at(Branch::OnlyInAPage);
            let why = "workers belong to a page, and this is a native program";
            Err(refuse("workers", why, "use backend threads"))
        }
        BackendChoice::Threads => {
            never_alone(probe, "threads", trail)?;
            trail.at(Branch::Threads);
            trail.took("threads", "it was asked for");
            Ok(Backend::Threads)
        }
        BackendChoice::Mpi => mpi(probe, trail),
        BackendChoice::Nccl => nccl(probe, device, trail),
        BackendChoice::Auto => automatic(probe, request, device, trail),
    }
}

/// Refuses a backend without messages between processes where a launcher started several: each
/// would train the whole run by itself and believe that it is rank 0 of 1.
fn never_alone(probe: &Probe, backend: &str, trail: &mut Trail) -> Result<(), Refusal> {
    match probe.launch {
        Launch::Mpi { launcher, size, .. } if size > 1 => {
            trail.at(Branch::Alone);
            Err(refuse(
                backend,
                format!(
                    "{} started {size} processes, and each would believe that it is alone",
                    launcher.name()
                ),
                match probe.build.mpi {
                    Support::Present => "use backend mpi, or start one process",
                    Support::Absent => "build with --features mpi, or start one process",
                },
            ))
        }
        Launch::Mpi { .. } | Launch::Alone => Ok(()),
    }
}

fn mpi(probe: &Probe, trail: &mut Trail) -> Result<Backend, Refusal> {
    if probe.build.mpi == Support::Absent {
        trail.at(Branch::NoMpi);
        let why = "this program is built without MPI";
        return Err(refuse("mpi", why, "build with --features mpi, or use backend threads"));
    }
    match probe.launch {
        Launch::Alone => {
            trail.at(Branch::NoMpi);
            Err(refuse(
                "mpi",
                "no MPI launcher started this process",
                "start it with mpirun -n W, or use backend threads",
            ))
        }
        Launch::Mpi { launcher, size, .. } => {
            trail.at(Branch::Mpi);
            let why = format!("{} started {}", launcher.name(), count(size, "process"));
            trail.took("mpi", why.replace("processs", "processes"));
            Ok(Backend::Mpi)
        }
    }
}

fn nccl(probe: &Probe, device: Device, trail: &mut Trail) -> Result<Backend, Refusal> {
    if device == Device::Cpu || probe.build.nccl == Support::Absent {
        trail.at(Branch::NoNccl);
    }
    if device == Device::Cpu {
        let why = match probe.cuda() {
            Ok(_) => "NCCL moves GPU memory, and the device is the CPU",
            Err(why) => why.reason(),
        };
        let works = match probe.cuda() {
            Err(WhyNoCuda::NotCompiled) => "build with --features nccl, or use backend auto",
            Ok(_) | Err(_) => "use backend auto",
        };
        return Err(refuse("nccl", why, works));
    }
    if probe.build.nccl == Support::Absent {
        let why = "this program is built without NCCL";
        return Err(refuse("nccl", why, "build with --features nccl, or use backend threads"));
    }
    if let Launch::Mpi { size, .. } = probe.launch
        && size > 1
        && probe.build.mpi == Support::Absent
    {
        never_alone(probe, "nccl", trail)?;
    }
    trail.at(Branch::Nccl);
    trail.took("nccl", "it was asked for, and the device is a GPU");
    Ok(Backend::Nccl)
}

fn automatic(
    probe: &Probe,
    request: &Request,
    device: Device,
    trail: &mut Trail,
) -> Result<Backend, Refusal> {
    let launched = matches!(probe.launch, Launch::Mpi { size, .. } if size > 1);
    if device == Device::Cuda && probe.build.nccl == Support::Present {
        let gpus = probe.cuda().map_or(0, <[_]>::len);
        let fits = request.world_size.is_none_or(|world| world <= gpus);
        match probe.launch {
            Launch::Mpi { size, local_size, .. } if size > 1 => {
                if local_size <= gpus && probe.build.mpi == Support::Present {
                    trail.at(Branch::Nccl);
                    trail.took("nccl", "one rank a GPU; MPI started the processes");
                    return Ok(Backend::Nccl);
                }
            }
            Launch::Mpi { .. } | Launch::Alone if gpus > 1 && fits => {
                trail.at(Branch::Nccl);
                trail.took("nccl", format!("one rank a GPU, and there are {gpus}"));
                return Ok(Backend::Nccl);
            }
            Launch::Mpi { .. } | Launch::Alone => {}
        }
    }
    if launched {
        if probe.build.mpi == Support::Absent {
            never_alone(probe, "auto", trail)?;
        }
        return mpi(probe, trail);
    }
    trail.at(Branch::Threads);
    let gpus = probe.cuda().map_or(0, <[_]>::len);
    trail.took(
        "threads",
        match (device, request.world_size) {
            (Device::Cpu, _) => "one process; each rank is a thread".to_owned(),
            (Device::Cuda, Some(world)) if gpus > 1 && world > gpus => format!(
                "{world} ranks are more than {gpus} GPUs, one rank a GPU is not to be had; they \
                 share the first, each a thread"
            ),
            (Device::Cuda, _) => {
                "one process; the ranks share the first GPU, each a thread".to_owned()
            }
        },
    );
    Ok(Backend::Threads)
}

fn refuse(value: &str, reason: impl Into<String>, works: &str) -> Refusal {
    Refusal::new("backend", value, reason, works)
}
