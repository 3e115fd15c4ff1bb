//! The ring at one moment, as SVG.

use crate::t;
use plan::TileKind;
use plan::event::Op;
use plan::fold::beats::{Beats, Hop, Work};
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::geometry::ring::{BLOCK_HALF, BLOCK_REACH, Point, RingLayout, layout};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::parts::{keyed, rank_class};

/// Properties of [`RingDrawing`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Replicas.
    pub dp: usize,
    /// Ranks of each.
    pub cp: usize,
    /// The step.
    pub beats: Shared<Beats>,
    /// Which of its beats.
    pub index: usize,
    /// The share of the messages' way that is done.
    pub progress: f64,
    /// Whether the moment comes from a step that was trained.
    pub seen: bool,
    /// What is lit.
    pub spot: Spot,
    /// Whether ranks hold blocks of keys and values: where heads are exchanged, none does.
    #[prop_or(true)]
    pub blocks: bool,
    /// Whether it is a picture alone, in which nothing can be chosen.
    #[prop_or_default]
    pub picture: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The drawing.
#[component]
pub fn RingDrawing(props: &Props) -> Html {
    let Props { dp, cp, beats, index, progress, seen, spot, blocks, picture, on } = props;
    let Some(beat) = beats.beats.get(*index) else { return html! {} };
    let ring = use_memo((*dp, *cp), |&(dp, cp)| layout(dp, cp));
    let view_box = format!("0 0 {:.0} {:.0}", ring.width, ring.height);
    let held = if *blocks { beat.blocks.as_slice() } else { &[] };
    let holders = held.iter().enumerate();
    let spot = *spot;
    let world = ring.seats.len();
    let chosen = spot.rank.map(usize::from).filter(|&rank| rank < world);
    let key = keyed(on, move |key| pressed(key, chosen, world));
    let words = match chosen {
        Some(rank) => t!("ring.rank_of", rank = rank, world = world),
        None => t!("ring.no_rank"),
    };
    let drawing = html! {
        <svg
            class={classes!("ring-drawing", (*dp > 1).then_some("many"))}
            viewBox={view_box}
            aria-hidden="true"
        >
            { for ring.centres.iter().map(|centre| html! {
                <circle class="track" cx={px(centre.x)} cy={px(centre.y)} r={px(ring.radius)} />
            }) }
            { for ring.seats.iter().enumerate().map(|(rank, seat)| {
                let work = beat.work.get(rank).copied().flatten();
                disc(rank, seat.at, ring.disc, work, *seen, spot)
            }) }
            { for holders.filter_map(|(rank, &block)| {
                let seat = ring.seats.get(rank)?;
                let lit = spot.block_class(block, rank);
                Some(html! { <g key={format!("held-{rank}")}>{ chip(seat.block, block, "kv", classes!("held", lit)) }</g> })
            }) }
            { for beat.hops.iter().enumerate().filter_map(|(i, hop)| message(&ring, i, hop, *progress, spot)) }
        </svg>
    };
    if *picture {
        return drawing;
    }
    html! {
        <div
            class={classes!("ring-plot", (*dp > 1).then_some("many"))}
            tabindex="0"
            role="slider"
            aria-label={t!("ring.choose")}
            aria-valuemin="0"
            aria-valuemax={(world - 1).to_string()}
            aria-valuenow={chosen.unwrap_or(0).to_string()}
            aria-valuetext={words}
            onkeydown={key}
        >
            { drawing }
        </div>
    }
}

/// What a key means while `chosen` of `world` ranks is lit.
fn pressed(key: &str, chosen: Option<usize>, world: usize) -> Option<Act> {
    let last = world - 1;
    let to = match (key, chosen) {
        ("Enter", Some(rank)) => return Some(Act::Choose(Spot::of_rank(rank))),
        ("ArrowRight" | "ArrowDown" | "ArrowLeft" | "ArrowUp" | "Enter", None) | ("Home", _) => 0,
        ("ArrowRight" | "ArrowDown", Some(rank)) => (rank + 1) % world,
        ("ArrowLeft" | "ArrowUp", Some(rank)) => rank.checked_sub(1).unwrap_or(last),
        ("End", _) => last,
        _ => return None,
    };
    Some(Act::Move(Spot::of_rank(to)))
}

fn disc(rank: usize, at: Point, radius: f64, work: Option<Work>, seen: bool, spot: Spot) -> Html {
    let (label, state) = match work.map(|work| work.kind) {
        Some(TileKind::Full) => (t!("ring.full"), "busy"),
        Some(TileKind::Partial) => (t!("ring.part"), "busy"),
        Some(TileKind::Skip) => (t!("ring.skips"), "idle"),
        None if seen => ("".into(), "idle"),
        None => ("".into(), "busy"),
    };
    html! {
        <g key={format!("rank-{rank}")} class={classes!("disc", rank_class(rank), state, spot.rank_class(rank))} data-rank={rank.to_string()}>
            <circle cx={px(at.x)} cy={px(at.y)} r={px(radius)} />
            <text class="number" x={px(at.x)} y={px(at.y + 2.0)}>{ rank }</text>
            <text class="doing" x={px(at.x)} y={px(at.y + 17.0)}>{ label }</text>
            if spot.has_rank(rank) {
                <circle class="halo" cx={px(at.x)} cy={px(at.y)} r={px(radius - 3.0)} />
            }
        </g>
    }
}

/// A block of keys and values, or of their gradients.
fn chip(at: Point, block: u16, what: &str, class: Classes) -> Html {
    html! {
        <g
            class={classes!("chip", class, rank_class(usize::from(block)))}
            data-block={block.to_string()}
            transform={format!("translate({:.1} {:.1})", at.x, at.y)}
        >
            <rect
                x={px(-BLOCK_REACH)}
                y={px(-BLOCK_HALF)}
                width={px(2.0 * BLOCK_REACH)}
                height={px(2.0 * BLOCK_HALF)}
                rx="5"
            />
            <text y="4.5">{ format!("{what} {block}") }</text>
        </g>
    }
}

fn message(ring: &RingLayout, index: usize, hop: &Hop, progress: f64, spot: Spot) -> Option<Html> {
    let at = ring.hop(hop, progress)?;
    let from = usize::from(hop.from);
    let lit = |block| spot.block_class(block, from);
    let drawn = match (hop.op, hop.block) {
        (Op::RingKv, Some(block)) => chip(at, block, "kv", classes!("moving", lit(block))),
        (Op::RingKvGrad, Some(block)) => chip(at, block, "∇", classes!("gradient", lit(block))),
        _ => html! {
            <circle
                class={classes!("dot", rank_class(from), spot.rank_class(from))}
                data-rank={hop.from.to_string()}
                data-peer={hop.to.to_string()}
                cx={px(at.x)}
                cy={px(at.y)}
                r="6"
            />
        },
    };
    Some(html! { <g key={format!("hop-{index}")}>{ drawn }</g> })
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_around_the_ring() {
        for (key, chosen, expect) in [
            ("ArrowRight", None, Some(0)),
            ("ArrowRight", Some(3), Some(0)),
            ("ArrowLeft", Some(0), Some(3)),
            ("ArrowUp", Some(2), Some(1)),
            ("Home", Some(2), Some(0)),
            ("End", None, Some(3)),
            ("a", Some(2), None),
        ] {
            let expect = expect.map(|rank| Act::Move(Spot::of_rank(rank)));
            assert_eq!(pressed(key, chosen, 4), expect, "{key} {chosen:?}");
        }
        assert_eq!(pressed("Enter", Some(2), 4), Some(Act::Choose(Spot::of_rank(2))));
    }
}
