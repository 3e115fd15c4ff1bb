//! A mesh as a grid of ranks: choosing one lights its groups. For any number of ranks it is a
//! handful of paths, so that a thousand stay as quick as four.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::t;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};
use yew::prelude::*;

use crate::app::format;
use crate::app::geometry::mesh::{CELL, Move, layout};
use crate::app::groups::mesh::{GroupMesh, Hue, Kind};

/// Properties of [`MeshGrid`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The mesh.
    pub mesh: GroupMesh,
    /// The chosen rank.
    pub rank: usize,
    /// Hears which rank is chosen.
    pub on: Callback<usize>,
}

/// More ranks than these have no number of their own: it could not be read.
const NUMBERED: usize = 64;
/// Pixels of a cell at most.
const LARGEST: f64 = 56.0;
/// Pixels of the whole at most: a thousand ranks still fit a screen.
const WIDEST: f64 = 880.0;

/// The grid.
#[component]
pub fn MeshGrid(Props { mesh, rank, on }: &Props) -> Html {
    let host = use_node_ref();
    let drawn = use_memo(mesh.grid, layout);
    let all = use_memo(mesh.grid, |grid| layout(grid).path(0..grid.world().get()));
    let lit = mesh.lit(*rank);
    let world = mesh.world();
    let point = {
        let (host, drawn, on) = (host.clone(), drawn.clone(), on.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(element) = host.cast::<HtmlElement>() else { return };
            let bounds = element.get_bounding_client_rect();
            let scale = drawn.width / bounds.width().max(1.0);
            let x = (f64::from(event.client_x()) - bounds.left()) * scale;
            let y = (f64::from(event.client_y()) - bounds.top()) * scale;
            if let Some(rank) = drawn.hit(x, y) {
                on.emit(rank);
            }
        })
    };
    let press = {
        let (drawn, on, rank) = (drawn.clone(), on.clone(), *rank);
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowLeft" => drawn.step(rank, Move::Left),
                "ArrowRight" => drawn.step(rank, Move::Right),
                "ArrowUp" => drawn.step(rank, Move::Up),
                "ArrowDown" => drawn.step(rank, Move::Down),
                "Home" => 0,
                "End" => world - 1,
                _ => return,
            };
            event.prevent_default();
            if to != rank {
                on.emit(to);
            }
        })
    };
    let groups: Vec<_> = lit.iter().map(|(hue, peers)| with(hue.name(), peers.len())).collect();
    let (place, groups) = (mesh.place(*rank), format::listed(groups));
    let words = t!("mesh_grid.words", rank = rank, world = world, place = place, groups = groups);
    let view_box = format!("-3 -3 {:.0} {:.0}", drawn.width + 6.0, drawn.height + 6.0);
    let widest = format!("max-width:{:.0}px", (drawn.width / CELL * LARGEST).min(WIDEST));
    html! {
        <div
            class="mesh-grid"
            ~style={widest}
            tabindex="0"
            role="slider"
            aria-label={t!("mesh_grid.chosen")}
            aria-valuemin="0"
            aria-valuemax={(world - 1).to_string()}
            aria-valuenow={rank.to_string()}
            aria-valuetext={words}
            onkeydown={press}
        >
            <svg viewBox={view_box} aria-hidden="true" focusable="false">
                { patterns() }
                <path class="rank-cells" d={(*all).clone()} />
                { for lit.iter().map(|(hue, peers)| lit_path(*hue, drawn.path(peers.iter().copied()))) }
                <path class="chosen-cell" d={drawn.path([*rank])} />
                { numbers(&drawn.cells, *rank, &lit) }
            </svg>
            // Over the drawing, without its margin: what is pointed at is measured here.
            <div ref={host} class="mesh-surface" onclick={point}
                ~style={surface(drawn.width, drawn.height)}></div>
        </div>
    }
}

/// The drawing without its margin, in shares of the whole.
fn surface(width: f64, height: f64) -> String {
    let share = |part: f64, whole: f64| part / (whole + 6.0) * 100.0;
    format!("inset:{:.3}% {:.3}%", share(3.0, height), share(3.0, width))
}

fn lit_path(hue: Hue, path: String) -> Html {
    let pattern = format!("fill:url(#pattern-{})", hue.name());
    html! {
        <g key={hue.name()} class={hue.name()}>
            <path class="lit" d={path.clone()} />
            <path ~style={pattern} d={path} />
        </g>
    }
}

