//! The ring's moments as a table: what each rank holds, computes and sends.

use crate::t;
use plan::TileKind;
use plan::event::Op;
use plan::fold::beats::{Beat, Beats, Hop};
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::format;
use crate::app::shared::Shared;
use crate::app::view::parts::rank_mark;

/// Properties of [`RingTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The step that the ring shows.
    pub beats: Shared<Beats>,
    /// Whether it was trained.
    pub seen: bool,
    /// Whether ranks hold blocks of keys and values.
    pub blocks: bool,
}

/// The table; a closed one has no rows to keep up.
#[component]
pub fn RingTable(Props { beats, seen, blocks }: &Props) -> Html {
    let opened = use_state(|| false);
    let toggle = {
        let opened = opened.clone();
        Callback::from(move |event: Event| {
            let details = event.target_dyn_into::<HtmlElement>();
            opened.set(details.is_some_and(|details| details.has_attribute("open")));
        })
    };
    html! {
        <details ontoggle={toggle}>
            <summary>{ t!("ring.as_table") }</summary>
            if *opened && !seen {
                <p>{ t!("ring.own_blocks") }</p>
            } else if *opened {
                <div class="scroll tall" tabindex="0" role="region" aria-label={t!("ring.moments")}>
                    <table class="moments">
                        <caption>{ t!("ring.moments_of", step = beats.step + 1) }</caption>
                        <thead>
                            <tr>
                                <th scope="col">{ t!("ring.moment_column") }</th>
                                { for (0..ranks(beats)).map(|rank| html! {
                                    <th key={rank} scope="col" class="text" data-rank={rank.to_string()}>{ rank_mark(rank) }</th>
                                }) }
                            </tr>
                        </thead>
                        <tbody>{ for beats.beats.iter().enumerate().map(|(index, beat)| row(index, beat, *blocks)) }</tbody>
                    </table>
                </div>
            }
        </details>
    }
}

fn ranks(beats: &Beats) -> usize {
    beats.beats.first().map_or(0, |beat| beat.blocks.len())
}

fn row(index: usize, beat: &Beat, blocks: bool) -> Html {
    let cell = |rank: usize| {
        html! { <td key={rank} class="text" data-rank={rank.to_string()}>{ told(beat, rank, blocks) }</td> }
    };
    html! {
        <tr key={index}>
            <th scope="row">{ index + 1 }</th>
            { for (0..beat.blocks.len()).map(cell) }
        </tr>
    }
}

/// What one rank does in a moment.
fn told(beat: &Beat, rank: usize, blocks: bool) -> String {
    let held = blocks.then(|| t!("ring.holds", block = beat.blocks[rank]).into_owned());
    let mut parts: Vec<String> = held.into_iter().collect();
    if let Some(work) = beat.work[rank] {
        let kind = match work.kind {
            TileKind::Full => t!("ring.full"),
            TileKind::Partial => t!("ring.part"),
            TileKind::Skip => t!("ring.skips"),
        };
        parts.push(kind.into_owned());
    }
    parts.extend(beat.hops.iter().filter(|hop| usize::from(hop.from) == rank).map(sent));
    match parts.is_empty() {
        true => "–".to_owned(),
        false => parts.join(&t!("cursor.comma")),
    }
}

fn sent(hop: &Hop) -> String {
    let what = match (hop.op, hop.block) {
        (Op::RingKv, Some(block)) => format!("kv {block}"),
        (Op::RingKvGrad, Some(block)) => format!("∇ {block}"),
        (op, _) => op.name().to_owned(),
    };
    t!("ring.sends", what = what, to = hop.to, bytes = format::bytes(hop.bytes)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::{Axis, Pass};
    use plan::fold::beats::Work;

    #[test]
    fn a_moment_of_a_rank_in_words() {
        let hop = |from, op, block| Hop { from, to: 2, axis: Axis::Ring, op, bytes: 32_768, block };
        let work = Work {
            layer: 0,
            pass: Pass::Forward,
            ring_step: 0,
            kv_from: 1,
            kind: TileKind::Partial,
            is_rest: false,
        };
        let beat = Beat {
            blocks: vec![0, 1],
            work: vec![None, Some(work)],
            hops: vec![hop(1, Op::RingKv, Some(1)), hop(0, Op::AllReduce, None)],
        };
        assert_eq!(told(&beat, 1, true), "holds kv 1, part tile, sends kv 1 to 2 (32.8 KB)");
        assert_eq!(told(&beat, 0, true), "holds kv 0, sends all_reduce to 2 (32.8 KB)");
        assert_eq!(told(&beat, 0, false), "sends all_reduce to 2 (32.8 KB)");
        assert_eq!(told(&Beat { hops: Vec::new(), ..beat }, 0, false), "–");
    }
}
