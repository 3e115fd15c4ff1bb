//! Trains a little that nobody sees, so that the browser has compiled what a step needs when the
//! user asks for one: all workers share the code that one of them made it compile. This one is both
//! ranks of a small ring; the page ends it when the ranks are wanted.

use std::rc::Rc;

use candle_core::Device;
use comm::Recorder;
use futures::future::join;
use plan::{RunConfig, RunPlan};
use train::Trainer;

use super::desk;
use super::world::Seat;
use crate::cluster::ports;

/// Milliseconds that it takes at most: the browser compiles well what ran for so long.
const LONGEST_MS: u64 = 800;

/// Trains until the time is up. An error here would come again in the run, which then tells of it.
pub async fn run() {
    let Some((mut first, mut second)) = ranks() else { return };
    let clock = desk::clock(0.0);
    let end = clock() + LONGEST_MS * 1000;
    while clock() < end {
        let (first, second) = join(first.step(), second.step()).await;
        if first.and(second).is_err() {
            return;
        }
    }
}

/// Two ranks, each with as much to do as a rank of the run with which the page begins.
fn ranks() -> Option<(Trainer, Trainer)> {
    let begins = RunConfig::default();
    let config = RunConfig { cp: 2, seq_len: 2 * begins.seq_len / begins.cp, ..begins };
    let mut seats = (0..).zip(ports(2).ok()?);
    let mut next = || {
        let (rank, ports) = seats.next()?;
        let plan = RunPlan::new(config.clone()).ok()?;
        let group = Rc::new(Seat { rank, ports }.take(plan.mesh().world()).ok()?);
        let recorder = Recorder::new(usize::from(rank), desk::clock(0.0));
        Trainer::new(plan, None, group, recorder, &Device::Cpu).ok()
    };
    Some((next()?, next()?))
}
