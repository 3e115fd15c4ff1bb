//! Runs one program on every rank of a world, and finds out why it failed.

mod mpi;
mod nccl;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::{Duration, Instant};

use candle_core::Device;
use comm::{CommError, Fault, ProcessGroup, Recorder, Traced, threads};
use futures::FutureExt;
use parallel::ParallelError;
use plan::runtime::Backend;
use train::TrainError;

use crate::device::{Devices, Place};

/// A thread that ends tells the others at once, so this only guards against ranks that wait for
/// each other; one tile of a very long sequence may well take minutes.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// What a rank's program is given.
pub struct Seat {
    /// The world, every message of it recorded.
    pub world: Rc<dyn ProcessGroup>,
    /// This rank's events.
    pub recorder: Rc<Recorder>,
    /// Where this rank computes.
    pub device: Device,
}

/// Why a rank's program ended early.
#[derive(Debug)]
pub enum Stop {
    /// An error of its own, or the echo of another rank's.
    Train(TrainError),
    /// Nobody listens any more to what it reports.
    Unheard,
}

impl<E: Into<TrainError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Train(error.into())
    }
}

/// Why the world failed: the first cause, not its echoes on other ranks.
#[derive(Debug, thiserror::Error)]
pub enum RankFailure {
    /// A rank's program returned an error.
    #[error("rank {rank} failed")]
    Train {
        /// The rank within the world.
        rank: usize,
        /// Its error.
        source: TrainError,
    },
    /// A rank's program panicked.
    #[error("rank {rank} panicked: {text}")]
    Panic {
        /// The rank within the world.
        rank: usize,
        /// What it panicked with.
        text: String,
    },
    /// The ranks stopped because nobody listened to them.
    #[error("the ranks were stopped")]
    Unheard,
}

/// What the ranks' events are timed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time on the wall: one clock for all, so that their events can be laid side by side.
    Wall,
    /// The time that each rank's own thread has computed, whatever else the cores were doing.
    Computing,
}

/// How a run is timed.
#[derive(Clone, Copy, Debug)]
struct Times {
    clock: Clock,
    /// When the run began.
    epoch: Instant,
}

/// Runs `program` on every rank of `place` that is in this process, each a thread, and returns
/// what each gave in order. Under MPI that is one, and the others run in their own processes.
pub fn run<T, F>(place: &Place, clock: Clock, program: F) -> Result<Vec<T>, RankFailure>
where
    T: Send,
    F: AsyncFn(Seat) -> Result<T, Stop> + Sync,
{
    let times = Times { clock, epoch: Instant::now() };
    let ends = match (place.profile.backend, &place.devices) {
        (Backend::Mpi, Devices::Shared(device)) => mpi::run(device, clock, &program)?,
        (_, Devices::Shared(device)) => {
            threads::run(place.profile.world_size, TIMEOUT, async |group| {
                sit(group, device.clone(), times, &program).await
            })
        }
        (_, Devices::OneEach(devices)) => nccl::run(devices, times, &program)?,
    };
    let (mut values, mut failures) = (Vec::new(), Vec::new());
    for end in ends {
        match end {
            End::Value(value) => values.push(value),
            End::Failed(failure) => failures.push(failure),
        }
    }
    match failures.into_iter().min_by_key(echo) {
        Some(first) => Err(first),
        None => Ok(values),
    }
}

/// Runs a rank's program on its thread; a panic ends this rank and not the process.
async fn sit<G, T, F>(group: G, device: Device, times: Times, program: &F) -> End<T>
where
    G: ProcessGroup + 'static,
    F: AsyncFn(Seat) -> Result<T, Stop>,
{
    let (rank, epoch) = (group.rank().index(), times.epoch);
    let recorder = match times.clock {
        Clock::Wall => Recorder::new(rank, move || epoch.elapsed().as_micros() as u64),
        Clock::Computing => Recorder::new(rank, move || computed_us(epoch)),
    };
    let world = Rc::new(Traced::new(group, recorder.clone()));
    let seat = Seat { world: world.clone(), recorder, device };
    let failure = match AssertUnwindSafe(program(seat)).catch_unwind().await {
        Ok(Ok(value)) => return End::Value(value),
        Ok(Err(Stop::Train(source))) => RankFailure::Train { rank, source },
        Ok(Err(Stop::Unheard)) => RankFailure::Unheard,
        Err(panic) => RankFailure::Panic { rank, text: text(panic.as_ref()) },
    };
    world.abort(&failure.cause().to_string());
    End::Failed(failure)
}

#[cfg(unix)]
fn computed_us(_epoch: Instant) -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// Where the system does not tell, the time on the wall is the nearest to it.
#[cfg(not(unix))]
fn computed_us(epoch: Instant) -> u64 {
    epoch.elapsed().as_micros() as u64
}

impl RankFailure {
    /// What the other ranks are told.
    fn cause(&self) -> &dyn std::fmt::Display {
        match self {
            Self::Train { source, .. } => source,
            Self::Panic { .. } | Self::Unheard => self,
        }
    }
}

enum End<T> {
    Value(T),
    Failed(RankFailure),
}

/// How far a failure is from being a cause: 0 is one.
fn echo(failure: &RankFailure) -> u8 {
    let fault = |error: &CommError| match error {
        CommError::Exchange { fault: Fault::PeerStopped, .. } | CommError::Transport { .. } => 2,
        CommError::Exchange { fault: Fault::Timeout, .. } => 1,
        _ => 0,
    };
    match failure {
        RankFailure::Train { source: TrainError::Comm(error), .. } => fault(error),
        RankFailure::Train { source: TrainError::Parallel(ParallelError::Comm(error)), .. } => {
            fault(error)
        }
        RankFailure::Train { .. } | RankFailure::Panic { .. } => 0,
        RankFailure::Unheard => 3,
    }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let known = panic.downcast_ref::<&str>().map(ToString::to_string);
    known
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "with something that is not text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::MachineArgs;
    use crate::device;
    use plan::WorldSize;

    /// A world of threads on the CPU.
    fn world(size: usize) -> Place {
        device::resolve(&MachineArgs::CPU, WorldSize::new(size).expect("a small world"))
            .expect("a CPU")
    }

    async fn barrier(seat: &Seat) -> Result<(), Stop> {
        Ok(seat.world.barrier().await?)
    }

    #[test]
    fn values_come_in_order_of_the_ranks() {
        let ranks = run(&world(3), Clock::Wall, async |seat| {
            barrier(&seat).await?;
            Ok(seat.world.rank().index())
        });
        assert_eq!(ranks.expect("nobody fails"), [0, 1, 2]);
    }

    #[test]
    fn the_first_cause_is_named_and_not_its_echo() {
        let failure = run(&world(3), Clock::Wall, async |seat| {
            if seat.world.rank().index() == 1 {
                let (loss, grad_norm) = (f64::NAN, f64::NAN);
                return Err(Stop::Train(TrainError::Diverged { step: 4, loss, grad_norm }));
            }
            barrier(&seat).await
        });
        let text = format!("{:#}", anyhow::Error::from(failure.expect_err("rank 1 fails")));
        assert!(text.starts_with("rank 1 failed: step 5: the loss is NaN"), "{text}");
        assert_eq!(text.matches("the loss").count(), 1, "{text}");
    }

    #[test]
    fn the_text_of_a_panic_is_kept() {
        let failure = run(&world(3), Clock::Wall, async |seat| {
            assert!(seat.world.rank().index() != 2, "out of cheese");
            barrier(&seat).await
        });
        let text = failure.expect_err("rank 2 panics").to_string();
        assert_eq!(text, "rank 2 panicked: out of cheese");
    }
}
