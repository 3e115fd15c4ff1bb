//! How often the page draws what only reports and motion change: the ranks need the cores more.

use std::cell::Cell;
use std::rc::Rc;

use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use yew::Callback;

use crate::app::browser::now_ms;

/// Milliseconds between two redraws; faster than this nobody reads numbers.
const NUMBERS_MS: f64 = 100.0;
/// Of so many moments that pass, drawing may take one.
const SHARE: f64 = 20.0;
/// Milliseconds after which a drawing is due whatever it costs.
const LONGEST_MS: f64 = 400.0;

/// What one kind of drawing costs the page's thread, measured each time.
#[derive(Clone, Default)]
pub struct Cost(Rc<Cell<f64>>);

impl Cost {
    /// Measures a drawing that begins now, to the moment at which the browser has painted it and
    /// does other things again, `then` first.
    pub fn measure(&self, then: impl FnOnce() + 'static) {
        let (cost, begun) = (self.0.clone(), now_ms());
        let painted = move || {
            cost.set(smoothed(cost.get(), now_ms() - begun));
            then();
        };
        Timeout::new(0, painted).forget();
    }

    /// Milliseconds from one drawing to the next, `least` where drawing is cheap.
    pub fn rest(&self, least: f64) -> f64 {
        (self.0.get() * SHARE).clamp(least, LONGEST_MS.max(least))
    }
}

/// One slow drawing, or one beside which something else was done, says little.
fn smoothed(so_far: f64, now: f64) -> f64 {
    if so_far == 0.0 { now } else { 0.8 * so_far + 0.2 * now }
}

/// Whole steps, and losses of the reference: what reports move on.
pub type Progress = (u32, usize);

/// When to redraw next.
#[derive(Default)]
pub struct Pace {
    drawn: Progress,
    drawn_ms: f64,
    cost: Cost,
    next: Option<Next>,
}

/// What the redraw that is already asked for waits for; dropping it calls it off.
enum Next {
    /// That it is not too soon.
    Time {
        _ends: Timeout,
    },
    /// That the ranks rest.
    Rest,
    Frame {
        _ends: AnimationFrame,
    },
}

impl Pace {
    /// Asks for a redraw once `progress` has moved on, but not too soon: `due` is then to see to
    /// it that the ranks rest, and to ask for a frame.
    pub fn ask(&mut self, progress: Progress, now_ms: f64, due: Callback<()>) {
        if self.next.is_some() || progress == self.drawn {
            return;
        }
        let rest = self.cost.rest(NUMBERS_MS) - (now_ms - self.drawn_ms);
        self.next = Some(if rest <= 0.0 {
            due.emit(());
            Next::Rest
        } else {
            Next::Time { _ends: Timeout::new(rest.ceil() as u32, move || due.emit(())) }
        });
    }

    /// Has the next frame call for `redraw`.
    pub fn frame(&mut self, redraw: Callback<()>) {
        let _ends = request_animation_frame(move |_| redraw.emit(()));
        self.next = Some(Next::Frame { _ends });
    }

    /// Notes that `progress` is being drawn, `then` being what comes after that.
    pub fn drawn(&mut self, progress: Progress, now_ms: f64, then: impl FnOnce() + 'static) {
        self.next = None;
        self.cost.measure(then);
        (self.drawn, self.drawn_ms) = (progress, now_ms);
    }

    /// Another run begins: its first step is drawn as it comes.
    pub fn begin(&mut self) {
        *self = Self { cost: std::mem::take(&mut self.cost), ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_much_is_drawn_seldom() {
        let cost = Cost::default();
        assert_eq!(cost.rest(NUMBERS_MS), NUMBERS_MS);
        for (took, rest) in [(2.0, 100.0), (10.0, 200.0), (70.0, LONGEST_MS)] {
            cost.0.set(took);
            assert_eq!(cost.rest(NUMBERS_MS), rest, "{took} ms");
        }
    }

    #[test]
    fn one_slow_drawing_changes_little() {
        assert_eq!(smoothed(0.0, 3.0), 3.0);
        let cost = smoothed(3.0, 43.0);
        assert!((cost - 11.0).abs() < 1e-9, "{cost}");
    }
}
