//! Tests the links between the workers: the laws of a process group, then the time of a message.

use std::rc::Rc;

use comm::workers::WorkerGroup;
use comm::{ProcessGroup, conformance};
use plan::WorldSize;
use plan::command::{Report, RunId};

use super::world::{Entered, Seat};
use super::{desk, round_trips};

const TRANSFER: &str = "a sent buffer is transferred: the sender holds it no more";

/// Runs the test and reports what it found. All ranks of a world are told to together.
pub async fn run(run: RunId, seat: Seat, world_size: u16) {
    let (mut passed, mut failed, mut round_trips) = (Vec::new(), Vec::new(), Vec::new());
    let group = WorldSize::new(usize::from(world_size))
        .map_err(|refusal| refusal.to_string())
        .and_then(|size| seat.take(size));
    match group {
        Err(message) => failed.push(message),
        Ok(group) => {
            let group = Rc::new(group);
            let _world = Entered::new(Rc::clone(&group) as Rc<dyn ProcessGroup>);
            let mut outcomes = conformance::run(&*group).await;
            match round_trips::measure(&*group, &desk::clock(0.0)).await {
                Ok(times) => round_trips = times,
                Err(error) => failed.push(error.to_string()),
            }
            outcomes.push((TRANSFER, all_delivered(&group)));
            for (law, outcome) in outcomes {
                match outcome {
                    Ok(()) => passed.push(law.to_owned()),
                    Err(seen) => failed.push(format!("{law}: {seen}")),
                }
            }
        }
    }
    desk::report(&Report::SelfTested { run, passed, failed, round_trips });
}

fn all_delivered(group: &WorkerGroup) -> Result<(), String> {
    match group.undelivered() {
        0 => Ok(()),
        some => Err(format!("{some} buffers stayed")),
    }
}
