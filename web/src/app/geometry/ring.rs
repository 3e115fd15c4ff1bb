//! Where ranks, blocks and messages stand on the ring.
//!
//! Each replica's ranks sit on a circle. Blocks of keys and values have an orbit outside of it,
//! their gradients one inside; all other messages go straight from rank to rank.

use std::f64::consts::TAU;

use plan::event::Op;
use plan::fold::beats::Hop;

use super::elementary::{cos, log2, pow, sin};

/// A point in the drawing's own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// A rank's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    /// Middle of its disc.
    pub at: Point,
    /// Middle of the block that it holds.
    pub block: Point,
}

/// The whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct RingLayout {
    /// Width in units.
    pub width: f64,
    /// Height in units.
    pub height: f64,
    /// Radius of a rank's disc.
    pub disc: f64,
    /// Radius of the circle that the ranks sit on.
    pub radius: f64,
    /// Middles of the replicas' circles.
    pub centres: Vec<Point>,
    /// Ranks of the world, in order.
    pub seats: Vec<Seat>,
    cp: usize,
}

/// Half the height of a block.
pub const BLOCK_HALF: f64 = 12.0;
/// Half its width.
pub const BLOCK_REACH: f64 = 19.0;
/// Between a disc and the blocks beside it.
const GAP: f64 = 3.0;
const MARGIN: f64 = 8.0;
/// So far along its orbit a block that moves keeps from one that is held: neither hides the other.
const CLEAR: f64 = 46.0;

/// Places `dp` replicas of `cp` ranks.
pub fn layout(dp: usize, cp: usize) -> RingLayout {
    let (radius, disc) = match (dp, cp) {
        (_, 1) => (0.0, 30.0),
        (1, 2..=4) => (94.0, 34.0),
        (1, _) => (118.0, 28.0),
        (_, 2) => (48.0, 26.0),
        _ => (72.0, 26.0),
    };
    let columns = match dp {
        1 => 1,
        2 | 4 => 2,
        _ => dp.min(4),
    };
    let rows = dp.div_ceil(columns);
    let half = radius + disc + GAP + 2.0 * BLOCK_REACH + MARGIN;
    let centres: Vec<Point> = (0..dp)
        .map(|replica| Point {
            x: half * (2 * (replica % columns) + 1) as f64,
            y: half * (2 * (replica / columns) + 1) as f64,
        })
        .collect();
    let mut layout = RingLayout {
        width: 2.0 * half * columns as f64,
        height: 2.0 * half * rows as f64,
        disc,
        radius,
        centres,
        seats: Vec::new(),
        cp,
    };
    layout.seats = (0..dp * cp)
        .map(|rank| {
            let angle = layout.angle(rank);
            Seat {
                at: layout.polar(rank, radius, angle),
                block: layout.polar(rank, layout.orbit(), angle),
            }
        })
        .collect();
    layout
}

impl RingLayout {
    /// Where `hop` is when the share `t` (0 to 1) of its way is done; `None` for unknown ranks.
    pub fn hop(&self, hop: &Hop, t: f64) -> Option<Point> {
        let (from, to) = (usize::from(hop.from), usize::from(hop.to));
        let (a, b) = (self.seats.get(from)?, self.seats.get(to)?);
        let t = ease(t.clamp(0.0, 1.0));
        let same_circle = from / self.cp == to / self.cp;
        let (orbit, clear) = match hop.op {
            Op::RingKv => (Some(self.orbit()), CLEAR / self.orbit()),
            Op::RingKvGrad => (Some(self.inner_orbit()), 0.0),
            _ => (None, 0.0),
        };
        match orbit {
            Some(orbit) if same_circle => {
                let (start, end) = (self.angle(from), self.angle(to));
                let seat = TAU / self.cp as f64;
                let way = (end - start).rem_euclid(TAU).max(seat) - 2.0 * clear;
                // Halfway in time it stands between two seats, also where it passes others.
                let t = pow(t, log2(way / (seat / 2.0 - clear)));
                Some(self.polar(from, orbit, start + clear + way * t))
            }
            _ => Some(self.rim_to_rim(a.at, b.at, t)),
        }
    }

    /// Radius on which blocks travel.
    pub fn orbit(&self) -> f64 {
        self.radius + self.disc + GAP + BLOCK_REACH
    }

    /// Radius on which gradients of blocks travel.
    pub fn inner_orbit(&self) -> f64 {
        (self.radius - self.disc - GAP - BLOCK_REACH).max(BLOCK_REACH + 1.0)
    }

    /// The straight way between two discs, which leaves their numbers readable.
    fn rim_to_rim(&self, a: Point, b: Point, t: f64) -> Point {
        let whole = (b.x - a.x).hypot(b.y - a.y);
        let rim = (self.disc / whole).min(0.5);
        let t = rim + (1.0 - 2.0 * rim) * t;
        Point { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t }
    }

