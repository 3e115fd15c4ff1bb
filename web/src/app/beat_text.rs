//! A beat of the ring in words.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::t;
use plan::event::{Axis, Op, Pass};
use plan::fold::beats::{Beat, Work};

use crate::app::turn;

/// What is computed and what travels in the moment of that index, as one or two short sentences;
/// `steps` are those of a ring, or turns without one.
pub fn describe(
    beats: &[Beat],
    index: usize,
    layers: usize,
    is_ring: bool,
    steps: usize,
) -> String {
    let Some(beat) = beats.get(index) else { return String::new() };
    let work = match first(beat) {
        Some(work) => Some(computing(work, layers, is_ring, steps)),
        None => beside(beats, index).map(|(work, side)| exchanging(work, layers, side)),
    };
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

/// On which side of a layer's attention its messages travel.
#[derive(Clone, Copy)]
enum Side {
    /// They bring what it needs.
    Before,
    /// They take away what came of it.
    After,
}

/// The attention that the messages of a moment without any serve, and on which side of it they are.
/// Heads are exchanged on both: those nearer to it are its.
fn beside(beats: &[Beat], index: usize) -> Option<(&Work, Side)> {
    let op = beats[index].hops.iter().map(|hop| hop.op).find(|&op| serves_attention(op))?;
    let (past, coming) = (&beats[..index], &beats[index + 1..]);
    let last = past.iter().rev().enumerate().find_map(|(far, beat)| Some((far, first(beat)?)));
    let next = coming.iter().enumerate().find_map(|(far, beat)| Some((far, first(beat)?)));
    let is_after = match op {
        Op::RingKvGrad | Op::ReduceScatter => true,
        Op::RingKv | Op::AllGather => false,
        _ => last.is_some_and(|(last, _)| next.is_none_or(|(next, _)| last <= next)),
    };
    match is_after {
        true => last.map(|(_, work)| (work, Side::After)),
        false => next.map(|(_, work)| (work, Side::Before)),
    }
}

/// Whether messages of that kind belong to a layer's attention.
fn serves_attention(op: Op) -> bool {
    matches!(op, Op::RingKv | Op::RingKvGrad | Op::AllGather | Op::ReduceScatter | Op::AllToAll)
}

/// What the first rank that computes in `beat` does.
fn first(beat: &Beat) -> Option<&Work> {
    beat.work.iter().flatten().next()
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
    let step = (steps > 1).then(|| match work.is_rest {
        true => t!("beats.rest"),
        false => turn::of(is_ring, usize::from(work.ring_step), steps),
    });
    in_layer(work, layers, step)
}

fn exchanging(work: &Work, layers: usize, side: Side) -> String {
    let when = match side {
        Side::Before => t!("beats.before"),
        Side::After => t!("beats.after"),
    };
    in_layer(work, layers, Some(when))
}

fn in_layer(work: &Work, layers: usize, what: Option<Cow<'static, str>>) -> String {
    let pass = match work.pass {
        Pass::Forward => t!("beats.forward"),
        Pass::Backward => t!("beats.backward"),
    };
    let layer = (layers > 1).then(|| t!("beats.layer", layer = work.layer + 1, layers = layers));
    [Some(pass), layer, what].into_iter().flatten().collect::<Vec<_>>().join(&t!("cursor.comma"))
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
            assert_eq!(describe(&[beat(pass, op)], 0, 2, true, 4), expect);
        }
        let mut rest = beat(Some(Pass::Backward), None);
        rest.work[1].iter_mut().for_each(|work| work.is_rest = true);
        let expect = "Backward, layer 2 of 2, what is left of the own tiles.";
        assert_eq!(describe(&[rest], 0, 2, true, 4), expect);
        let gathered = describe(&[beat(Some(Pass::Forward), None)], 0, 1, false, 4);
        assert_eq!(gathered, "Forward, turn 3 of 4.");
    }

    #[test]
    fn heads_are_exchanged_before_and_after_attention() {
        let heads = || beat(None, Some(Op::AllToAll));
        let attends = || beat(Some(Pass::Forward), None);
        let beats = [heads(), attends(), heads(), heads(), attends(), heads()];
        let moved = "slices of heads change hands (all_to_all).";
        let words = |index| describe(&beats, index, 2, false, 1);
        for (index, side) in [(0, "before"), (2, "after"), (3, "before"), (5, "after")] {
            let expect = format!("Forward, layer 2 of 2, {side} attention; {moved}");
            assert_eq!(words(index), expect, "{index}");
        }
        assert_eq!(words(1), "Forward, layer 2 of 2.");
        let gathered = [attends(), beat(None, Some(Op::AllGather)), attends()];
        let words = describe(&gathered, 1, 2, false, 1);
        assert!(words.starts_with("Forward, layer 2 of 2, before attention;"), "{words}");
    }
}
