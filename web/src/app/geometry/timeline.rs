//! A training step as lanes, one a rank: its spans, where they are drawn, and what lies where.

use std::collections::BTreeMap;
use std::fmt::Write;

use plan::fold::clock::Clock;
use plan::{Event, EventKind};

use crate::app::geometry::scale::{Scale, label, ticks};
use crate::app::geometry::window::Window;
use crate::app::order::sort_by_key;

/// Pixels above the lanes, for the axis of time.
pub const AXIS: f64 = 22.0;
/// Pixels beside the lanes, for the ranks' numbers.
pub const GUTTER: f64 = 34.0;
/// Pixels of a lane: its work, then its messages, then air.
pub const LANE: f64 = 44.0;
/// Pixels of the upper row, in which a rank works or waits.
const WORK: f64 = 26.0;
/// Pixels of the lower row, with collectives and what is sent.
const TALK: f64 = 9.0;
/// Pixels that the pointer may miss a span by.
const REACH: f64 = 4.0;
/// Pixels of a tile from which on its number fits.
const LABELLED: f64 = 13.0;

/// Something that a rank did, by its own clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The rank.
    pub rank: u16,
    /// Microseconds from the beginning of the step.
    pub start_us: u64,
    /// Microseconds that it took.
    pub took_us: u64,
    /// What was done.
    pub kind: EventKind,
}

/// A step's spans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// By rank, in order of their beginnings.
    pub spans: Vec<Vec<Span>>,
    /// From the first rank's beginning to the last one's end, in microseconds.
    pub length_us: u64,
}

/// How a span looks; all of one look are one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// Compute outside attention.
    Compute,
    /// A tile of attention, with the keys of this rank.
    Tile(u16),
    /// Standing still for a message.
    Wait,
    /// A collective.
    Collective,
    /// A message handed over.
    Send,
}

/// The drawing, in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// A path of all spans of each look, in the order of painting.
    pub paths: Vec<(Look, String)>,
    /// The rank whose keys a tile has, where there is room: middle of the tile, rank.
    pub numbers: Vec<(f64, f64, u16)>,
    /// The axis: place and text.
    pub ticks: Vec<(f64, String)>,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// The lanes of a step from its events by rank.
pub fn lanes(events: &[Vec<Event>]) -> Lanes {
    let clocks: Vec<Clock> = events.iter().map(|events| Clock::of(events)).collect();
    let all = || {
        let with_clock = |(events, clock): (&'_ Vec<Event>, &'_ Clock)| {
            let ends = |event: &Event| (clock.at(event.start_us()), clock.at(event.at_us));
            events.iter().map(ends).collect::<Vec<_>>()
        };
        events.iter().zip(&clocks).flat_map(with_clock)
    };
    let begin = all().map(|(start, _)| start).min().unwrap_or(0);
    let end = all().map(|(_, end)| end).max().unwrap_or(0);
    let spans = events.iter().zip(&clocks).map(|(events, clock)| {
        let mut spans: Vec<Span> =
            events.iter().filter_map(|event| Span::of(event, clock, begin)).collect();
        // Stable: what begins at the same tick of the clock stays in the order of its ends.
        sort_by_key(&mut spans, |span| span.start_us);
        spans
    });
    Lanes { spans: spans.collect(), length_us: end - begin }
}

impl Span {
    fn of(event: &Event, clock: &Clock, begin: u64) -> Option<Self> {
        match event.kind {
            EventKind::StepBegin
            | EventKind::StepEnd { .. }
            | EventKind::Scalar { .. }
            | EventKind::Held { .. } => None,
            _ => {
                let start = clock.at(event.start_us());
                Some(Self {
                    rank: event.rank,
                    start_us: start - begin,
                    took_us: clock.at(event.at_us) - start,
                    kind: event.kind.clone(),
                })
            }
        }
    }

    /// How it looks.
    pub fn look(&self) -> Look {
        match self.kind {
            EventKind::Tile { kv_from, .. } => Look::Tile(kv_from),
            EventKind::Recv { .. } => Look::Wait,
            EventKind::Collective { .. } => Look::Collective,
            EventKind::Send { .. } => Look::Send,
            _ => Look::Compute,
        }
    }

    /// Microseconds from the beginning of the step to its end.
    pub fn end_us(&self) -> u64 {
        self.start_us + self.took_us
    }
}

impl Look {
    fn is_talk(self) -> bool {
        matches!(self, Self::Collective | Self::Send)
    }

    /// Upper edge within the lane, and height.
    fn row(self) -> (f64, f64) {
        if self.is_talk() { (4.0 + WORK, TALK) } else { (3.0, WORK) }
    }
}

