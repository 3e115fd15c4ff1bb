//! The attention matrix as SVG: one square a tile, coloured by the rank that computes it.

use std::fmt::Write;

use crate::t;
use plan::{AttentionPlan, Layout, RunPlan, TileKind};
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::format;
use crate::app::geometry::links::moved;
use crate::app::geometry::matrix::{Block, Cell, Matrix, bands, matrix};
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::turn;
use crate::app::view::memo::View;
use crate::app::view::parts::{keyed, rank_class};
use crate::app::view::term::explain;

/// Properties of [`TileMatrix`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What is lit.
    pub spot: Spot,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Units of the edge with numbers of ranks.
const EDGE: f64 = 26.0;
/// Units of the drawing without it.
const FIELD: f64 = 320.0;
/// Units of one rank's stripe where several share a tile.
const STRIPE: f64 = 7.0;

/// The matrix with its legend. Tiles are drawn once; what is lit lies over them.
#[component]
pub fn TileMatrix(Props { plan, spot, on }: &Props) -> Html {
    let matrix = use_memo(plan.clone(), |plan| matrix(plan.attention()));
    let at = use_state(|| (0, 0));
    let attention = plan.attention();
    let count = matrix.blocks.len();
    let all = EDGE + FIELD + 1.0;
    let multiple = attention.strategy().ulysses() > 1;
    let (row, column) = (at.0.min(count - 1), at.1.min(count - 1));
    let key = {
        let (matrix, at) = (matrix.clone(), at.clone());
        keyed(on, move |key| {
            let spot = |(row, column)| of_cell(&matrix, &matrix.cells[row * count + column]);
            if key == "Enter" {
                return Some(Act::Choose(spot((row, column))));
            }
            let to = moved((row, column), key, (count, count))?;
            at.set(to);
            Some(Act::Move(spot(to)))
        })
    };
    let words = title(attention, &matrix.cells[row * count + column]);
    let order = match plan.config().layout {
        Layout::Striped => t!("tiles.by_rank"),
        _ => t!("tiles.by_position"),
    };
    html! {
        <figure class="matrix">
            <div
                class="matrix-plot"
                tabindex="0"
                role="slider"
                aria-label={t!("tiles.choose")}
                aria-valuemin="0"
                aria-valuemax={(count * count - 1).to_string()}
                aria-valuenow={(row * count + column).to_string()}
                aria-valuetext={words}
                onkeydown={key}
            >
                <svg viewBox={format!("0 0 {all} {all}")} aria-hidden="true">
                    { Tiles { plan: plan.clone() }.part() }
                    { lit(plan, &matrix, *spot) }
                </svg>
            </div>
            <figcaption>
                { t!("tiles.caption", order = order) }
                if multiple {
                    { t!("tiles.stripes") }
                }
                <span class="legend">
                    <span><span class="tile-key full"></span>{ explain(Shown::Full, t!("tiles.full")) }</span>
                    <span><span class="tile-key part"></span>{ explain(Shown::Part, t!("tiles.part")) }</span>
                    <span><span class="tile-key skip"></span>{ explain(Shown::Skipped, t!("tiles.skipped")) }</span>
                </span>
            </figcaption>
        </figure>
    }
}

/// What a tile stands for: the rank that has its queries, and the block of its keys.
fn of_cell(matrix: &Matrix, cell: &Cell) -> Spot {
    let rank = |index: usize| Some(matrix.blocks[index].rank as u16);
    Spot { rank: rank(cell.row), block: rank(cell.column), ..Spot::default() }
}

