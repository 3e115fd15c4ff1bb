//! The two directions between the page and a rank's worker, on one page.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;
use crate::{Event, RunConfig};

/// Names one run, so that a message from an earlier one is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// From the page to a worker.
///
/// Every rank may train up to the same `until`; the page moves it ahead while the run goes and
/// stops moving it to pause, so that no rank stops half a step before another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Begin a run; the ports to the other ranks come with it, by rank.
    Start {
        /// The run's id.
        run: RunId,
        /// This worker's rank within the world.
        rank: u16,
        /// The run, already checked by the page.
        config: Box<RunConfig>,
        /// The user's text; `None` is the built-in one.
        #[serde(with = "serde_bytes")]
        text: Option<Vec<u8>>,
        /// The state to begin from, as a checkpoint's bytes; `None` is the seed's.
        #[serde(with = "serde_bytes")]
        from: Option<Vec<u8>>,
        /// Steps that may be trained before a pause.
        until: u32,
        /// The run's time zero, in milliseconds of the page's `performance.timeOrigin` clock.
        epoch_ms: f64,
    },
    /// Train on until `until` steps are done.
    Resume {
        /// The run it is for.
        run: RunId,
        /// Steps that may be trained before the next pause.
        until: u32,
    },
    /// Nothing more is granted: say [`Report::Paused`] once `until` steps are done.
    Pause {
        /// The run it is for.
        run: RunId,
    },
    /// Train up to `until`, then pause.
    Step {
        /// The run it is for.
        run: RunId,
        /// Steps that may be trained before the next pause.
        until: u32,
    },
    /// One ring step of a training step that may be up to `until`, then stand: say
    /// [`Report::Held`]. Any other grant lets the rank go on freely.
    Hop {
        /// The run it is for.
        run: RunId,
        /// Steps that may be trained.
        until: u32,
    },
    /// End the run.
    Stop {
        /// The run it is for.
        run: RunId,
    },
    /// Say [`Report::Snapshot`] of the state after the step that is under way.
    Save {
        /// The run it is for.
        run: RunId,
    },
    /// Run the collectives' conformance suite and time the links; the ports come with it.
    SelfTest {
        /// The run's id.
        run: RunId,
        /// This worker's rank within the world.
        rank: u16,
        /// Ranks that take part.
        world_size: u16,
    },
    /// Train a run that nobody watches and say [`Report::Measured`]; the ports come with it.
    Measure {
        /// The run's id.
        run: RunId,
        /// This worker's rank within the world.
        rank: u16,
        /// The run.
        config: Box<RunConfig>,
        /// Steps that do not count: caches, memory and the browser's compiler settle in them.
        warm_up: u32,
        /// Steps that are timed, and as many again for the profile.
        steps: u32,
    },
    /// Panic on purpose, so that a test sees what its user would.
    Crash,
}

/// From a worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// The worker listens; `build` must equal the page's own.
    Ready {
        /// Hash of the sources that the worker was built from.
        build: String,
    },
    /// Events in the order in which they happened, once a step.
    Events {
        /// The run they belong to.
        run: RunId,
        /// What happened.
        events: Vec<Event>,
        /// This rank's slice of the newest step's first sequence, padding left out.
        #[serde(with = "serde_bytes")]
        tokens: Vec<u8>,
        /// Bytes of wasm memory that the worker holds.
        memory: u64,
    },
    /// The state after `steps` steps, from rank 0 alone: every rank holds the same one.
    Snapshot {
        /// The run it is about.
        run: RunId,
        /// Steps done.
        steps: u32,
        /// Parameters and optimiser as a checkpoint's bytes.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// All granted steps are done and no more are coming.
    Paused {
        /// The run it is about.
        run: RunId,
        /// Steps done.
        steps: u32,
    },
    /// The rank stands within a step, before its next exchange.
    Held {
        /// The run it is about.
        run: RunId,
    },
    /// The run's last step is done.
    Finished {
        /// The run it is about.
        run: RunId,
    },
    /// The run ended with an error.
    Failed {
        /// The run it is about.
        run: RunId,
        /// What kind of error it is, as one word for programs; empty where nobody says.
        kind: String,
        /// The error with its causes.
        message: String,
    },
    /// How long steps took that nobody watched.
    Measured {
        /// The run it is about.
        run: RunId,
        /// GFLOP/s of a large matrix product, where the rank was alone.
        peak_gflops: Option<f64>,
        /// Microseconds of each step that counts.
        took_us: Vec<u64>,
        /// Where further steps went.
        profile: Profile,
    },
    /// The worker is dead; its instance cannot be used again.
    Panicked {
        /// The panic's text and place.
        message: String,
    },
    /// What the self-test found.
    SelfTested {
        /// The run it is about.
        run: RunId,
        /// Names of the laws that held.
        passed: Vec<String>,
        /// Laws that did not hold, with what was seen.
        failed: Vec<String>,
        /// Median round trip of a message to the next rank: (bytes, microseconds).
        round_trips: Vec<(u64, f64)>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;
    use crate::event::{Axis, Op};

    #[test]
    fn reports_survive_the_trip_between_workers_and_page() {
        let kind = EventKind::Send {
            axis: Axis::Cp,
            op: Op::RingKv,
            seq: 3,
            to: 2,
            bytes: 8192,
            block: Some(1),
        };
        let events = vec![Event { rank: 1, step: 0, at_us: 7, kind }];
        let report =
            Report::Events { run: RunId(1), events, tokens: vec![104, 105], memory: 65536 };
        let bytes = postcard::to_allocvec(&report).expect("every report can be written");
        assert_eq!(postcard::from_bytes::<Report>(&bytes), Ok(report));
    }

    #[test]
    fn commands_survive_the_trip_between_page_and_workers() {
        let command = Command::Start {
            run: RunId(2),
            rank: 1,
            config: Box::default(),
            text: Some(b"a text".to_vec()),
            from: Some(vec![1, 2]),
            until: 3,
            epoch_ms: 1.5,
        };
        let bytes = postcard::to_allocvec(&command).expect("every command can be written");
        assert_eq!(postcard::from_bytes::<Command>(&bytes), Ok(command));
    }
}