/// Draws the part of `lanes` that `window` shows, `width` pixels wide.
pub fn draw(lanes: &Lanes, window: Window, width: f64) -> Drawing {
    let x = across(window, width);
    let mut paths: BTreeMap<Look, String> = BTreeMap::new();
    let mut numbers = Vec::new();
    for (rank, spans) in lanes.spans.iter().enumerate() {
        let mut drawn: BTreeMap<Look, f64> = BTreeMap::new();
        for span in spans.iter().filter(|span| is_seen(span, window)) {
            let (look, rect) = (span.look(), place(span, rank, x, width));
            let right = rect.x + rect.width;
            // What would add less than a third of a pixel is under its neighbour already.
            if drawn.get(&look).is_some_and(|&last| right <= last + 0.3) {
                continue;
            }
            drawn.insert(look, right);
            let path = paths.entry(look).or_default();
            // Writing to a string does not fail.
            let _ = write!(
                path,
                "M{:.1} {:.1}h{:.1}v{:.1}h-{:.1}z",
                rect.x, rect.y, rect.width, rect.height, rect.width
            );
            if let Look::Tile(kv_from) = look
                && rect.width >= LABELLED
            {
                numbers.push((rect.x + rect.width / 2.0, rect.y + rect.height / 2.0, kv_from));
            }
        }
    }
    Drawing {
        width,
        height: AXIS + LANE * lanes.spans.len() as f64,
        paths: paths.into_iter().collect(),
        numbers,
        // Without a step there is no time to mark.
        ticks: if lanes.length_us > 0 { axis(window, x, width) } else { Vec::new() },
    }
}

/// Where `span` is drawn; `None` outside the window.
pub fn rect(span: &Span, window: Window, width: f64) -> Option<Rect> {
    is_seen(span, window).then(|| place(span, usize::from(span.rank), across(window, width), width))
}

/// The moment at a pixel, in microseconds from the beginning of the step.
pub fn moment(window: Window, width: f64, pixel: f64) -> f64 {
    across(window, width).invert(pixel)
}

/// The span at a point, as rank and number in its lane: of those in reach the nearest, then the
/// shortest, so that one inside another can be had.
pub fn hit(lanes: &Lanes, window: Window, width: f64, at: (f64, f64)) -> Option<(usize, usize)> {
    let rank = ((at.1 - AXIS) / LANE).floor();
    let spans = lanes.spans.get(rank as usize).filter(|_| rank >= 0.0)?;
    let in_lane = at.1 - AXIS - rank * LANE;
    let talks = in_lane >= 3.5 + WORK;
    let x = across(window, width);
    let distance = |span: &Span| {
        let (start, end) = (x.at(span.start_us as f64), x.at(span.end_us() as f64));
        (start - at.0).max(at.0 - end).max(0.0)
    };
    let near = |span: &Span| span.look().is_talk() == talks && distance(span) <= REACH;
    spans
        .iter()
        .enumerate()
        .filter(|(_, span)| near(span))
        .min_by(|(_, one), (_, other)| {
            distance(one).total_cmp(&distance(other)).then(one.took_us.cmp(&other.took_us))
        })
        .map(|(index, _)| (rank as usize, index))
}

/// The rank whose lane is at a point.
pub fn lane_at(lanes: &Lanes, at: (f64, f64)) -> Option<usize> {
    let rank = ((at.1 - AXIS) / LANE).floor();
    (rank >= 0.0 && rank < lanes.spans.len() as f64).then_some(rank as usize)
}

fn across(window: Window, width: f64) -> Scale {
    Scale::new((window.from, window.to), (GUTTER, width.max(GUTTER + 1.0)))
}

fn is_seen(span: &Span, window: Window) -> bool {
    span.end_us() as f64 >= window.from && span.start_us as f64 <= window.to
}

/// At least a pixel wide, and cut where the field ends.
fn place(span: &Span, rank: usize, x: Scale, width: f64) -> Rect {
    let (top, height) = span.look().row();
    let left = x.at(span.start_us as f64).clamp(GUTTER, width - 1.0);
    let right = x.at(span.end_us() as f64).min(width);
    Rect { x: left, y: AXIS + LANE * rank as f64 + top, width: (right - left).max(1.0), height }
}