/// Stripes, dots and bars: hues are told apart without colour as well.
fn patterns() -> Html {
    let pattern = |hue: Hue| {
        let marks = match hue {
            Hue::Dp => html! { <circle cx="5" cy="5" r="2" /> },
            Hue::Cp => html! { <path d="M-2 12L12 -2M-2 2L2 -2M8 12L12 8" /> },
            Hue::Sp => html! { <path d="M0 5H10" /> },
            Hue::Tp => html! { <path d="M5 0V10" /> },
        };
        html! {
            <pattern
                key={hue.name()}
                id={format!("pattern-{}", hue.name())}
                width="10"
                height="10"
                patternUnits="userSpaceOnUse"
                class={classes!("pattern", hue.name())}
            >
                { marks }
            </pattern>
        }
    };
    html! { <defs>{ for Hue::ALL.map(pattern) }</defs> }
}

/// Numbers in the cells and what the lit ones share; in a large mesh the chosen rank's alone.
fn numbers(cells: &[(f64, f64)], chosen: usize, lit: &[(Hue, Vec<usize>)]) -> Html {
    if cells.len() > NUMBERED {
        return html! {};
    }
    let mut shared: BTreeMap<usize, Hue> = BTreeMap::new();
    shared.extend(lit.iter().flat_map(|(hue, peers)| peers.iter().map(|&peer| (peer, *hue))));
    let number = |(rank, &(x, y)): (usize, &(f64, f64))| {
        let hue = shared.get(&rank);
        let class = match hue {
            _ if rank == chosen => "chosen-number",
            Some(_) => "lit-number",
            None => "number",
        };
        let middle = x + CELL / 2.0;
        let line = if hue.is_some() { 18.0 } else { 25.0 };
        html! {
            <g key={rank} class={class}>
                <text x={format!("{middle:.0}")} y={format!("{:.0}", y + line)}>{ rank }</text>
                if let Some(hue) = hue {
                    <text class="axis" x={format!("{middle:.0}")} y={format!("{:.0}", y + 33.0)}>
                        { hue.name() }
                    </text>
                }
            </g>
        }
    };
    html! { { for cells.iter().enumerate().map(number) } }
}

/// `cp with 1 other rank`, `cp with 3 other ranks`.
fn with(group: &str, others: usize) -> Cow<'static, str> {
    match others {
        1 => t!("mesh_grid.with_one", group = group),
        others => t!("mesh_grid.with", group = group, number = others),
    }
}

/// The keys to the lit hues.
pub fn legend(mesh: &GroupMesh) -> Html {
    let key = |kind: &Kind| {
        let hue = kind.hue?;
        Some(html! {
            <span key={kind.name}>
                <svg class={classes!("hue-key", hue.name())} viewBox="0 0 20 20" aria-hidden="true">
                    <rect class="lit" width="20" height="20" />
                    <rect ~style={format!("fill:url(#pattern-{})", hue.name())} width="20" height="20" />
                </svg>
                { hue.does(kind.name) }
            </span>
        })
    };
    html! {
        <p class="legend">
            <span><span class="chosen-key"></span>{ t!("mesh_grid.key.chosen") }</span>
            { for mesh.kinds.iter().filter_map(key) }
        </p>
    }
}

/// The groups of a rank as a table: the words behind the drawing.
pub fn table(mesh: &GroupMesh, rank: usize) -> Html {
    let row = |kind: &Kind| {
        let peers = mesh.peers(rank, kind);
        let axes: Vec<&str> = kind.over.iter().map(|&axis| mesh.grid.name(axis)).collect();
        html! {
            <tr key={kind.name}>
                <th scope="row">{ kind.name }</th>
                <td>{ peers.len() + 1 }</td>
                <td class="text peers">{ if peers.is_empty() {
                    t!("mesh_grid.alone").into_owned()
                } else {
                    format::list(&peers)
                } }</td>
                <td>{ mesh.grid.coordinate_over(rank, &kind.over) }</td>
                <td class="text">{ axes.join(" × ") }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("mesh_grid.table")}>
            <table class="groups-table">
                <thead>
                    <tr>
                        <th scope="col">{ t!("mesh_grid.group") }</th>
                        <th scope="col">{ t!("mesh_grid.ranks") }</th>
                        <th scope="col" class="text">{ t!("mesh_grid.peers") }</th>
                        <th scope="col">{ t!("mesh_grid.place") }</th>
                        <th scope="col" class="text">{ t!("mesh_grid.axes") }</th>
                    </tr>
                </thead>
                <tbody>{ for mesh.kinds.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
