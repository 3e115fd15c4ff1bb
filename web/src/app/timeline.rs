//! What the timeline shows of a step as one value with actions: stretch, span chosen, pointers.

use std::collections::BTreeMap;

use crate::app::cursor::{self, Spot};
use crate::app::geometry::timeline::{self, Drawing, GUTTER, Lanes, Rect, Span};
use crate::app::geometry::window::Window;
use crate::app::shared::Shared;

/// A span, by its rank and its number in the rank's lane.
pub type Place = (usize, usize);

/// Pixels that a pressed pointer may move and still choose.
const STILL: f64 = 4.0;

/// A step under the eye.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    lanes: Shared<Lanes>,
    window: Window,
    width: f64,
    drawing: Shared<Drawing>,
    chosen: Option<Place>,
    hovered: Option<Place>,
    /// The lane that the pointer is over.
    over: Option<usize>,
    /// What was chosen last, until the page's cursor takes it.
    picked: Option<cursor::Act>,
    /// Pointers that are down: where they are, in pixels across.
    down: BTreeMap<i32, f64>,
    /// Pixels that the pointer has moved since it went down; two pointers never choose.
    moved: f64,
}

/// What the user does to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// The drawing has this many pixels across.
    Width(f64),
    /// `factor` times as long a stretch, around this pixel or the middle.
    Zoom(f64, Option<f64>),
    /// Moves on by this share of the stretch.
    Pan(f64),
    /// Shows all of the step.
    Whole,
    /// Another span of the same rank, so many further.
    Along(isize),
    /// Another rank, so many further down, at about the same time.
    Across(isize),
    /// The rank's first or last span.
    End(bool),
    /// Chooses nothing.
    Forget,
    /// A pointer is pressed at a point.
    Press(i32, f64),
    /// A pointer, pressed or not, is at a point.
    Move(i32, (f64, f64)),
    /// A pressed pointer is let go.
    Release(i32, (f64, f64)),
    /// The pointer has left.
    Leave,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            lanes: Shared::default(),
            window: Window::whole(0),
            width: 800.0,
            drawing: Shared::default(),
            chosen: None,
            hovered: None,
            over: None,
            picked: None,
            down: BTreeMap::new(),
            moved: 0.0,
        }
    }
}

impl Timeline {
    /// Puts another step under the eye, whole.
    pub fn show(&mut self, lanes: Lanes) {
        self.window = Window::whole(lanes.length_us);
        self.lanes = Shared::new(lanes);
        (self.chosen, self.hovered, self.over) = (None, None, None);
        self.down.clear();
        self.draw();
    }

    /// Takes `act`; whether it is a look so close that the step must not be replaced under it.
    pub fn act(&mut self, act: Act) -> bool {
        match act {
            Act::Width(width) => self.width = width.max(2.0 * GUTTER),
            Act::Zoom(factor, pixel) => {
                // Without a pointer about what is chosen, where that is in sight.
                let middle = self.moment((GUTTER + self.width) / 2.0);
                let own =
                    self.read_chosen().map(|span| span.start_us as f64 + span.took_us as f64 / 2.0);
                let own = own.filter(|at| (self.window.from..=self.window.to).contains(at));
                let at = pixel.map_or(own.unwrap_or(middle), |pixel| self.moment(pixel));
                self.window = self.window.zoom(factor, at, self.lanes.length_us);
            }
            Act::Pan(share) => self.pan(share * self.window.extent()),
            Act::Whole => self.window = Window::whole(self.lanes.length_us),
            Act::Along(by) => self.along(by),
            Act::Across(by) => self.across(by),
            Act::End(last) => {
                let rank = self.chosen.map_or(0, |(rank, _)| rank);
                let count = self.lanes.spans.get(rank).map_or(0, Vec::len);
                self.choose((count > 0).then(|| (rank, if last { count - 1 } else { 0 })));
            }
            Act::Forget => self.chosen = None,
            Act::Press(pointer, x) => {
                self.down.insert(pointer, x);
                self.moved = if self.down.len() > 1 { f64::INFINITY } else { 0.0 };
                return false;
            }
            Act::Move(pointer, at) => return self.moves(pointer, at),
            Act::Release(pointer, at) => {
                if self.down.remove(&pointer).is_none() || self.moved > STILL {
                    return false;
                }
                self.chosen = self.hit(at);
                self.picked = match (self.spot(self.chosen), self.lane(at)) {
                    (Some(spot), _) => Some(cursor::Act::Move(spot)),
                    (None, Some(rank)) => Some(cursor::Act::Choose(Spot::of_rank(rank))),
                    (None, None) => None,
                };
                return self.chosen.is_some();
            }
            Act::Leave => {
                (self.hovered, self.over) = (None, None);
                self.down.clear();
                return false;
            }
        }
        self.draw();
        !matches!(act, Act::Width(_) | Act::Whole | Act::Forget)
    }

