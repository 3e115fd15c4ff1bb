//! A span of the timeline in words, with its numbers.

use crate::t;
use plan::EventKind;
use plan::event::{Compute, Pass};
use plan::{RunPlan, TileKind};

use crate::app::format;
use crate::app::geometry::timeline::Span;
use crate::app::turn;

/// What a span is, its rank and its numbers, for a sentence and for a table's row alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What was done.
    pub what: String,
    /// Layer, from 1, where the event knows it.
    pub layer: Option<usize>,
    /// Step of the ring, or turn without one, from 0.
    pub ring_step: Option<usize>,
    /// The rank at the other end, or whose keys were used.
    pub other: Option<u16>,
    /// Payload.
    pub bytes: Option<u64>,
}

/// Tells `span`.
pub fn tell(span: &Span) -> Told {
    let told = |what: std::borrow::Cow<'_, str>| Told {
        what: what.into_owned(),
        layer: None,
        ring_step: None,
        other: None,
        bytes: None,
    };
    match span.kind {
        EventKind::Tile { layer, pass, ring_step, kv_from, kind, pairs, .. } => {
            let seen = match kind {
                TileKind::Full => t!("spans.full"),
                TileKind::Partial => t!("spans.in_part"),
                TileKind::Skip => t!("spans.skipped"),
            };
            let pairs = format::count(pairs);
            Told {
                layer: Some(usize::from(layer) + 1),
                ring_step: Some(usize::from(ring_step)),
                other: Some(kv_from),
                ..told(t!("spans.attention", pass = passed(pass), seen = seen, pairs = pairs))
            }
        }
        EventKind::Compute { what, .. } => told(match what {
            Compute::Forward => t!("spans.compute_forward"),
            Compute::Backward => t!("spans.compute_backward"),
            Compute::Optimizer => t!("spans.compute_optimizer"),
        }),
        EventKind::Send { axis, op, to, bytes, block, .. } => Told {
            other: Some(to),
            bytes: Some(bytes),
            ..told(match block {
                Some(block) => {
                    t!("spans.send_block", op = op.name(), axis = axis.name(), block = block)
                }
                None => t!("spans.send", op = op.name(), axis = axis.name()),
            })
        },
        EventKind::Recv { axis, op, from, bytes, block, .. } => Told {
            other: Some(from),
            bytes: Some(bytes),
            ..told(match block {
                Some(block) => {
                    t!("spans.wait_block", op = op.name(), axis = axis.name(), block = block)
                }
                None => t!("spans.wait", op = op.name(), axis = axis.name()),
            })
        },
        EventKind::Collective { axis, op, .. } => {
            told(t!("spans.collective", op = op.name(), axis = axis.name()))
        }
        EventKind::StepBegin
        | EventKind::StepEnd { .. }
        | EventKind::Scalar { .. }
        | EventKind::Held { .. } => told(t!("spans.step")),
    }
}

/// The whole of it as one sentence.
pub fn sentence(span: &Span, plan: &RunPlan) -> String {
    let told = tell(span);
    let mut parts = vec![t!("spans.begins", rank = span.rank, what = told.what)];
    if let Some(layer) = told.layer {
        parts.push(t!("spans.of_layers", layer = layer, layers = plan.model().layers));
    }
    if let Some(step) = told.ring_step {
        let attention = plan.attention();
        parts.push(turn::of(turn::is_ring(attention), step, attention.steps()));
    }
    if let Some(other) = told.other {
        parts.push(match span.kind {
            EventKind::Send { .. } => t!("spans.to", rank = other),
            EventKind::Recv { .. } => t!("spans.from", rank = other),
            _ => t!("spans.keys_of", rank = other),
        });
    }
    if let Some(bytes) = told.bytes {
        parts.push(t!("spans.so_many_bytes", bytes = format::count(bytes)));
    }
    let start = format::count(span.start_us);
    let what = parts.join(&t!("cursor.comma"));
    match span.kind {
        EventKind::Send { .. } => t!("spans.at_moment", what = what, start = start),
        _ => {
            let took = format::count(span.took_us);
            t!("spans.for_time", what = what, start = start, took = took)
        }
    }
    .into_owned()
}

fn passed(pass: Pass) -> String {
    match pass {
        Pass::Forward => t!("spans.forward"),
        Pass::Backward => t!("spans.backward"),
    }
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::{Axis, Op};

    #[test]
    fn spans_in_words() {
        let plan = RunPlan::new(Default::default()).expect("the default run is possible");
        let (axis, op, seq) = (Axis::Ring, Op::RingKv, 3);
        for (kind, expect) in [
            (
                EventKind::Tile {
                    layer: 1,
                    pass: Pass::Backward,
                    ring_step: 2,
                    kv_from: 0,
                    kind: TileKind::Partial,
                    pairs: 2080,
                    took_us: 1500,
                },
                "Rank 2: attention backward, tile in part, 2\u{202f}080 pairs, layer 2 of 2, ring \
                 step 3 of 4, keys of rank 0; from 12\u{202f}345 µs, for 1\u{202f}500 µs.",
            ),
            (
                EventKind::Send { axis, op, seq, to: 3, bytes: 32768, block: Some(1) },
                "Rank 2: send: ring kv in ring, block 1, to rank 3, 32\u{202f}768 bytes; at \
                 12\u{202f}345 µs.",
            ),
            (
                EventKind::Recv {
                    axis,
                    op,
                    seq,
                    from: 1,
                    bytes: 32768,
                    block: Some(1),
                    waited_us: 1500,
                },
                "Rank 2: wait: ring kv in ring, block 1, from rank 1, 32\u{202f}768 bytes; from \
                 12\u{202f}345 µs, for 1\u{202f}500 µs.",
            ),
            (
                EventKind::Compute { what: Compute::Optimizer, took_us: 1500 },
                "Rank 2: compute: optimizer; from 12\u{202f}345 µs, for 1\u{202f}500 µs.",
            ),
            (
                EventKind::Collective { axis: Axis::World, op: Op::AllReduce, seq, took_us: 1500 },
                "Rank 2: collective: all_reduce in world; from 12\u{202f}345 µs, for \
                 1\u{202f}500 µs.",
            ),
        ] {
            let took_us = if matches!(kind, EventKind::Send { .. }) { 0 } else { 1500 };
            let span = Span { rank: 2, start_us: 12_345, took_us, kind };
            assert_eq!(sentence(&span, &plan), expect);
        }
    }
}
