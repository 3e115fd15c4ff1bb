//! The attention matrix as SVG: one square a tile, coloured by the rank that computes it.

use std::fmt::Write;

use plan::{AttentionPlan, RunPlan, TileKind};
use yew::prelude::*;

use crate::app::format;
use crate::app::geometry::matrix::{Cell, Matrix, bands, matrix};
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::view::parts::rank_class;
use crate::app::view::term::explain;

/// Properties of [`TileMatrix`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
}

/// Units of the edge with numbers of ranks.
const EDGE: f64 = 26.0;
/// Units of the drawing without it.
const FIELD: f64 = 320.0;
/// Units of one rank's stripe where several share a tile.
const STRIPE: f64 = 7.0;

/// The matrix with its legend.
#[component]
pub fn TileMatrix(Props { plan }: &Props) -> Html {
    let attention = plan.attention();
    let matrix = matrix(attention);
    let size = FIELD / matrix.blocks.len() as f64;
    let all = EDGE + FIELD + 1.0;
    let multiple = attention.strategy().ulysses() > 1;
    html! {
        <figure class="matrix">
            <svg viewBox={format!("0 0 {all} {all}")} role="img" aria-label="Tiles of the attention matrix; the table beside says the same">
                if multiple {
                    <defs>{ for stripes(attention) }</defs>
                }
                { for matrix.blocks.iter().enumerate().map(|(i, block)| {
                    let middle = EDGE + (i as f64 + 0.5) * size;
                    html! {
                        <g key={i} class={classes!("edge", rank_class(block.rank))}>
                            <rect x={px(EDGE - 20.0)} y={px(middle - size / 2.0 + 1.0)} width="16" height={px(size - 2.0)} />
                            <rect y={px(EDGE - 20.0)} x={px(middle - size / 2.0 + 1.0)} height="16" width={px(size - 2.0)} />
                            <text x={px(EDGE - 12.0)} y={px(middle + 4.0)}>{ block.rank }</text>
                            <text x={px(middle)} y={px(EDGE - 8.0)}>{ block.rank }</text>
                        </g>
                    }
                }) }
                { for matrix.cells.iter().map(|cell| tile(attention, &matrix, cell, size)) }
            </svg>
            <figcaption>
                { "Rows: queries. Columns: keys. Both in order of position, marked by the rank that \
                   holds them." }
                if multiple {
                    { " Stripes: the ranks share the tile by heads." }
                }
                <span class="legend">
                    <span><span class="tile-key full"></span>{ explain(Shown::Full, "full") }</span>
                    <span><span class="tile-key part"></span>{ explain(Shown::Part, "part") }</span>
                    <span><span class="tile-key skip"></span>{ explain(Shown::Skipped, "skipped") }</span>
                </span>
            </figcaption>
        </figure>
    }
}

fn tile(attention: &AttentionPlan, matrix: &Matrix, cell: &Cell, size: f64) -> Html {
    let (left, top) = (EDGE + cell.column as f64 * size, EDGE + cell.row as f64 * size);
    let (q, k) = (&matrix.blocks[cell.row].positions, &matrix.blocks[cell.column].positions);
    let mut shape = String::new();
    if cell.kind != TileKind::Skip {
        for band in bands(attention.sequence().mask(), q, k) {
            // Writing to a string does not fail.
            let _ = write!(
                shape,
                "M{:.2} {:.2}h{:.2}v{:.2}h-{2:.2}z",
                left + band.left * size,
                top + band.top * size,
                (band.right - band.left) * size,
                (band.bottom - band.top) * size + 0.05,
            );
        }
    }
    let (name, class) = match cell.kind {
        TileKind::Full => ("full", "full"),
        TileKind::Partial => ("in part", "part"),
        TileKind::Skip => ("skipped", "skip"),
    };
    let ranks = format::list(&cell.ranks);
    let title = match cell.kind {
        TileKind::Skip => "Nothing to see: not computed".to_owned(),
        _ => format!(
            "Rank {ranks}, ring step {}: seen {name}, {} pairs",
            cell.step,
            format::count(cell.pairs)
        ),
    };
    let several = cell.ranks.len() > 1;
    let fill = several.then(|| format!("fill:url(#ranks-{})", cell.ranks[0]));
    let colour = rank_class(cell.ranks.first().copied().unwrap_or(0));
    html! {
        <g key={format!("{}-{}", cell.row, cell.column)} class={classes!("tile", class, colour)}>
            <title>{ title }</title>
            <rect x={px(left + 1.0)} y={px(top + 1.0)} width={px(size - 2.0)} height={px(size - 2.0)} />
            <path d={shape} ~style={fill} />
            if cell.kind != TileKind::Skip && size > 15.0 {
                <text
                    x={px(left + if cell.kind == TileKind::Full { size / 2.0 } else { size * 0.3 })}
                    y={px(top + if cell.kind == TileKind::Full { size / 2.0 } else { size * 0.7 } + 4.0)}
                >
                    { cell.step }
                </text>
            }
        </g>
    }
}

/// Stripes in the colours of the ranks that share tiles.
fn stripes(attention: &AttentionPlan) -> impl Iterator<Item = Html> {
    let (u, r) = (attention.strategy().ulysses(), attention.strategy().ring());
    (0..r).map(move |ring_index| {
        let first = ring_index * u;
        let bars = (0..u).map(|i| {
            let colour = format!("fill:var(--rank-{})", (first + i) % 8);
            html! {
                <rect key={i} x={px(STRIPE * i as f64)} width={px(STRIPE)} height={px(STRIPE)} ~style={colour} />
            }
        });
        html! {
            <pattern
                key={first}
                id={format!("ranks-{first}")}
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
                width={px(STRIPE * u as f64)}
                height={px(STRIPE)}
            >
                { for bars }
            </pattern>
        }
    })
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}
