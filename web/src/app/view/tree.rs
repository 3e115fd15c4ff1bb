//! The decision tree as SVG: every branch that there is, and the way that was taken.

use crate::t;
use plan::runtime::{Branch, Detection, Device, End, Outcome};
use yew::prelude::*;

use crate::app::geometry::tree::{Block, Rect, Row, Shape, TreeLayout, layout};
use crate::app::language::told;
use crate::app::shared::Shared;
use crate::app::view::memo::View;

/// The tree in two shapes, of which the page's width shows one.
#[derive(PartialEq)]
pub struct Tree {
    /// What was decided.
    pub detection: Shared<Detection>,
}

impl View for Tree {
    fn draw(&self) -> Html {
        let Self { detection } = self;
        let words = t!("tree.words", way = way(&detection.path));
        html! {
            <>
                { drawing(Shape::Tall, "tall", detection, &words) }
                { drawing(Shape::Wide, "wide", detection, &words) }
            </>
        }
    }
}

fn way(path: &[Branch]) -> String {
    let branches: Vec<String> = path
        .iter()
        .map(|branch| format!("{}: {}", told(&branch.when()), told(&branch.then())))
        .collect();
    branches.join("; ")
}

fn drawing(shape: Shape, class: &'static str, detection: &Detection, words: &str) -> Html {
    let tree = layout(shape);
    let path = &detection.path;
    let rows = || tree.blocks.iter().flat_map(|block| &block.rows);
    let ways =
        |taken: bool| rows().filter(move |row| path.contains(&row.branch) == taken).map(ways_of);
    html! {
        <svg
            class={classes!("tree", class)}
            viewBox={format!("0 0 {:.0} {:.0}", tree.width, tree.height)}
            role="img"
            aria-label={words.to_owned()}
        >
            { for ways(false) }
            <g class="taken">{ for ways(true) }</g>
            { for tree.blocks.iter().map(|block| question(block, path)) }
            { for rows().map(|row| branch(row, path.contains(&row.branch))) }
            { result(&tree, &detection.outcome) }
        </svg>
    }
}

fn ways_of(row: &Row) -> Html {
    html! {
        <g key={row.branch as usize} class={refuses(row.branch)}>
            <path class="way" d={row.way_in.clone()} />
            if let Some(out) = &row.way_out {
                <path class="way" d={out.clone()} />
            }
        </g>
    }
}

fn refuses(branch: Branch) -> Option<&'static str> {
    (branch.end() == End::Refuses).then_some("refuses")
}

fn question(block: &Block, path: &[Branch]) -> Html {
    let reached = path.iter().any(|branch| branch.step() == block.step);
    html! {
        <g key={block.step as usize} class={classes!("question", reached.then_some("reached"))}>
            { rect(block.at) }
            { text(block.at, 12.0, "start", &told(&block.step.question())) }
        </g>
    }
}

fn branch(row: &Row, taken: bool) -> Html {
    let mark = if taken { "●" } else { "" };
    let then = told(&row.branch.then());
    html! {
        <g
            key={row.branch as usize}
            class={classes!("branch", refuses(row.branch), taken.then_some("taken"))}
        >
            { rect(row.at) }
            { text(row.at, 10.0, "start", &told(&row.branch.when())) }
            { text(row.at, row.at.width - 10.0, "end", &format!("{mark} {then}")) }
        </g>
    }
}

fn result(tree: &TreeLayout, outcome: &Outcome) -> Html {
    let (class, words) = match outcome {
        Outcome::Runs(profile) => {
            let device = match profile.device {
                Device::Cpu => "cpu",
                Device::Cuda => "cuda",
            };
            let backend = profile.backend.name();
            let words = match profile.world_size.get() {
                1 => t!("tree.runs_one", device = device, backend = backend),
                world => t!("tree.runs", device = device, backend = backend, world = world),
            };
            ("reached", words)
        }
        Outcome::Refused(_) => ("", t!("tree.refused")),
    };
    html! {
        <g class={classes!("question", "result", class)}>
            { rect(tree.result) }
            { text(tree.result, 12.0, "start", &words) }
        </g>
    }
}

fn rect(at: Rect) -> Html {
    html! {
        <rect
            x={format!("{:.0}", at.x)}
            y={format!("{:.0}", at.y)}
            width={format!("{:.0}", at.width)}
            height={format!("{:.0}", at.height)}
            rx="5"
        />
    }
}

fn text(at: Rect, dx: f64, anchor: &'static str, words: &str) -> Html {
    let (x, y) = (at.x + dx, at.y + at.height / 2.0 + 4.5);
    html! {
        <text x={format!("{x:.0}")} y={format!("{y:.1}")} text-anchor={anchor}>{ words }</text>
    }
}