    /// Whether a pointer is over it.
    pub fn is_touched(&self) -> bool {
        self.hovered.is_some() || !self.down.is_empty()
    }

    /// What the pointer is over, for the page's cursor: a lane's rank, and the block of a tile.
    pub fn pointed(&self) -> Spot {
        let of_lane = self.over.map(Spot::of_rank).unwrap_or_default();
        self.spot(self.hovered).unwrap_or(of_lane)
    }

    /// What was chosen since this was asked last, for the page's cursor.
    pub fn take_picked(&mut self) -> Option<cursor::Act> {
        self.picked.take()
    }

    /// The step's spans.
    pub fn lanes(&self) -> &Shared<Lanes> {
        &self.lanes
    }

    /// The drawing.
    pub fn drawing(&self) -> &Shared<Drawing> {
        &self.drawing
    }

    /// The stretch that is seen.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Whether all of the step is seen.
    pub fn is_whole(&self) -> bool {
        self.window == Window::whole(self.lanes.length_us)
    }

    /// The span that is told: the one under the pointer, or else the chosen one.
    pub fn read(&self) -> Option<&Span> {
        self.span(self.hovered.or(self.chosen)?)
    }

    /// Where the span that is told is drawn, if it is seen.
    pub fn outline(&self) -> Option<Rect> {
        timeline::rect(self.read()?, self.window, self.width)
    }

    /// The chosen span.
    pub fn chosen(&self) -> Option<Place> {
        self.chosen
    }

    /// The number of the told span among all, counted through the ranks, for a slider's value.
    pub fn number(&self) -> Option<usize> {
        let (rank, index) = self.hovered.or(self.chosen)?;
        Some(self.lanes.spans.iter().take(rank).map(Vec::len).sum::<usize>() + index)
    }

    fn spot(&self, place: Option<Place>) -> Option<Spot> {
        let span = self.span(place?)?;
        let block = match span.look() {
            timeline::Look::Tile(block) => Some(block),
            _ => None,
        };
        Some(Spot { block, ..Spot::of_rank(usize::from(span.rank)) })
    }

    fn lane(&self, at: (f64, f64)) -> Option<usize> {
        timeline::lane_at(&self.lanes, at)
    }

    fn span(&self, (rank, index): Place) -> Option<&Span> {
        self.lanes.spans.get(rank)?.get(index)
    }

    fn hit(&self, at: (f64, f64)) -> Option<Place> {
        timeline::hit(&self.lanes, self.window, self.width, at)
    }

    fn moment(&self, pixel: f64) -> f64 {
        timeline::moment(self.window, self.width, pixel)
    }

    fn draw(&mut self) {
        self.drawing = Shared::new(timeline::draw(&self.lanes, self.window, self.width));
    }

    fn pan(&mut self, by: f64) {
        self.window = self.window.pan(by, self.lanes.length_us);
    }

