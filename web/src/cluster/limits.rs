//! How fast a run may go, and when it stops by itself.

use plan::Event;
use plan::event::{EventKind, Scalar};

/// What the user asks of a run beside its settings; it may change while the run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Milliseconds that a step takes at least, so that one can watch.
    pub step_ms: Option<f64>,
    /// The run pauses after the step whose loss is this or less.
    pub stop_loss: Option<f64>,
    /// The run pauses after so many seconds of training since it began or went on.
    pub stop_seconds: Option<f64>,
}

/// Why a run paused by itself, or goes on where it would have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The loss is low enough.
    Loss {
        /// The step, from 0.
        step: u32,
        /// Its loss.
        loss: f64,
    },
    /// The time is up.
    Seconds(f64),
    /// The loss was this or less already when the user let the run go on.
    Passed(f64),
}

impl Limits {
    /// Whether every step waits for the page.
    pub fn are_close(&self) -> bool {
        self.step_ms.is_some() || self.stop_loss.is_some() || self.stop_seconds.is_some()
    }

    /// What of one rank's `events` stops the run; `trained_s` is its time so far.
    pub fn stop(&self, events: &[Event], trained_s: f64) -> Option<Stop> {
        let low = self.stop_loss.and_then(|limit| {
            events.iter().find_map(|event| match event.kind {
                EventKind::Scalar { name: Scalar::Loss, value } if value <= limit => {
                    Some(Stop::Loss { step: event.step, loss: value })
                }
                _ => None,
            })
        });
        let late = self.stop_seconds.filter(|&limit| trained_s >= limit).map(Stop::Seconds);
        low.or(late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_stops_at_the_first_loss_that_is_low_enough_or_when_time_is_up() {
        let loss = |step, value| Event {
            rank: 0,
            step,
            at_us: 0,
            kind: EventKind::Scalar { name: Scalar::Loss, value },
        };
        let events = [loss(3, 2.5), loss(4, 2.0)];
        let limits = Limits { stop_loss: Some(2.2), ..Limits::default() };
        assert_eq!(limits.stop(&events, 9.0), Some(Stop::Loss { step: 4, loss: 2.0 }));
        assert_eq!(limits.stop(&events[..1], 9.0), None);
        let limits = Limits { stop_seconds: Some(5.0), ..Limits::default() };
        assert_eq!(limits.stop(&events, 4.9), None);
        assert_eq!(limits.stop(&events, 5.0), Some(Stop::Seconds(5.0)));
        assert!(limits.are_close() && !Limits::default().are_close());
        assert_eq!(Limits::default().stop(&events, 1e9), None);
    }
}
