//! A beat of the ring in words.

use std::collections::BTreeSet;

use crate::t;
use plan::event::{Axis, Op, Pass};
use plan::fold::beats::{Beat, Work};

use crate::app::turn;

/// What is computed and what travels, as one or two short sentences; `steps` are those of a ring, or
/// turns without one.
pub fn describe(beat: &Beat, layers: usize, is_ring: bool, steps: usize) -> String {
    let mut works = beat.work.iter().flatten();
    let work = works.next().map(|work| computing(work, layers, is_ring, steps));
    let mut travels: BTreeSet<String> = BTreeSet::new();
    travels.extend(beat.hops.iter().map(|hop| travelling(hop.op, hop.axis)));
    let travel = travels.into_iter().collect::<Vec<_>>().join(&t!("cursor.comma"));
    match (work, travel.is_empty()) {
        (Some(work), true) => t!("beats.one", what = work).into_owned(),
        (Some(work), false) => t!("beats.both", work = work, travel = travel).into_owned(),
        (None, false) => t!("beats.one", what = capital(&travel)).into_owned(),
        (None, true) => t!("beats.nothing").into_owned(),
    }
}

/// The text with a capital letter, where it begins with one of ASCII: the tables for all scripts
/// are a fiftieth of the page.
pub fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn computing(work: &Work, layers: usize, is_ring: bool, steps: usize) -> String {
    let pass = match work.pass {
        Pass::Forward => t!("beats.forward"),
        Pass::Backward => t!("beats.backward"),
    };
    let layer = (layers > 1).then(|| t!("beats.layer", layer = work.layer + 1, layers = layers));
    let step = (steps > 1).then(|| match work.is_rest {
        true => t!("beats.rest"),
        false => turn::of(is_ring, usize::from(work.ring_step), steps),
    });
    [Some(pass), layer, step].into_iter().flatten().collect::<Vec<_>>().join(&t!("cursor.comma"))
}

fn travelling(op: Op, axis: Axis) -> String {
    match (op, axis) {
        (Op::RingKv, _) => t!("beats.kv"),
        (Op::RingKvGrad, _) => t!("beats.kv_grad"),
        (Op::AllToAll, _) => t!("beats.heads"),
        (Op::AllGather, Axis::Cp | Axis::Ring) => t!("beats.gathered"),
        (Op::ReduceScatter, Axis::Cp | Axis::Ring) => t!("beats.scattered"),
        (Op::AllReduce | Op::AllGather | Op::ReduceScatter, _) => t!("beats.reduced"),
        (Op::Broadcast, _) => t!("beats.broadcast"),
        (Op::Barrier, _) => t!("beats.barrier"),
        (Op::SendRecv, _) => t!("beats.messages"),
    }
    .into_owned()
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
            is_rest: false,
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
            assert_eq!(describe(&beat(pass, op), 2, true, 4), expect);
        }
        let mut rest = beat(Some(Pass::Backward), None);
        rest.work[1].iter_mut().for_each(|work| work.is_rest = true);
        let expect = "Backward, layer 2 of 2, what is left of the own tiles.";
        assert_eq!(describe(&rest, 2, true, 4), expect);
        let gathered = describe(&beat(Some(Pass::Forward), None), 1, false, 4);
        assert_eq!(gathered, "Forward, turn 3 of 4.");
    }
}
