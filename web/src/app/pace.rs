//! How often the page redraws what only reports change: the ranks need the cores more.

use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use yew::Callback;

/// Milliseconds between two redraws; faster than this nobody reads numbers.
const NUMBERS_MS: f64 = 100.0;
/// Milliseconds between two redraws of the tables.
const TABLES_MS: f64 = 400.0;

/// Whole steps, and losses of the reference: what reports move on.
pub type Progress = (u32, usize);

/// When to redraw next.
#[derive(Default)]
pub struct Pace {
    drawn: Progress,
    drawn_ms: f64,
    tables_ms: f64,
    next: Option<Next>,
}

/// The redraw that is already asked for; dropping it would call it off.
enum Next {
    Frame { _ends: AnimationFrame },
    Later { _ends: Timeout },
}

impl Pace {
    /// Asks for `redraw` once `progress` has moved on: with the next frame, but not too soon.
    pub fn ask(&mut self, progress: Progress, now_ms: f64, redraw: Callback<()>) {
        if self.next.is_some() || progress == self.drawn {
            return;
        }
        let rest = NUMBERS_MS - (now_ms - self.drawn_ms);
        self.next = Some(if rest <= 0.0 {
            Next::Frame { _ends: request_animation_frame(move |_| redraw.emit(())) }
        } else {
            Next::Later { _ends: Timeout::new(rest.ceil() as u32, move || redraw.emit(())) }
        });
    }

    /// Notes that `progress` is being drawn; whether the tables are due as well.
    pub fn drawn(&mut self, progress: Progress, now_ms: f64) -> bool {
        self.next = None;
        (self.drawn, self.drawn_ms) = (progress, now_ms);
        let due = now_ms - self.tables_ms >= TABLES_MS;
        if due {
            self.tables_ms = now_ms;
        }
        due
    }
}
