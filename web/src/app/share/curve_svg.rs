//! The loss curve as an SVG of its own, with its axes: on the page those are text around it.

use std::fmt::Write;

use crate::t;
use plan::fold::Curve;
use plan::run::VOCAB;

use crate::app::geometry::chart::range;
use crate::app::geometry::scale::{Scale, anchor, brief, label, path, thin, ticks};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 48.0;
const EDGE: f64 = 16.0;
const TOP: f64 = 36.0;
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
    /// That of one rank alone.
    pub other: String,
}

/// The losses as a picture of that title, which has nothing that XML reads as a mark; beside them
/// those of one rank alone, if it trained.
///
/// A run that was forked or resumed began after step `first`.
pub fn draw(
    curve: &Curve,
    first: u32,
    alone: &[(u32, f64)],
    title: &str,
    colours: &Colours,
) -> String {
    let counted = |losses: &[(u32, f64)]| -> Vec<(f64, f64)> {
        losses.iter().map(|&(step, loss)| (f64::from(step + 1), loss)).collect()
    };
    let (ours, alone) = (counted(&curve.losses()), counted(alone));
    let guess = (VOCAB as f64).ln();
    let (low, high) = range(ours.iter().chain(&alone).map(|p| p.1), (guess - 1.0, guess));
    let (low, high) = (low.floor().max(0.0), high.ceil());
    let last = ours.last().map_or(1.0, |p| p.0).max(1.0);
    let x = Scale::new((0.0, last), (LEFT, WIDTH - EDGE));
    let y = Scale::new((low, high), (HEIGHT - BOTTOM, TOP));
    let Colours { paper, ink, line, accent, other } = colours;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"14\">\
         <title>{title}</title>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>"
    );
    let mut write = |x: f64, y: f64, anchor: &str, text: &str| {
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{text}</text>"
        );
    };
    for tick in ticks(low, high, 6) {
        write(LEFT - 8.0, y.at(tick) + 5.0, "end", &brief(tick));
    }
    for tick in ticks(0.0, last, 8) {
        let (at, text) = (x.at(tick), label(tick));
        write(at, HEIGHT - BOTTOM + 20.0, anchor(at, &text, (0.0, WIDTH)), &text);
    }
    write((LEFT + WIDTH) / 2.0, HEIGHT - 10.0, "middle", &t!("share.axes"));
    write(WIDTH - EDGE, y.at(guess) - 6.0, "end", &t!("curve.guessing"));
    if !alone.is_empty() {
        write(WIDTH - EDGE, TOP - 12.0, "end", &format!("- - {}", t!("curve.alone")));
    }
    let mut stroke = |path: &str, looks: &str| {
        let _ = write!(svg, "<path d=\"{path}\" fill=\"none\" {looks}/>");
    };
    let across = |value: f64| format!("M{LEFT} {:.1}H{:.1}", y.at(value), WIDTH - EDGE);
    for tick in ticks(low, high, 6) {
        stroke(&across(tick), &format!("stroke=\"{line}\""));
    }
    stroke(&across(guess), &format!("stroke=\"{ink}\" stroke-dasharray=\"2 4\""));
    if curve.steps().next().is_some_and(|(step, _)| step < first) {
        let down = format!("M{:.1} {TOP}V{}", x.at(f64::from(first)), HEIGHT - BOTTOM);
        stroke(&down, &format!("stroke=\"{ink}\" stroke-dasharray=\"2 4\""));
    }
    for (losses, looks) in [
        (&ours, format!("stroke=\"{accent}\" stroke-width=\"2.5\"")),
        (&alone, format!("stroke=\"{other}\" stroke-width=\"2\" stroke-dasharray=\"6 5\"")),
    ] {
        if !losses.is_empty() {
            stroke(&path(&thin(losses, POINTS), x, y), &looks);
        }
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    #[test]
    fn the_curve_has_its_points_axes_and_what_it_is_held_against() {
        let mut curve = Curve::default();
        for (step, value) in [(0, 6.0), (1, 4.0), (2, f64::NAN)] {
            let kind = EventKind::Scalar { name: Scalar::Loss, value };
            curve.add(&Event { rank: 0, step, at_us: 0, kind });
        }
        let [paper, ink, line, accent, other] =
            ["#fff", "#000", "#ccc", "#00f", "#888"].map(str::to_owned);
        let colours = Colours { paper, ink, line, accent, other };
        let svg = draw(&curve, 0, &[], "a-run", &colours);
        assert!(svg.contains("d=\"M352.0 36.0L648.0 492.0\""), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>") && svg.contains(">4.5</text>"));
        assert!(svg.contains("<title>a-run</title>"), "{svg}");
        assert!(svg.contains(">guessing: ln 256</text>") && !svg.contains("one rank"), "{svg}");
        let forked = draw(&curve, 1, &[], "a-run", &colours);
        assert!(forked.contains("d=\"M352.0 36V492\"") && !svg.contains("36V492"), "{forked}");
        let beside = draw(&curve, 0, &[(0, 6.0), (1, 4.0)], "a-run", &colours);
        assert!(beside.contains("d=\"M352.0 36.0L648.0 492.0\" fill=\"none\" stroke=\"#888\""));
        assert!(beside.contains(">- - one rank alone</text>"), "{beside}");
    }
}
