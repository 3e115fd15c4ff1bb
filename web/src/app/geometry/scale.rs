//! Axes and lines of a chart.

use std::fmt::Write;

use super::elementary::{log10, pow};

/// A straight map from numbers to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Maps `low..high` to `from..to`; a domain without extent maps to `from`.
    pub fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self { low, high, from, to }
    }

    /// The pixel of `value`.
    pub fn at(&self, value: f64) -> f64 {
        if self.high == self.low {
            return self.from;
        }
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The value at a pixel.
    pub fn invert(&self, pixel: f64) -> f64 {
        if self.to == self.from {
            return self.low;
        }
        self.low + (pixel - self.from) / (self.to - self.from) * (self.high - self.low)
    }
}

/// About `count` round numbers from `low` to `high`.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) || count == 0 {
        return vec![low];
    }
    let rough = span / count as f64;
    let power = pow(10.0, log10(rough).floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|m| m * power)
        .into_iter()
        .find(|&step| step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    (first as i64..=last as i64).map(|i| i as f64 * step).collect()
}

/// How the text of a tick at `x` stands to it, so that no edge of a field from `left` to `right` cuts
/// it: an SVG `text-anchor`.
pub fn anchor(x: f64, text: &str, (left, right): (f64, f64)) -> &'static str {
    /// Pixels of half a letter at the size of an axis, at the most.
    const HALF_A_LETTER: f64 = 4.0;
    let half = HALF_A_LETTER * text.chars().count() as f64;
    match x {
        x if x + half > right => "end",
        x if x - half < left => "start",
        _ => "middle",
    }
}

/// A tick's number, without the dust of binary fractions.
pub fn label(tick: f64) -> String {
    let text = format!("{tick:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The same where there is little room: thousands as `12k`, and from a million on as `4e12`.
pub fn brief(tick: f64) -> String {
    if tick >= 1e6 {
        let power = log10(tick).floor();
        format!("{}e{power}", label(tick / pow(10.0, power)))
    } else if tick >= 1e4 {
        format!("{}k", label(tick / 1e3))
    } else {
        label(tick)
    }
}

/// At most about `most` of the points, each stretch standing for its lowest and highest.
pub fn thin(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most.max(4) {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil((most / 2).max(1));
    points
        .chunks(stretch)
        .flat_map(|chunk| {
            let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
            let low = chunk.iter().min_by(by_height).copied();
            let high = chunk.iter().max_by(by_height).copied();
            let (first, last) =
                if low.map(|p| p.0) <= high.map(|p| p.0) { (low, high) } else { (high, low) };
            first.into_iter().chain(last.filter(|_| first != last))
        })
        .collect()
}

/// An SVG path through `points`; numbers that are not finite interrupt it.
pub fn path(points: &[(f64, f64)], x: Scale, y: Scale) -> String {
    let mut path = String::new();
    let mut pen_down = false;
    for &(px, py) in points {
        let (px, py) = (x.at(px), y.at(py));
        if !(px.is_finite() && py.is_finite()) {
            pen_down = false;
            continue;
        }
        // Writing to a string does not fail.
        let _ = write!(path, "{}{px:.1} {py:.1}", if pen_down { 'L' } else { 'M' });
        pen_down = true;
    }
    // A line of no length: one number alone is a dot.
    if pen_down && points.len() == 1 {
        path.push_str("h0");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_undone_by_its_inverse() {
        let scale = Scale::new((2.0, 6.0), (100.0, 0.0));
        assert_eq!((scale.at(2.0), scale.at(6.0), scale.at(4.0)), (100.0, 0.0, 50.0));
        assert_eq!(scale.invert(scale.at(3.3)), 3.3);
        assert_eq!(Scale::new((1.0, 1.0), (0.0, 9.0)).at(5.0), 0.0);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 20.0, 4), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(1.2, 5.8, 5), [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(ticks(3.0, 3.0, 5), [3.0]);
        assert_eq!([label(0.1 + 0.2), label(20.0), label(0.0)], ["0.3", "20", "0"]);
        assert_eq!(ticks(0.0, f64::NAN, 5), [0.0]);
        let brief = [9000.0, 12_000.0, 1e6, 2.5e6, 4e12, 1.5e300].map(brief);
        assert_eq!(brief, ["9000", "12k", "1e6", "2.5e6", "4e12", "1.5e300"]);
        for high in [0.003, 1.0, 7.0, 99.0, 12345.0] {
            let ticks = ticks(0.0, high, 5);
            assert!((2..=8).contains(&ticks.len()) && ticks.iter().all(|&t| t <= high * 1.001));
        }
    }

    #[test]
    fn no_edge_cuts_a_ticks_text() {
        for (x, text, expect) in [
            (34.0, "0 ms", "start"),
            (150.0, "5 ms", "middle"),
            (272.0, "12.5 ms", "middle"),
            (273.0, "12.5 ms", "end"),
            (300.0, "10 ms", "end"),
        ] {
            assert_eq!(anchor(x, text, (34.0, 300.0)), expect, "{x} {text}");
        }
    }

    #[test]
    fn thinning_keeps_the_extremes_and_the_order() {
        let points: Vec<(f64, f64)> =
            (0..1000).map(|i| (i as f64, if i == 500 { 99.0 } else { (i % 7) as f64 })).collect();
        let thin = thin(&points, 100);
        assert!(thin.len() <= 102);
        assert!(thin.contains(&(500.0, 99.0)));
        assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_path_skips_what_is_no_number() {
        let unit = Scale::new((0.0, 1.0), (0.0, 1.0));
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0)];
        assert_eq!(path(&points, unit, unit), "M0.0 0.0L1.0 1.0M3.0 1.0");
    }
}
