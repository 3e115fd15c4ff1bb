//! The gradients' sums run beside the backward pass: they begin there, tell no time twice, and what
//! holds up or ends a rank does so to them as well.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use candle_core::{DType, Device, Tensor};
use comm::{Fault, Gate, Gated, Lane, ProcessGroup, Tag, Wanted, threads};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use parallel::grad_sync::Reduction;
use parallel::{ParallelError, Result as ParallelResult};
use plan::event::Compute;
use plan::{Axis, EventKind, Op, RunConfig, RunPlan, StrategyKind, WorldSize};

use crate::support::{TIMEOUT, bits, on_ranks, small};

const SHORT: Duration = Duration::from_millis(400);

/// The runs that are looked at: every strategy, replicas, micro-batches.
fn runs() -> Vec<RunConfig> {
    let config = RunConfig { layers: 3, ..small() };
    let mut runs: Vec<_> =
        StrategyKind::ALL.map(|strategy| RunConfig { cp: 4, strategy, ..config.clone() }).into();
    runs.push(RunConfig { dp: 2, batch: 2, grad_accum: 2, ..config.clone() });
    runs.push(RunConfig { cp: 2, dp: 2, ..config });
    runs
}

#[test]
fn every_piece_but_the_last_begins_before_the_backward_pass_ends() -> Result<()> {
    for config in runs() {
        let pieces = RunPlan::new(config.clone())?.bucket_pieces().len();
        ensure!(pieces > 1, "nothing to run beside: {config:?}");
        for (_, events) in on_ranks(&config, async |trainer| Ok(trainer.step().await?))? {
            let is_backward =
                |k: &EventKind| matches!(k, EventKind::Compute { what: Compute::Backward, .. });
            let end = events.iter().rposition(|e| is_backward(&e.kind)).unwrap_or_default();
            let mut begun: Vec<u32> = events[..end]
                .iter()
                .filter_map(|event| match event.kind {
                    EventKind::Send { op: Op::AllReduce, seq, .. } => Some(seq),
                    _ => None,
                })
                .collect();
            begun.sort_unstable();
            begun.dedup();
            ensure!(begun.len() == pieces - 1, "{begun:?} of {pieces} pieces: {config:?}");
        }
    }
    Ok(())
}

#[test]
fn no_microsecond_is_told_twice() -> Result<()> {
    for config in runs() {
        for (_, events) in on_ranks(&config, async |trainer| Ok(trainer.step().await?))? {
            let mut spans: Vec<(u64, u64)> = events
                .iter()
                .filter(|event| {
                    matches!(
                        event.kind,
                        EventKind::Tile { .. } | EventKind::Compute { .. } | EventKind::Recv { .. }
                    )
                })
                .map(|event| (event.start_us(), event.at_us))
                // What takes no time may lie anywhere.
                .filter(|(start, end)| start < end)
                .collect();
            spans.sort_unstable();
            for pair in spans.windows(2) {
                // Each end is rounded down to a microsecond of its own reading of the clock.
                ensure!(pair[0].1 <= pair[1].0 + 2, "{pair:?}: {config:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn all_ranks_get_the_same_bits_in_every_run() -> Result<()> {
    let config = RunConfig { cp: 3, heads: 6, d_model: 24, layers: 3, ..small() };
    let run = || {
        on_ranks(&config, async |trainer| {
            for _ in 0..3 {
                trainer.step().await?;
            }
            trainer
                .model()
                .vars()
                .iter()
                .map(|var| bits(var.as_tensor()))
                .collect::<Result<Vec<_>>>()
        })
    };
    let first = run()?;
    for (parameters, _) in first.iter().chain(&run()?) {
        ensure!(*parameters == first[0].0, "ranks or runs have parted");
    }
    Ok(())
}

#[test]
fn a_rank_that_stops_ends_the_sums_of_the_others() -> Result<()> {
    let ends = threads::run(WorldSize::new(3)?, TIMEOUT, async |group| {
        let piece = [Tensor::ones(12, DType::F32, &Device::Cpu)?];
        if group.rank().index() == 2 {
            group.abort("it has had enough");
            return Ok(());
        }
        let mut sums = Reduction::new(&group, &piece);
        sums.begin(0).await?;
        // The program itself waits for what never comes; the sum's error ends that.
        sums.beside(std::future::pending::<ParallelResult<()>>()).await
    });
    for (rank, end) in ends.into_iter().enumerate().take(2) {
        let Err(ParallelError::Comm(error)) = end else { anyhow::bail!("rank {rank}: {end:?}") };
        let comm::CommError::Exchange { fault, .. } = &error else { anyhow::bail!("{error}") };
        ensure!(*fault == Fault::PeerStopped, "{error}");
        let text = error.to_string();
        ensure!(text.contains("all_reduce #0"), "{text}");
        // Rank 1 may hear of it from rank 0, whose program ends first.
        ensure!(rank == 1 || text.contains("it has had enough"), "{text}");
    }
    Ok(())
}

#[test]
fn a_sum_that_nobody_joins_is_told_by_its_name() -> Result<()> {
    let ends = threads::run(WorldSize::new(2)?, SHORT, async |group| {
        if group.rank().index() == 1 {
            std::thread::sleep(2 * SHORT);
            return Ok(());
        }
        let piece = Tensor::ones(12, DType::F32, &Device::Cpu)?;
        Lane::new(&group, 1).all_reduce(&piece).await.map(drop)
    });
    let error = ends.into_iter().next().and_then(Result::err).map(|error| error.to_string());
    ensure!(error.is_some_and(|e| e.contains("all_reduce #0") && e.contains("nothing for 0.4 s")));
    Ok(())
}

/// A gate at which the rank stands until a moment.
struct Until(Instant);

impl Gate for Until {
    fn pass(&self) -> LocalBoxFuture<'_, ()> {
        // Polled again by the executor's tick.
        poll_fn(|_| if Instant::now() < self.0 { Poll::Pending } else { Poll::Ready(()) })
            .boxed_local()
    }
}

#[test]
fn nobody_loses_patience_with_a_sum_while_its_rank_is_held() -> Result<()> {
    let held = 3 * SHORT;
    let ends = threads::run(WorldSize::new(2)?, SHORT, async |group| {
        let is_late = group.rank().index() == 1;
        let group = Gated::new(group, Rc::new(Until(Instant::now() + held)));
        let pieces = [1, 2].map(|n| Tensor::ones(n, DType::F32, &Device::Cpu));
        let pieces = pieces.into_iter().collect::<Result<Vec<_>, _>>()?;
        let peer = group.size().hop(group.rank(), 1);
        let mut sums = Reduction::new(&group, &pieces);
        if is_late {
            // Its part of the sum comes only after the other rank was held for long.
            std::thread::sleep(held);
        }
        sums.begin(1).await?;
        let tag = Tag { axis: Axis::Ring, op: Op::RingKv, seq: 0, block: None, lane: 0 };
        let exchanged = RefCell::new(None);
        sums.beside(async {
            group.isend(peer, tag, &pieces[0])?;
            let block = group.irecv(peer, Wanted::like(tag, &pieces[0])).wait().await?;
            exchanged.replace(Some(block));
            Ok(())
        })
        .await?;
        let sums = sums.finish(&[3.0]).await?;
        anyhow::Ok((sums.extras, bits(&sums.pieces[1])?, exchanged.take().is_some()))
    });
    for end in ends {
        ensure!(end? == (vec![6.0], vec![2f32.to_bits(); 2], true));
    }
    Ok(())
}
