//! A chart of a number over the steps: its axes, its lines, and the step under a pointer.

use crate::app::geometry::scale::{Scale, path, thin, ticks};

/// Charts are drawn in thousandths of width and height, so that text around keeps its size.
pub const UNITS: f64 = 1000.0;
/// Points of a line: more than a screen tells apart.
const POINTS: usize = 600;

/// The axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Steps, from 1, to thousandths of the width.
    pub x: Scale,
    /// Values to thousandths of the height.
    pub y: Scale,
    /// Marks of the step axis.
    pub across: Vec<f64>,
    /// Marks of the value axis.
    pub up: Vec<f64>,
    /// The last step that was trained, from 1; 0 before the first.
    pub last: f64,
}

impl Chart {
    /// Axes for a run of `total` steps, `last` of them trained, with values from `low` to `high`.
    pub fn new(last: u32, total: u32, (low, high): (f64, f64)) -> Self {
        let last = f64::from(last);
        let end = extent(last, total);
        Self {
            x: Scale::new((0.0, end), (0.0, UNITS)),
            y: Scale::new((low, high), (UNITS, 0.0)),
            across: ticks(0.0, end, 5),
            up: ticks(low, high, 5),
            last,
        }
    }

    /// The line through values by step, counted from 0.
    pub fn line(&self, values: &[(u32, f64)]) -> String {
        let points: Vec<(f64, f64)> =
            values.iter().map(|&(step, value)| (f64::from(step + 1), value)).collect();
        path(&thin(&points, POINTS), self.x, self.y)
    }

    /// The line of something that keeps its value until the next, up to the last step.
    pub fn stairs(&self, changes: &[(u32, f64)]) -> String {
        let ends = changes.iter().skip(1).map(|&(step, _)| f64::from(step));
        let points: Vec<(f64, f64)> = changes
            .iter()
            .zip(ends.chain([self.last]))
            .flat_map(|(&(step, value), end)| [(f64::from(step), value), (end, value)])
            .collect();
        path(&points, self.x, self.y)
    }

    /// The trained step, counted from 0, at a share of the width; `None` before there is any.
    pub fn step_at(&self, share: f64) -> Option<u32> {
        (self.last >= 1.0)
            .then(|| self.x.invert(share * UNITS).round().clamp(1.0, self.last) as u32 - 1)
    }
}

/// The ends of an axis that shows `values`, and `must` as well.
pub fn range(values: impl Iterator<Item = f64>, must: (f64, f64)) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold(must, |(low, high), v| (f64::min(low, v), f64::max(high, v)));
    if high > low { (low, high) } else { (low, low + 1.0) }
}

/// The value at `step`, or at the first one behind it, or at the last.
pub fn nearest(values: &[(u32, f64)], step: u32) -> Option<(u32, f64)> {
    let index = values.partition_point(|&(other, _)| other < step);
    values.get(index).or(values.last()).copied()
}

/// The end of the step axis: it grows in round leaps, so that the curve does not creep.
fn extent(last: f64, total: u32) -> f64 {
    let leaps = [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0];
    let leap = leaps.into_iter().find(|&leap| leap >= last).unwrap_or(10_000.0);
    leap.min(f64::from(total).max(last)).max(last).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_axis_grows_in_leaps_up_to_the_run() {
        for (last, total, expect) in [
            (0, 200, 20.0),
            (21, 200, 50.0),
            (150, 180, 180.0),
            (9_000, 100_000, 10_000.0),
            (12_000, 100_000, 12_000.0),
            (0, 5, 5.0),
        ] {
            assert_eq!(extent(f64::from(last), total), expect, "{last} of {total}");
        }
    }

    #[test]
    fn a_pointer_finds_a_step_that_was_trained() {
        let chart = Chart::new(10, 100, (0.0, 1.0));
        let at = |share| chart.step_at(share);
        assert_eq!([at(0.0), at(0.25), at(1.0)], [Some(0), Some(4), Some(9)]);
        assert_eq!(Chart::new(0, 100, (0.0, 1.0)).step_at(0.5), None);
    }

    #[test]
    fn lines_and_stairs() {
        let chart = Chart::new(20, 20, (0.0, 10.0));
        assert_eq!(
            chart.line(&[(0, 10.0), (9, 5.0), (19, 0.0)]),
            "M50.0 0.0L500.0 500.0L1000.0 1000.0"
        );
        assert_eq!(
            chart.stairs(&[(1, 2.0), (10, 4.0)]),
            "M50.0 800.0L500.0 800.0L500.0 600.0L1000.0 600.0"
        );
        assert_eq!(chart.stairs(&[]), "");
    }

    #[test]
    fn ranges_hold_what_they_must_and_skip_what_is_no_number() {
        let of = |values: &[f64], must| range(values.iter().copied(), must);
        assert_eq!(of(&[2.0, f64::NAN, 7.0], (0.0, 0.0)), (0.0, 7.0));
        assert_eq!(of(&[2.0], (4.5, 5.8)), (2.0, 5.8));
        assert_eq!(of(&[], (0.0, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn a_step_without_a_value_reads_the_next_one() {
        let values = [(2, 1.0), (5, 2.0)];
        let steps = [0, 2, 3, 5, 9].map(|step| nearest(&values, step).map(|n| n.0));
        assert_eq!(steps, [2, 2, 5, 5, 5].map(Some));
        assert_eq!(nearest(&[], 0), None);
    }
}
