//! How the ranks talk.

use super::branch::Branch;
use super::probe::{Browser, Launch, Place, Probe, Support, WhyNoCuda};
use super::profile::{Backend, Device, Trail};
use super::request::{BackendChoice, Request};
use crate::{Message, Refusal, message};

pub(super) fn decide(
    probe: &Probe,
    request: &Request,
    device: Device,
    trail: &mut Trail,
) -> Result<Backend, Refusal> {
    let wish = match (request.backend, request.force_cpu) {
        (BackendChoice::Nccl, true) => {
            trail.overruled(
                "backend = nccl",
                message!("force_cpu outranks it, and NCCL moves GPU memory"),
            );
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
        return Err(refuse(
            name,
            message!("in a page a rank is a web worker"),
            message!("use backend workers"),
        ));
    }
    if browser.workers == Support::Absent || browser.simd == Support::Absent {
        trail.at(Branch::NoWorkers);
    }
    if browser.workers == Support::Absent {
        let why = message!("this browser has no module workers, and a rank is one");
        return Err(refuse(
            "workers",
            why,
            message!("use a current browser, or run the native program"),
        ));
    }
    if browser.simd == Support::Absent {
        let why =
            message!("this browser has no WebAssembly SIMD, which the rank worker is built for");
        return Err(refuse(
            "workers",
            why,
            message!("use a current browser, or run the native program"),
        ));
    }
    trail.at(Branch::Workers);
    trail.took(
        "workers",
        match browser.isolation {
            Support::Present => {
                message!("a page; messages travel on ports, so its isolation is not needed")
            }
            Support::Absent => {
                message!("a page; messages travel on ports, so no isolation is needed")
            }
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
            let why = message!("workers belong to a page, and this is a native program");
            Err(refuse("workers", why, message!("use backend threads")))
        }
        BackendChoice::Threads => {
            never_alone(probe, "threads", trail)?;
            trail.at(Branch::Threads);
            trail.took("threads", message!("it was asked for"));
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
                message!(
                    "{launcher} started {size} processes, and each would believe that it is alone",
                    launcher = launcher.name(),
                    size
                ),
                match probe.build.mpi {
                    Support::Present => message!("use backend mpi, or start one process"),
                    Support::Absent => message!("build with --features mpi, or start one process"),
                },
            ))
        }
        Launch::Mpi { .. } | Launch::Alone => Ok(()),
    }
}

fn mpi(probe: &Probe, trail: &mut Trail) -> Result<Backend, Refusal> {
    if probe.build.mpi == Support::Absent {
        trail.at(Branch::NoMpi);
        let why = message!("this program is built without MPI");
        return Err(refuse(
            "mpi",
            why,
            message!("build with --features mpi, or use backend threads"),
        ));
    }
    match probe.launch {
        Launch::Alone => {
            trail.at(Branch::NoMpi);
            Err(refuse(
                "mpi",
                message!("no MPI launcher started this process"),
                message!("start it with mpirun -n W, or use backend threads"),
            ))
        }
        Launch::Mpi { launcher, size, .. } => {
            trail.at(Branch::Mpi);
            let processes = match size {
                1 => message!("1 process"),
                _ => message!("{size} processes", size),
            };
            let why =
                message!("{launcher} started {processes}", launcher = launcher.name(), processes);
            trail.took("mpi", why);
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
            Ok(_) => message!("NCCL moves GPU memory, and the device is the CPU"),
            Err(why) => why.reason(),
        };
        let works = match probe.cuda() {
            Err(WhyNoCuda::NotCompiled) => {
                message!("build with --features nccl, or use backend auto")
            }
            Ok(_) | Err(_) => message!("use backend auto"),
        };
        return Err(refuse("nccl", why, works));
    }
    if probe.build.nccl == Support::Absent {
        let why = message!("this program is built without NCCL");
        return Err(refuse(
            "nccl",
            why,
            message!("build with --features nccl, or use backend threads"),
        ));
    }
    if let Launch::Mpi { size, .. } = probe.launch
        && size > 1
        && probe.build.mpi == Support::Absent
    {
        never_alone(probe, "nccl", trail)?;
    }
    trail.at(Branch::Nccl);
    trail.took("nccl", message!("it was asked for, and the device is a GPU"));
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
                    trail.took("nccl", message!("one rank a GPU; MPI started the processes"));
                    return Ok(Backend::Nccl);
                }
            }
            Launch::Mpi { .. } | Launch::Alone if gpus > 1 && fits => {
                trail.at(Branch::Nccl);
                trail.took("nccl", message!("one rank a GPU, and there are {gpus}", gpus));
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
            (Device::Cpu, _) => message!("one process; each rank is a thread"),
            (Device::Cuda, Some(world)) if gpus > 1 && world > gpus => message!(
                "{world} ranks are more than {gpus} GPUs, one rank a GPU is not to be had; they \
                 share the first, each a thread",
                world,
                gpus
            ),
            (Device::Cuda, _) => {
                message!("one process; the ranks share the first GPU, each a thread")
            }
        },
    );
    Ok(Backend::Threads)
}

fn refuse(value: &str, reason: Message, works: Message) -> Refusal {
    Refusal::new("backend", value, reason, works)
}