    /// The first rank of a replica sits at the top, the others follow clockwise.
    fn angle(&self, rank: usize) -> f64 {
        TAU * (rank % self.cp) as f64 / self.cp as f64 - TAU / 4.0
    }

    fn polar(&self, rank: usize, radius: f64, angle: f64) -> Point {
        let centre = self.centres[rank / self.cp];
        Point { x: centre.x + radius * cos(angle), y: centre.y + radius * sin(angle) }
    }
}

/// Slow at both ends.
fn ease(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Axis;

    fn distance(a: Point, b: Point) -> f64 {
        (a.x - b.x).hypot(a.y - b.y)
    }

    fn hop(from: u16, to: u16, op: Op) -> Hop {
        Hop { from, to, axis: Axis::Ring, op, bytes: 1, block: None }
    }

    const MESHES: [(usize, usize); 10] =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 8), (2, 2), (2, 4), (4, 2), (8, 1), (2, 1)];

    #[test]
    fn everything_is_inside_and_nothing_overlaps() {
        for (dp, cp) in MESHES {
            let ring = layout(dp, cp);
            assert_eq!(ring.seats.len(), dp * cp);
            for (i, seat) in ring.seats.iter().enumerate() {
                for (point, reach) in [(seat.at, ring.disc), (seat.block, BLOCK_REACH)] {
                    assert!(point.x >= reach && point.x <= ring.width - reach, "{dp}x{cp}");
                    assert!(point.y >= BLOCK_HALF && point.y <= ring.height - BLOCK_HALF);
                }
                assert!(distance(seat.at, seat.block) >= ring.disc + BLOCK_REACH);
                for other in &ring.seats[i + 1..] {
                    assert!(distance(seat.at, other.at) > 2.0 * ring.disc, "{dp}x{cp}");
                    assert!(distance(seat.block, other.block) > 2.0 * BLOCK_REACH, "{dp}x{cp}");
                }
            }
        }
    }

    fn are_apart(a: Point, b: Point) -> bool {
        (a.x - b.x).abs() >= 2.0 * BLOCK_REACH || (a.y - b.y).abs() >= 2.0 * BLOCK_HALF
    }

    #[test]
    fn a_block_goes_from_beside_one_seat_to_beside_the_next_and_hides_none() {
        for (dp, cp) in MESHES.into_iter().filter(|&(_, cp)| cp > 1) {
            let ring = layout(dp, cp);
            for from in 0..dp * cp {
                let to = from / cp * cp + (from + 1) % cp;
                let hop = hop(from as u16, to as u16, Op::RingKv);
                let at = |t| ring.hop(&hop, t).expect("known ranks");
                assert!(distance(at(0.0), ring.seats[from].block) <= CLEAR);
                assert!(distance(at(1.0), ring.seats[to].block) <= CLEAR);
                for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    let held = ring.seats.iter().map(|seat| seat.block);
                    assert!(held.into_iter().all(|held| are_apart(at(t), held)), "{dp}x{cp} {t}");
                }
            }
        }
    }

    #[test]
    fn halfway_nothing_hides_another_however_far_a_ring_leaps() {
        for (dp, cp, leap) in [(1, 4, 2), (1, 6, 2), (1, 6, 3), (1, 8, 2), (1, 8, 4), (2, 2, 1)] {
            let ring = layout(dp, cp);
            for op in [Op::RingKv, Op::RingKvGrad] {
                let mut all: Vec<Point> = ring.seats.iter().map(|seat| seat.block).collect();
                all.extend((0..dp * cp).filter_map(|from| {
                    let to = from / cp * cp + (from + leap) % cp;
                    ring.hop(&hop(from as u16, to as u16, op), 0.5)
                }));
                for (i, &a) in all.iter().enumerate() {
                    let apart = all[i + 1..].iter().all(|&b| are_apart(a, b));
                    assert!(apart, "{dp}x{cp} by {leap}, {op:?}, {i}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn blocks_stay_on_their_orbit_and_go_clockwise() {
        let ring = layout(1, 4);
        let middle = ring.hop(&hop(3, 0, Op::RingKv), 0.5).expect("known ranks");
        assert!((distance(middle, ring.centres[0]) - ring.orbit()).abs() < 1e-9);
        assert!(middle.x < ring.centres[0].x && middle.y < ring.centres[0].y);
    }

    #[test]
    fn other_messages_go_straight_and_strangers_nowhere() {
        let ring = layout(2, 2);
        let middle = ring.hop(&hop(1, 2, Op::AllReduce), 0.5).expect("known ranks");
        let (a, b) = (ring.seats[1].at, ring.seats[2].at);
        assert!((middle.x - (a.x + b.x) / 2.0).abs() < 1e-9);
        assert_eq!(ring.hop(&hop(0, 9, Op::AllReduce), 0.5), None);
    }
}
