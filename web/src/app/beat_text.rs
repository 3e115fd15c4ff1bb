//! A beat of the ring in words.

use std::collections::BTreeSet;

use plan::event::{Axis, Op, Pass};
use plan::fold::beats::{Beat, Work};

/// What is computed and what travels, as one or two short sentences.
pub fn describe(beat: &Beat, layers: usize, ring_steps: usize) -> String {
    let work = beat.work.iter().flatten().next().map(|work| computing(work, layers, ring_steps));
    let travel: BTreeSet<&str> = beat.hops.iter().map(|hop| travelling(hop.op, hop.axis)).collect();
    let travel = travel.into_iter().collect::<Vec<_>>().join(", ");
    match (work, travel.is_empty()) {
        (Some(work), true) => format!("{work}."),
        (Some(work), false) => format!("{work}; {travel}."),
        (None, false) => format!("{}{}.", travel[..1].to_uppercase(), &travel[1..]),
        (None, true) => "Nothing travels.".to_owned(),
    }
}

fn computing(work: &Work, layers: usize, ring_steps: usize) -> String {
    let pass = match work.pass {
        Pass::Forward => "Forward",
        Pass::Backward => "Backward",
    };
    let layer =
        if layers > 1 { format!(", layer {} of {layers}", work.layer + 1) } else { String::new() };
    let step = if ring_steps > 1 {
        format!(", ring step {} of {ring_steps}", work.ring_step + 1)
    } else {
        String::new()
    };
    format!("{pass}{layer}{step}")
}

fn travelling(op: Op, axis: Axis) -> &'static str {
    match (op, axis) {
        (Op::RingKv, _) => "keys and values move on",
        (Op::RingKvGrad, _) => "their gradients move on",
        (Op::AllToAll, _) => "slices of heads change hands (all_to_all)",
        (Op::AllGather, Axis::Cp | Axis::Ring) => "keys and values are gathered (all_gather)",
        (Op::ReduceScatter, Axis::Cp | Axis::Ring) => {
            "gradients of keys and values are summed (reduce_scatter)"
        }
        (Op::AllReduce | Op::AllGather | Op::ReduceScatter, _) => {
            "gradients of the parameters are summed (all_reduce)"
        }
        (Op::Broadcast, _) => "one rank's tensor goes to all",
        (Op::Barrier, _) => "ranks wait for each other",
        (Op::SendRecv, _) => "messages pass",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::TileKind;
    use plan::fold::beats::Hop;

    fn beat(pass: Option<Pass>, op: Option<Op>) -> Beat {
        let hop = |op| Hop { from: 0, to: 1, axis: Axis::Ring, op, bytes: 1, block: None };
        let work = pass.map(|pass| Work {
            layer: 1,
            pass,
            ring_step: 2,
            kv_from: 0,
            kind: TileKind::Full,
        });
        Beat { blocks: vec![0, 1], work: vec![None, work], hops: op.map(hop).into_iter().collect() }
    }

    #[test]
    fn beats_in_words() {
        for (pass, op, expect) in [
            (
                Some(Pass::Forward),
                Some(Op::RingKv),
                "Forward, layer 2 of 2, ring step 3 of 4; keys and values move on.",
            ),
            (Some(Pass::Backward), None, "Backward, layer 2 of 2, ring step 3 of 4."),
            (None, Some(Op::RingKvGrad), "Their gradients move on."),
            (None, None, "Nothing travels."),
        ] {
            assert_eq!(describe(&beat(pass, op), 2, 4), expect);
        }
    }
}
