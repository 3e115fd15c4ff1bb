//! The loss curve as an SVG of its own, with its axes: on the page those are text around it.

use std::fmt::Write;

use crate::t;
use plan::fold::Curve;

use crate::app::geometry::scale::{Scale, anchor, brief, label, path, thin, ticks};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 48.0;
const EDGE: f64 = 16.0;
const POINTS: usize = 800;

/// The colours of the page's theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colours {
    /// Behind everything.
    pub paper: String,
    /// Text.
    pub ink: String,
    /// Lines of the grid.
    pub line: String,
    /// The curve.
    pub accent: String,
}

/// The losses as a picture of that title, which has nothing that XML reads as a mark.
pub fn draw(curve: &Curve, title: &str, colours: &Colours) -> String {
    let points: Vec<(f64, f64)> =
        curve.losses().into_iter().map(|(step, loss)| (f64::from(step + 1), loss)).collect();
    let finite = || points.iter().map(|p| p.1).filter(|loss| loss.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
    let low = if low.is_finite() { low.floor() } else { 0.0 };
    let high = high.ceil().max(low + 1.0);
    let last = points.last().map_or(1.0, |p| p.0).max(1.0);
    let x = Scale::new((0.0, last), (LEFT, WIDTH - EDGE));
    let y = Scale::new((low, high), (HEIGHT - BOTTOM, EDGE));
    let Colours { paper, ink, line, accent } = colours;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"14\">\
         <title>{title}</title>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>"
    );
    // Writing to a string does not fail.
    for tick in ticks(low, high, 6) {
        let (at, text) = (y.at(tick), brief(tick));
        let _ = write!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"{line}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{ink}\">{text}</text>",
            WIDTH - EDGE,
            LEFT - 8.0,
            at + 5.0
        );
    }
    for tick in ticks(0.0, last, 8) {
        let (at, base, text) = (x.at(tick), HEIGHT - BOTTOM + 20.0, label(tick));
        let anchor = anchor(at, &text, (0.0, WIDTH));
        let _ = write!(
            svg,
            "<text x=\"{at:.1}\" y=\"{base}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{text}</text>"
        );
    }
    let _ = write!(
        svg,
        "<path d=\"{}\" fill=\"none\" stroke=\"{accent}\" stroke-width=\"2.5\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>\
         </svg>",
        path(&thin(&points, POINTS), x, y),
        (LEFT + WIDTH) / 2.0,
        HEIGHT - 10.0,
        t!("share.axes")
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    #[test]
    fn the_curve_has_its_points_and_axes() {
        let mut curve = Curve::default();
        for (step, value) in [(0, 6.0), (1, 4.0), (2, f64::NAN)] {
            let kind = EventKind::Scalar { name: Scalar::Loss, value };
            curve.add(&Event { rank: 0, step, at_us: 0, kind });
        }
        let [paper, ink, line, accent] = ["#fff", "#000", "#ccc", "#00f"].map(str::to_owned);
        let svg = draw(&curve, "a-run", &Colours { paper, ink, line, accent });
        assert!(svg.contains("d=\"M352.0 16.0L648.0 492.0\""), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>") && svg.contains(">4.5</text>"));
        assert!(svg.contains("<title>a-run</title>"), "{svg}");
    }
}
