//! The timeline's drawing as SVG: a path for all spans of one look.

use yew::prelude::*;

use crate::app::cursor::Spot;
use crate::app::geometry::scale::anchor;
use crate::app::geometry::timeline::{AXIS, Drawing, GUTTER, LANE, Look, Rect};
use crate::app::shared::Shared;
use crate::app::view::memo::View;
use crate::app::view::parts::rank_class;

/// The drawing. Its paths are long: they are drawn once, and what is lit lies over them.
#[derive(PartialEq)]
pub struct Lanes {
    /// The drawing.
    pub drawing: Shared<Drawing>,
    /// Ranks of the run.
    pub world: usize,
    /// Where the span that is told lies.
    pub outline: Option<Rect>,
    /// What is lit, without its step.
    pub spot: Spot,
    /// The id of the pattern of waiting, which each drawing has for itself.
    pub pattern: &'static str,
}

impl View for Lanes {
    fn draw(&self) -> Html {
        let Self { drawing, world, outline, spot, pattern } = self;
        let height = AXIS + LANE * *world as f64;
        let width = drawing.width.max(GUTTER + 1.0);
        html! {
            <svg
                class="timeline-lanes"
                viewBox={format!("0 0 {width:.0} {height:.0}")}
                ~style={format!("height:{height:.0}px")}
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                { Drawn { drawing: drawing.clone(), world: *world, block: spot.block, pattern }.part() }
                { for (0..*world).filter_map(|rank| over(rank, width, *spot)) }
                if let Some(rect) = outline {
                    <rect
                        class="told"
                        x={px(rect.x - 1.5)}
                        y={px(rect.y - 1.5)}
                        width={px(rect.width + 3.0)}
                        height={px(rect.height + 3.0)}
                    />
                }
            </svg>
        }
    }
}

/// Axis, lanes and spans.
#[derive(PartialEq)]
struct Drawn {
    drawing: Shared<Drawing>,
    world: usize,
    block: Option<u16>,
    pattern: &'static str,
}

impl View for Drawn {
    fn draw(&self) -> Html {
        let Self { drawing, world, block, pattern } = self;
        let height = AXIS + LANE * *world as f64;
        let width = drawing.width.max(GUTTER + 1.0);
        let lane = |rank: usize| {
            let top = AXIS + LANE * rank as f64;
            html! {
                <g key={rank} class={rank_class(rank)}>
                    <path class="lane" d={format!("M{GUTTER} {:.1}H{width:.0}", top + LANE - 1.0)} />
                    <circle class="lane-mark" cx="13" cy={px(top + 16.0)} r="11" />
                    <text class="lane-number" x="13" y={px(top + 20.5)}>{ rank }</text>
                </g>
            }
        };
        let tick = |(index, (x, text)): (usize, &(f64, String))| {
            // The style sheet lets the text inherit it.
            html! {
                <g key={index} text-anchor={anchor(*x, text, (GUTTER, width))}>
                    <path class="grid" d={format!("M{x:.1} {:.1}V{height:.0}", AXIS - 4.0)} />
                    <text class="tick" x={px(*x)} y="13">{ text }</text>
                </g>
            }
        };
        html! {
            <>
                <defs>
                    <pattern id={*pattern} width="6" height="6" patternUnits="userSpaceOnUse"
                        patternTransform="rotate(45)">
                        <path class="wait-stripe" d="M1 0V6" />
                    </pattern>
                </defs>
                { for drawing.ticks.iter().enumerate().map(tick) }
                { for (0..*world).map(lane) }
                { for drawing.paths.iter().map(|(look, path)| spans(*look, path, *block)) }
                { for drawing.numbers.iter().enumerate().map(|(index, (x, y, kv))| html! {
                    <text key={index} class={classes!("tile-number", rank_class(usize::from(*kv)))} x={px(*x)} y={px(y + 4.5)}>{ kv }</text>
                }) }
            </>
        }
    }
}

/// What lies over a lane while a rank is lit: a frame around its own, a veil over others.
fn over(rank: usize, width: f64, spot: Spot) -> Option<Html> {
    let class = match spot.rank_class(rank)? {
        "is-lit" => "frame",
        _ => "veil",
    };
    Some(html! {
        <rect
            key={format!("over-{rank}")}
            {class}
            x="1"
            y={px(AXIS + LANE * rank as f64)}
            width={px(width - 2.0)}
            height={px(LANE - 1.0)}
        />
    })
}

fn spans(look: Look, path: &str, block: Option<u16>) -> Html {
    // A block is lit in the tiles that used its keys, whoever computed them.
    let out = block.filter(|&block| look != Look::Tile(block)).map(|_| "is-out");
    let class = match look {
        Look::Tile(kv) => classes!("tile-span", rank_class(usize::from(kv)), out),
        Look::Compute => classes!("compute-span", out),
        Look::Wait => classes!("wait-span", out),
        Look::Collective => classes!("collective-span", out),
        Look::Send => classes!("send-span", out),
    };
    html! { <path key={format!("{look:?}")} {class} d={path.to_owned()} /> }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}