    /// Drags with one pointer, pinches with two, and reads with one that is not pressed.
    fn moves(&mut self, pointer: i32, at: (f64, f64)) -> bool {
        let Some(was) = self.down.get(&pointer).copied() else {
            (self.hovered, self.over) = (self.hit(at), self.lane(at));
            return false;
        };
        let other = self.down.iter().find(|(id, _)| **id != pointer).map(|(_, x)| *x);
        self.moved += (at.0 - was).abs();
        if self.moved <= STILL {
            return false;
        }
        self.down.insert(pointer, at.0);
        match other {
            Some(other) => {
                let apart = |x: f64| (x - other).abs().max(1.0);
                let moment = self.moment((at.0 + other) / 2.0);
                let factor = apart(was) / apart(at.0);
                self.window = self.window.zoom(factor, moment, self.lanes.length_us);
            }
            None => self.pan(self.moment(was) - self.moment(at.0)),
        }
        self.draw();
        true
    }

    fn along(&mut self, by: isize) {
        let place = match self.chosen {
            None => (0, 0),
            Some((rank, index)) => {
                let last = self.lanes.spans.get(rank).map_or(0, |spans| spans.len() - 1);
                (rank, index.saturating_add_signed(by).min(last))
            }
        };
        self.choose(Some(place));
    }

    /// To the span of another rank that begins nearest to the beginning of the chosen one.
    fn across(&mut self, by: isize) {
        let Some((rank, _)) = self.chosen else { return self.along(0) };
        let now = self.read_chosen().map_or(0, |span| span.start_us);
        let rank = rank.saturating_add_signed(by).min(self.lanes.spans.len().saturating_sub(1));
        let spans = self.lanes.spans.get(rank).map_or(&[][..], Vec::as_slice);
        let nearest = (0..spans.len()).min_by_key(|&index| spans[index].start_us.abs_diff(now));
        self.choose(nearest.map(|index| (rank, index)));
    }

    fn read_chosen(&self) -> Option<&Span> {
        self.span(self.chosen?)
    }