fn axis(window: Window, x: Scale, width: f64) -> Vec<(f64, String)> {
    let count = ((width - GUTTER) / 110.0).clamp(3.0, 12.0) as usize;
    ticks(window.from / 1e3, window.to / 1e3, count)
        .into_iter()
        .map(|ms| (x.at(ms * 1e3), format!("{} ms", label(ms))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Compute;
    use plan::{Axis, Op, Pass, TileKind};

    fn event(rank: u16, at_us: u64, kind: EventKind) -> Event {
        Event { rank, step: 0, at_us, kind }
    }

    fn tile(took_us: u64, kv_from: u16) -> EventKind {
        EventKind::Tile {
            layer: 0,
            pass: Pass::Forward,
            ring_step: 0,
            kv_from,
            kind: TileKind::Full,
            pairs: 1,
            took_us,
        }
    }

    fn send() -> EventKind {
        let (axis, op) = (Axis::Ring, Op::RingKv);
        EventKind::Send { axis, op, seq: 0, to: 1, bytes: 8, block: Some(0) }
    }

    fn wait(waited_us: u64) -> EventKind {
        let (axis, op) = (Axis::World, Op::AllReduce);
        EventKind::Recv { axis, op, seq: 0, from: 1, bytes: 8, block: None, waited_us }
    }

    fn step() -> Lanes {
        let all =
            EventKind::Collective { axis: Axis::World, op: Op::AllReduce, seq: 0, took_us: 400 };
        lanes(&[
            vec![
                event(0, 5000, EventKind::StepBegin),
                event(0, 5200, EventKind::Compute { what: Compute::Forward, took_us: 200 }),
                event(0, 5200, send()),
                event(0, 5500, tile(300, 0)),
                event(0, 5800, wait(300)),
                event(0, 5800, all),
                event(0, 6000, EventKind::StepEnd { took_us: 1000 }),
            ],
            vec![event(1, 5100, EventKind::StepBegin), event(1, 5600, tile(400, 1))],
        ])
    }

    #[test]
    fn spans_are_the_events_by_their_beginnings() {
        let lanes = step();
        assert_eq!(lanes.length_us, 1000);
        let times: Vec<_> = lanes.spans[0].iter().map(|s| (s.start_us, s.took_us)).collect();
        assert_eq!(times, [(0, 200), (200, 0), (200, 300), (400, 400), (500, 300)]);
        assert_eq!(lanes.spans[1][0].start_us, 200);
        assert_eq!(lanes.spans[0].len(), 5, "beginnings and ends of steps are no spans");
    }

    #[test]
    fn the_whole_step_fills_the_width() {
        let lanes = step();
        let drawing = draw(&lanes, Window::whole(lanes.length_us), GUTTER + 1000.0);
        let path = |look| drawing.paths.iter().find(|(l, _)| *l == look).map(|(_, p)| p.as_str());
        assert_eq!(path(Look::Compute), Some("M34.0 25.0h200.0v26.0h-200.0z"));
        assert_eq!(path(Look::Tile(0)), Some("M234.0 25.0h300.0v26.0h-300.0z"));
        assert_eq!(path(Look::Tile(1)), Some("M234.0 69.0h400.0v26.0h-400.0z"));
        assert_eq!(path(Look::Send), Some("M234.0 52.0h1.0v9.0h-1.0z"));
        assert_eq!(drawing.height, AXIS + 2.0 * LANE);
        assert_eq!(drawing.numbers, [(384.0, 38.0, 0), (434.0, 82.0, 1)]);
        assert_eq!(drawing.ticks.first(), Some(&(GUTTER, "0 ms".to_owned())));
    }

    #[test]
    fn a_closer_look_leaves_out_what_is_not_seen() {
        let lanes = step();
        let window = Window { from: 550.0, to: 650.0 };
        let drawing = draw(&lanes, window, GUTTER + 100.0);
        let looks: Vec<_> = drawing.paths.iter().map(|(look, _)| *look).collect();
        assert_eq!(looks, [Look::Tile(1), Look::Wait, Look::Collective]);
        let wait = rect(&lanes.spans[0][4], window, GUTTER + 100.0).expect("it is seen");
        assert_eq!((wait.x, wait.width), (GUTTER, 100.0), "it is cut at both ends");
        assert_eq!(rect(&lanes.spans[0][0], window, 134.0), None);
    }

    #[test]
    fn a_thousand_spans_within_a_pixel_are_one() {
        let events = (0..1000).map(|i| event(0, 5 * i, tile(5, 0))).collect();
        let lanes = lanes(&[events, vec![event(1, 50_000_000, EventKind::StepBegin)]]);
        let drawing = draw(&lanes, Window::whole(lanes.length_us), 1000.0);
        assert_eq!(drawing.paths.len(), 1);
        assert!(drawing.paths[0].1.len() < 60, "{}", drawing.paths[0].1);
    }

    #[test]
    fn a_point_finds_the_shortest_of_its_row() {
        let lanes = step();
        let window = Window::whole(1000);
        let at = |x: f64, y: f64| hit(&lanes, window, GUTTER + 1000.0, (GUTTER + x, y));
        assert_eq!(at(100.0, AXIS + 10.0), Some((0, 0)));
        assert_eq!(at(300.0, AXIS + 10.0), Some((0, 2)));
        assert_eq!(at(201.0, AXIS + 35.0), Some((0, 1)), "a message is met within a few pixels");
        assert_eq!(at(600.0, AXIS + 10.0), Some((0, 4)));
        assert_eq!(at(600.0, AXIS + 35.0), Some((0, 3)), "the collective is in the row below");
        assert_eq!(at(300.0, AXIS + LANE + 10.0), Some((1, 0)));
        assert_eq!(at(950.0, AXIS + 10.0), None);
        assert_eq!((at(10.0, 0.0), at(10.0, 900.0)), (None, None));
    }

    #[test]
    fn a_rank_that_is_held_has_a_clock_that_stands() {
        let compute = |took_us| EventKind::Compute { what: Compute::Forward, took_us };
        let lanes = lanes(&[vec![
            event(0, 1100, compute(100)),
            event(0, 9100, EventKind::Held { took_us: 8000 }),
            event(0, 9150, compute(50)),
        ]]);
        let spans: Vec<_> = lanes.spans[0].iter().map(|s| (s.start_us, s.took_us)).collect();
        assert_eq!((spans, lanes.length_us), (vec![(0, 100), (100, 50)], 150));
    }
}