/// A veil over what is not lit, and a frame around what is.
fn lit(plan: &RunPlan, matrix: &Matrix, spot: Spot) -> Html {
    let world = plan.mesh().world();
    let place = |number: Option<u16>| {
        let rank = world.rank(usize::from(number?)).ok()?;
        Some(plan.cp_rank(rank).index())
    };
    let (rank, block) = (place(spot.rank), place(spot.block));
    if rank.is_none() && block.is_none() {
        return html! {};
    }
    let size = FIELD / matrix.blocks.len() as f64;
    let (mut frame, mut veil) = (String::new(), String::new());
    for (cell, is_lit) in matrix.cells.iter().zip(matrix.lit(plan.attention(), rank, block)) {
        let path = if is_lit { &mut frame } else { &mut veil };
        let (left, top) = (EDGE + cell.column as f64 * size, EDGE + cell.row as f64 * size);
        // Writing to a string does not fail.
        let _ = write!(path, "M{left:.1} {top:.1}h{size:.1}v{size:.1}h-{size:.1}z");
    }
    html! {
        <g class="over">
            <path class="veil" d={veil} />
            <path class="frame" d={frame} />
        </g>
    }
}

/// The tiles with the edge that says whose they are.
#[derive(PartialEq)]
struct Tiles {
    plan: Shared<RunPlan>,
}

impl View for Tiles {
    fn draw(&self) -> Html {
        let Self { plan } = self;
        let attention = plan.attention();
        let matrix = matrix(attention);
        let size = FIELD / matrix.blocks.len() as f64;
        let edge = |(index, block): (usize, &Block)| {
            let middle = EDGE + (index as f64 + 0.5) * size;
            let rank = block.rank.to_string();
            html! {
                <g key={index} class={classes!("edge", rank_class(block.rank))}>
                    <g data-rank={rank.clone()}>
                        <rect x={px(EDGE - 20.0)} y={px(middle - size / 2.0 + 1.0)} width="16" height={px(size - 2.0)} />
                        <text x={px(EDGE - 12.0)} y={px(middle + 4.0)}>{ block.rank }</text>
                    </g>
                    <g data-block={rank}>
                        <rect y={px(EDGE - 20.0)} x={px(middle - size / 2.0 + 1.0)} height="16" width={px(size - 2.0)} />
                        <text x={px(middle)} y={px(EDGE - 8.0)}>{ block.rank }</text>
                    </g>
                </g>
            }
        };
        html! {
            <>
                if attention.strategy().ulysses() > 1 {
                    <defs>{ for stripes(attention) }</defs>
                }
                { for matrix.blocks.iter().enumerate().map(edge) }
                { for matrix.cells.iter().map(|cell| tile(attention, &matrix, cell, size)) }
            </>
        }
    }
}

/// A tile in words.
fn title(attention: &AttentionPlan, cell: &Cell) -> String {
    let seen = match cell.kind {
        TileKind::Full => t!("tiles.full"),
        TileKind::Partial => t!("tiles.in_part"),
        TileKind::Skip => return t!("tiles.not_computed").into_owned(),
    };
    t!(
        "tiles.tile",
        ranks = format::list(&cell.ranks),
        turn = turn::at(attention, cell.step),
        seen = seen,
        pairs = format::count(cell.pairs)
    )
    .into_owned()
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
    let class = match cell.kind {
        TileKind::Full => "full",
        TileKind::Partial => "part",
        TileKind::Skip => "skip",
    };
    let several = cell.ranks.len() > 1;
    let fill = several.then(|| format!("fill:url(#ranks-{})", cell.ranks[0]));
    let colour = rank_class(cell.ranks.first().copied().unwrap_or(0));
    let spot = of_cell(matrix, cell);
    let number = |number: Option<u16>| number.map(|number| number.to_string());
    html! {
        <g
            key={format!("{}-{}", cell.row, cell.column)}
            class={classes!("tile", class, colour)}
            data-rank={number(spot.rank)}
            data-block={number(spot.block)}
        >
            <title>{ title(attention, cell) }</title>
            <rect x={px(left + 1.0)} y={px(top + 1.0)} width={px(size - 2.0)} height={px(size - 2.0)} />
            <path d={shape} ~style={fill} />
            if cell.kind != TileKind::Skip && size > 15.0 {
                <text
                    x={px(left + if cell.kind == TileKind::Full { size / 2.0 } else { size * 0.3 })}
                    y={px(top + if cell.kind == TileKind::Full { size / 2.0 } else { size * 0.7 } + 4.0)}
                >
                    { cell.step + 1 }
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