    fn choose(&mut self, place: Option<Place>) {
        self.chosen = place.filter(|&place| self.span(place).is_some());
        // What the keys choose is told, wherever the pointer was left lying.
        (self.hovered, self.over) = (None, None);
        self.picked = self.spot(self.chosen).map(cursor::Act::Move);
        if let Some(span) = self.read_chosen() {
            let (start, end) = (span.start_us as f64, span.end_us() as f64);
            self.window = self.window.show(start, end, self.lanes.length_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::EventKind;
    use plan::event::Compute;

    fn span(rank: u16, start_us: u64, took_us: u64) -> Span {
        let kind = EventKind::Compute { what: Compute::Forward, took_us };
        Span { rank, start_us, took_us, kind }
    }

    fn shown() -> Timeline {
        let mut timeline = Timeline::default();
        timeline.act(Act::Width(GUTTER + 1000.0));
        timeline.show(Lanes {
            spans: vec![
                vec![span(0, 0, 300), span(0, 400, 200), span(0, 900, 100)],
                vec![span(1, 100, 100), span(1, 450, 500)],
            ],
            length_us: 1000,
        });
        timeline
    }

    #[test]
    fn keys_choose_a_span_and_the_window_follows() {
        let mut timeline = shown();
        assert!(timeline.act(Act::Along(1)));
        assert_eq!(timeline.chosen(), Some((0, 0)));
        timeline.act(Act::Along(1));
        timeline.act(Act::Across(1));
        assert_eq!((timeline.chosen(), timeline.number()), (Some((1, 1)), Some(4)));
        timeline.act(Act::Across(5));
        timeline.act(Act::Along(9));
        assert_eq!(timeline.chosen(), Some((1, 1)), "it stops at the edges");
        timeline.act(Act::Zoom(0.1, None));
        assert!(
            timeline.outline().is_some(),
            "what is chosen stays in sight: {:?}",
            timeline.window()
        );
        timeline.act(Act::Whole);
        timeline.act(Act::Zoom(0.1, Some(GUTTER)));
        timeline.act(Act::Across(-1));
        timeline.act(Act::End(true));
        assert!(timeline.outline().is_some(), "{:?}", timeline.window());
        assert!(!timeline.act(Act::Forget));
        assert_eq!(timeline.read(), None);
        assert!(!timeline.act(Act::Whole));
        assert!(timeline.is_whole());
    }

    #[test]
    fn a_pointer_reads_chooses_and_drags() {
        let mut timeline = shown();
        let at = |x: f64| (GUTTER + x, timeline::AXIS + 10.0);
        assert!(!timeline.act(Act::Move(1, at(500.0))));
        assert_eq!(timeline.read().map(|s| s.start_us), Some(400));
        assert!(timeline.is_touched());
        timeline.act(Act::Press(1, at(500.0).0));
        assert!(timeline.act(Act::Release(1, at(500.0))));
        assert_eq!(timeline.chosen(), Some((0, 1)));
        timeline.act(Act::Zoom(0.5, None));
        timeline.act(Act::Press(1, at(500.0).0));
        assert!(timeline.act(Act::Move(1, at(600.0))));
        assert_eq!(timeline.window(), Window { from: 200.0, to: 700.0 });
        assert!(!timeline.act(Act::Release(1, at(600.0))), "what was dragged does not choose");
        timeline.act(Act::Leave);
        assert!(!timeline.is_touched());
    }

    #[test]
    fn the_cursor_hears_of_lanes_and_tiles() {
        let mut timeline = shown();
        let tile = EventKind::Tile {
            layer: 0,
            pass: plan::event::Pass::Forward,
            ring_step: 1,
            kv_from: 0,
            kind: plan::TileKind::Full,
            pairs: 1,
            took_us: 100,
        };
        let tile = Span { rank: 1, start_us: 0, took_us: 100, kind: tile };
        timeline.show(Lanes { spans: vec![vec![span(0, 0, 300)], vec![tile]], length_us: 1000 });
        let at = |x: f64, rank: f64| (GUTTER + x, timeline::AXIS + rank * timeline::LANE + 10.0);
        let of_tile = Spot { block: Some(0), ..Spot::of_rank(1) };
        for (place, expect) in [
            (at(50.0, 0.0), Spot::of_rank(0)),
            (at(50.0, 1.0), of_tile),
            (at(800.0, 1.0), Spot::of_rank(1)),
            (at(-20.0, 0.0), Spot::of_rank(0)),
            (at(50.0, 7.0), Spot::default()),
        ] {
            timeline.act(Act::Move(1, place));
            assert_eq!(timeline.pointed(), expect, "{place:?}");
        }
        for (place, expect) in [
            (at(50.0, 1.0), Some(cursor::Act::Move(of_tile))),
            (at(800.0, 1.0), Some(cursor::Act::Choose(Spot::of_rank(1)))),
            (at(800.0, 7.0), None),
        ] {
            timeline.act(Act::Press(1, place.0));
            timeline.act(Act::Release(1, place));
            assert_eq!((timeline.take_picked(), timeline.take_picked()), (expect, None));
        }
        timeline.act(Act::Along(1));
        assert_eq!(timeline.take_picked(), Some(cursor::Act::Move(Spot::of_rank(0))));
        timeline.act(Act::Leave);
        assert_eq!(timeline.pointed(), Spot::default());
    }

    #[test]
    fn two_pointers_pinch_and_choose_nothing() {
        let mut timeline = shown();
        timeline.act(Act::Press(1, GUTTER + 400.0));
        timeline.act(Act::Press(2, GUTTER + 600.0));
        timeline.act(Act::Move(2, (GUTTER + 800.0, 30.0)));
        assert!((timeline.window().extent() - 500.0).abs() < 1e-9, "{:?}", timeline.window());
        timeline.act(Act::Release(1, (GUTTER + 400.0, 30.0)));
        timeline.act(Act::Release(2, (GUTTER + 800.0, 30.0)));
        assert_eq!(timeline.chosen(), None);
    }

    #[test]
    fn another_step_is_shown_whole() {
        let mut timeline = shown();
        timeline.act(Act::Zoom(0.5, None));
        timeline.act(Act::Along(0));
        timeline.show(Lanes { spans: vec![Vec::new()], length_us: 10 });
        assert!(timeline.is_whole() && timeline.read().is_none());
        assert!(timeline.act(Act::Along(1)));
        assert_eq!(
            (timeline.read(), timeline.chosen()),
            (None, None),
            "there is nothing to choose"
        );
    }
}
