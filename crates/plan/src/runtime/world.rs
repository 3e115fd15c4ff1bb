//! How many ranks: what is asked for, or a refusal. Never fewer.

use super::branch::Branch;
use super::device::gpus_told;
use super::probe::{Launch, MIB, Probe};
use super::profile::{Backend, Trail};
use super::request::Request;
use crate::{Message, Refusal, WorldSize, message};

/// Bytes of memory that a rank's worker needs at least.
pub const WORKER_MEMORY: u64 = 64 * MIB;
/// The most workers that a page starts.
pub const MAX_WORKERS: usize = 8;

const DEFAULT_RANKS: usize = 4;

pub(super) fn decide(
    probe: &Probe,
    request: &Request,
    backend: Backend,
    trail: &mut Trail,
) -> Result<WorldSize, Refusal> {
    let asked = request.world_size.map(WorldSize::new).transpose();
    let asked = asked.inspect_err(|_| trail.at(Branch::NoSuchSize))?.map(WorldSize::get);
    let ranks = match (backend, probe.launch) {
        (Backend::Mpi, launch) => launched(asked, processes(launch), trail)?,
        (Backend::Nccl, Launch::Mpi { size, local_size, .. }) if size > 1 => {
            one_a_gpu(local_size, probe, trail)?;
            launched(asked, size, trail)?
        }
        (Backend::Nccl, _) => {
            let ranks = asked.unwrap_or_else(|| gpus(probe));
            one_a_gpu(ranks, probe, trail)?;
            trail.at(Branch::OneAGpu);
            trail.took(ranks.to_string(), message!("one rank a GPU"));
            ranks
        }
        (Backend::Threads, _) => share_cores(asked, probe, trail),
        (Backend::Workers, _) => {
            let most = most_workers(probe);
            if let Some(ranks) = asked.filter(|&ranks| ranks > most) {
                trail.at(Branch::NoRoom);
                return Err(too_many(
                    ranks,
                    message!("this page has room for {most} workers", most),
                    most,
                ));
            }
            share_cores(asked.or(Some(DEFAULT_RANKS.min(most))), probe, trail)
        }
    };
    WorldSize::new(ranks)
}

fn processes(launch: Launch) -> usize {
    match launch {
        Launch::Alone => 1,
        Launch::Mpi { size, .. } => size,
    }
}

fn gpus(probe: &Probe) -> usize {
    probe.cuda().map_or(0, <[_]>::len)
}

/// The launcher has already decided; asking for another number is an error.
fn launched(asked: Option<usize>, size: usize, trail: &mut Trail) -> Result<usize, Refusal> {
    match asked {
        Some(ranks) if ranks != size => {
            trail.at(Branch::AnotherSize);
            Err(Refusal::new(
                "world_size",
                ranks,
                message!("MPI started {size}", size),
                message!("start it with mpirun -n {ranks}, or ask for {size}", ranks, size),
            ))
        }
        Some(_) | None => {
            trail.at(Branch::Launched);
            trail.took(size.to_string(), message!("as many as MPI started"));
            Ok(size)
        }
    }
}

fn one_a_gpu(ranks: usize, probe: &Probe, trail: &mut Trail) -> Result<(), Refusal> {
    let gpus = gpus(probe);
    if ranks <= gpus {
        return Ok(());
    }
    trail.at(Branch::MoreThanGpus);
    let reason =
        message!("NCCL takes one GPU a rank, and this machine has {gpus}", gpus = gpus_told(gpus));
    Err(too_many(ranks, reason, gpus))
}

fn share_cores(asked: Option<usize>, probe: &Probe, trail: &mut Trail) -> usize {
    trail.at(Branch::ShareCores);
    let ranks = asked.unwrap_or(DEFAULT_RANKS);
    let cores = match probe.cores {
        1 => message!("1 core"),
        cores => message!("{cores} cores", cores),
    };
    trail.took(
        ranks.to_string(),
        if ranks > probe.cores {
            message!("more ranks than {cores}: they take turns", cores)
        } else {
            message!("{cores} suffice", cores)
        },
    );
    ranks
}

fn most_workers(probe: &Probe) -> usize {
    let room = probe.memory.map_or(MAX_WORKERS as u64, |bytes| (bytes / WORKER_MEMORY).max(1));
    MAX_WORKERS.min(usize::try_from(room).unwrap_or(MAX_WORKERS))
}

fn too_many(ranks: usize, reason: Message, most: usize) -> Refusal {
    Refusal::new("world_size", ranks, reason, message!("ask for {most} or fewer", most))
}
