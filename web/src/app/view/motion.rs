//! Slow motion: the moment of a step that is shown, going on from frame to frame.

use gloo_render::{AnimationFrame, request_animation_frame};

use crate::app::browser;
use crate::app::pace::Cost;

/// Milliseconds from one moment to the next, where drawing is cheap.
const FRAME_MS: f64 = 30.0;
/// Milliseconds after which it goes on by itself where else it goes on with what the page draws.
pub const WITHOUT_DRAWING_MS: f64 = 500.0;
/// The longest time that is made up for at once: more is a tab that was hidden.
const LONGEST_MS: f64 = 400.0;

/// The moment, and what moves it.
pub struct Motion {
    /// Beats gone by, with a fraction.
    pub at: f64,
    moves: bool,
    last_ms: Option<f64>,
    cost: Cost,
    frame: Option<AnimationFrame>,
}

impl Motion {
    /// At the beginning; it moves unless the user's system asks for less of that.
    pub fn new() -> Self {
        let moves = !browser::reduced_motion();
        Self { at: 0.0, moves, last_ms: None, cost: Cost::default(), frame: None }
    }

    /// Whether it moves by itself.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Whether it has come to the end of so many beats.
    pub fn is_over(&self, beats: usize) -> bool {
        self.at >= beats as f64
    }

    /// The beat that is shown, of so many.
    pub fn beat(&self, beats: usize) -> usize {
        (self.at as usize).min(beats.saturating_sub(1))
    }

    /// The share of that beat that has gone by. Standing still, a message is drawn half-way, so
    /// that its direction shows.
    pub fn progress(&self, beats: usize) -> f64 {
        if self.moves { (self.at - self.beat(beats) as f64).min(1.0) } else { 0.5 }
    }

    /// Begins anew.
    pub fn rewind(&mut self) {
        (self.at, self.frame, self.last_ms) = (0.0, None, None);
    }

    /// Stands still at a beat.
    pub fn stand(&mut self, beat: usize) {
        (self.moves, self.at) = (false, beat as f64);
    }

    /// Moves by itself from now on, or stands still.
    pub fn turn(&mut self, moves: bool, beats: usize) {
        (self.moves, self.last_ms) = (moves, None);
        if moves && self.is_over(beats) {
            self.at = 0.0;
        }
        self.at = self.at.floor();
    }

    /// A frame at `now`, in a step of so many beats: whether it moves on, and is drawn. It does so
    /// less often where drawing costs much, the ranks need the cores, and not before `rest` ms.
    pub fn frame(&mut self, now: f64, beats: usize, rest: f64) -> bool {
        self.frame = None;
        let is_drawn = self.go_on(now, beats, self.cost.rest(FRAME_MS).max(rest));
        if is_drawn {
            self.cost.measure(|| {});
        }
        is_drawn
    }

    /// The page is drawn at `now`: whether it moves on with that.
    pub fn drawn(&mut self, now: f64, beats: usize) -> bool {
        self.go_on(now, beats, FRAME_MS)
    }

    fn go_on(&mut self, now: f64, beats: usize, rest: f64) -> bool {
        // The first frame after a rest is due whatever drawing costs.
        let passed = match self.last_ms {
            Some(last) if now - last < rest => return false,
            Some(last) => now - last,
            None => FRAME_MS,
        };
        self.last_ms = Some(now);
        self.at = (self.at + passed.min(LONGEST_MS) / beat_ms(beats)).min(beats as f64);
        true
    }

    /// Asks for the next frame, if there is more to show.
    pub fn ask(&mut self, beats: usize, frame: impl FnOnce(f64) + 'static) {
        if !self.moves || self.is_over(beats) || self.frame.is_some() {
            self.last_ms = self.last_ms.filter(|_| self.frame.is_some());
            return;
        }
        self.frame = Some(request_animation_frame(frame));
    }
}

/// Long steps go faster, so that none takes much more than ten seconds.
fn beat_ms(beats: usize) -> f64 {
    (9000.0 / (beats as f64).max(1.0)).clamp(220.0, 800.0)
}
