//! The links between ranks as a matrix: who sent how much to whom.

use plan::fold::Sent;
use plan::traffic::Flow;

/// One link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Sender, which is the row.
    pub from: usize,
    /// Receiver, which is the column.
    pub to: usize,
    /// What was sent.
    pub flow: Flow,
    /// Edge of the square that is drawn, as a share of the cell's: its area is the bytes.
    pub edge: f64,
}

/// Links that were used, in order of sender and receiver.
pub fn links(sent: &Sent, world: usize) -> Vec<Link> {
    let most = sent.links().map(|(_, _, flow)| flow.bytes).max().unwrap_or(0).max(1) as f64;
    sent.links()
        .map(|(from, to, flow)| Link {
            from: usize::from(from),
            to: usize::from(to),
            flow,
            // What was used at all is seen, however little it carried.
            edge: (flow.bytes as f64 / most).sqrt().max(0.12),
        })
        .filter(|link| link.from < world && link.to < world)
        .collect()
}

/// The cell that an arrow key leads to, within `rows` and `columns`.
pub fn moved(
    (row, column): (usize, usize),
    key: &str,
    (rows, columns): (usize, usize),
) -> Option<(usize, usize)> {
    let last = |count: usize| count.saturating_sub(1);
    Some(match key {
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(last(columns))),
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowDown" => ((row + 1).min(last(rows)), column),
        "Home" => (row, 0),
        "End" => (row, last(columns)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::{Axis, Op};
    use plan::{Event, EventKind};

    #[test]
    fn areas_are_bytes() {
        let mut sent = Sent::default();
        for (rank, to, bytes) in [(0, 1, 400), (1, 0, 60), (1, 0, 40), (2, 0, 0)] {
            let (axis, op) = (Axis::Ring, Op::RingKv);
            let kind = EventKind::Send { axis, op, seq: 0, to, bytes, block: None };
            sent.add(&Event { rank, step: 0, at_us: 0, kind });
        }
        let links = links(&sent, 3);
        let edges: Vec<_> = links.iter().map(|link| (link.from, link.to, link.edge)).collect();
        assert_eq!(edges, [(0, 1, 1.0), (1, 0, 0.5), (2, 0, 0.12)]);
        assert_eq!(links[1].flow, Flow { messages: 2, bytes: 100 });
        assert_eq!(super::links(&sent, 2).len(), 2, "a rank that is not there has no row");
    }

    #[test]
    fn arrows_stay_within_the_matrix() {
        let size = (2, 3);
        for (key, expect) in [
            ("ArrowLeft", (0, 0)),
            ("ArrowRight", (0, 2)),
            ("ArrowUp", (0, 1)),
            ("ArrowDown", (1, 1)),
            ("Home", (0, 0)),
            ("End", (0, 2)),
        ] {
            assert_eq!(moved((0, 1), key, size), Some(expect), "{key}");
        }
        assert_eq!(moved((1, 2), "ArrowRight", size), Some((1, 2)));
        assert_eq!(moved((0, 1), "x", size), None);
    }
}
