//! The ring at one moment, as SVG.

use plan::TileKind;
use plan::event::Op;
use plan::fold::beats::{Beats, Hop, Work};
use yew::prelude::*;

use crate::app::geometry::ring::{BLOCK_HALF, BLOCK_REACH, Point, RingLayout, layout};
use crate::app::shared::Shared;
use crate::app::view::parts::rank_class;

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
}

/// The drawing.
#[component]
pub fn RingDrawing(props: &Props) -> Html {
    let Props { dp, cp, beats, index, progress, seen } = props;
    let Some(beat) = beats.beats.get(*index) else { return html! {} };
    let ring = use_memo((*dp, *cp), |&(dp, cp)| layout(dp, cp));
    let view_box = format!("0 0 {:.0} {:.0}", ring.width, ring.height);
    let holders = beat.blocks.iter().enumerate();
    let words: Vec<String> =
        holders.clone().map(|(rank, block)| format!("rank {rank} holds block {block}")).collect();
    html! {
        <svg
            class={classes!("ring-drawing", (*dp > 1).then_some("many"))}
            viewBox={view_box}
            role="img"
            aria-label={format!("Ring of ranks: {}.", words.join(", "))}
        >
            { for ring.centres.iter().map(|centre| html! {
                <circle class="track" cx={px(centre.x)} cy={px(centre.y)} r={px(ring.radius)} />
            }) }
            { for ring.seats.iter().enumerate().map(|(rank, seat)| {
                let work = beat.work.get(rank).copied().flatten();
                disc(rank, seat.at, ring.disc, work, *seen)
            }) }
            { for holders.filter_map(|(rank, &block)| {
                let seat = ring.seats.get(rank)?;
                Some(html! { <g key={format!("held-{rank}")}>{ chip(seat.block, block, "kv", "held") }</g> })
            }) }
            { for beat.hops.iter().enumerate().filter_map(|(i, hop)| message(&ring, i, hop, *progress)) }
        </svg>
    }
}

fn disc(rank: usize, at: Point, radius: f64, work: Option<Work>, seen: bool) -> Html {
    let (label, state) = match work.map(|work| work.kind) {
        Some(TileKind::Full) => ("full tile", "busy"),
        Some(TileKind::Partial) => ("part tile", "busy"),
        Some(TileKind::Skip) => ("skips", "idle"),
        None if seen => ("", "idle"),
        None => ("", "busy"),
    };
    html! {
        <g key={format!("rank-{rank}")} class={classes!("disc", rank_class(rank), state)}>
            <circle cx={px(at.x)} cy={px(at.y)} r={px(radius)} />
            <text class="number" x={px(at.x)} y={px(at.y + 2.0)}>{ rank }</text>
            <text class="doing" x={px(at.x)} y={px(at.y + 17.0)}>{ label }</text>
        </g>
    }
}

/// A block of keys and values, or of their gradients.
fn chip(at: Point, block: u16, what: &str, class: &'static str) -> Html {
    html! {
        <g
            class={classes!("chip", class, rank_class(usize::from(block)))}
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

fn message(ring: &RingLayout, index: usize, hop: &Hop, progress: f64) -> Option<Html> {
    let at = ring.hop(hop, progress)?;
    let drawn = match (hop.op, hop.block) {
        (Op::RingKv, Some(block)) => chip(at, block, "kv", "moving"),
        (Op::RingKvGrad, Some(block)) => chip(at, block, "∇", "gradient"),
        _ => html! {
            <circle
                class={classes!("dot", rank_class(usize::from(hop.from)))}
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
