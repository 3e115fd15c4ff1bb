//! The traffic of each link: a matrix of senders and receivers, and the same as a table.

use crate::t;
use plan::RunPlan;
use plan::fold::Sent;
use plan::fold::times::Times;
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::format;
use crate::app::geometry::links::{Link, links, moved};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::parts::{keyed, rank_class, rank_mark};
use crate::app::view::traffic::verdict;

/// The matrix with its table.
#[derive(PartialEq)]
pub struct LinkMatrix {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What was sent.
    pub sent: Shared<Sent>,
    /// Steps by rank.
    pub times: Shared<Times>,
    /// What is lit.
    pub spot: Spot,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Units of a cell.
const CELL: f64 = 44.0;
/// Units of the edge with the ranks.
const EDGE: f64 = 30.0;

impl View for LinkMatrix {
    fn draw(&self) -> Html {
        let Self { plan, sent, times, spot, on } = self;
        let world = plan.mesh().world().get();
        let links = links(sent, world);
        html! {
            <div class="side-by-side">
                { matrix(&links, world, sent, *spot, on) }
                { table(plan, &links, sent, times, *spot) }
            </div>
        }
    }
}

fn of_link(from: usize, to: usize) -> Spot {
    // A rank sends nothing to itself: its own cell is the rank.
    Spot { peer: (from != to).then_some(to as u16), ..Spot::of_rank(from) }
}

fn matrix(links: &[Link], world: usize, sent: &Sent, spot: Spot, on: &Callback<Action>) -> Html {
    let all = EDGE + CELL * world as f64 + 1.0;
    let row = spot.rank.map_or(0, usize::from).min(world - 1);
    let column = spot.peer.map_or(row, usize::from).min(world - 1);
    let key = keyed(on, move |key| {
        let choose = |(from, to)| of_link(from, to);
        match key {
            "Enter" => Some(Act::Choose(choose((row, column)))),
            _ => moved((row, column), key, (world, world)).map(choose).map(Act::Move),
        }
    });
    let cells = (0..world).flat_map(|from| (0..world).map(move |to| (from, to)));
    html! {
        <figure class="links-matrix">
            <div
                class="matrix-plot"
                tabindex="0"
                role="slider"
                aria-label={t!("links.choose")}
                aria-valuemin="0"
                aria-valuemax={(world * world - 1).to_string()}
                aria-valuenow={(row * world + column).to_string()}
                aria-valuetext={words(row, column, sent)}
                onkeydown={key}
            >
                <svg viewBox={format!("0 0 {all} {all}")} ~style={format!("max-width:{:.0}px", all * 1.4)} aria-hidden="true">
                    { for (0..world).map(|rank| edge(rank, spot)) }
                    { for cells.map(|(from, to)| cell(from, to, spot)) }
                    { for links.iter().map(|link| square(link, spot)) }
                </svg>
            </div>
            <figcaption>{ t!("links.caption") }</figcaption>
        </figure>
    }
}

fn words(from: usize, to: usize, sent: &Sent) -> String {
    if from == to {
        return t!("links.itself", rank = from).into_owned();
    }
    let flow = sent.link(from as u16, to as u16);
    t!(
        "links.told",
        from = from,
        to = to,
        messages = format::count(flow.messages),
        bytes = format::count(flow.bytes)
    )
    .into_owned()
}

/// A rank's number before its row and above its column.
fn edge(rank: usize, spot: Spot) -> Html {
    let middle = EDGE + (rank as f64 + 0.5) * CELL;
    let mark = |x: f64, y: f64| {
        html! {
            <g data-rank={rank.to_string()}>
                <circle cx={px(x)} cy={px(y)} r="11" />
                <text x={px(x)} y={px(y + 4.5)}>{ rank }</text>
            </g>
        }
    };
    html! {
        <g key={format!("edge-{rank}")} class={classes!("edge", rank_class(rank), spot.rank_class(rank))}>
            { mark(EDGE - 14.0, middle) }
            { mark(middle, EDGE - 14.0) }
        </g>
    }
}

fn cell(from: usize, to: usize, spot: Spot) -> Html {
    let (x, y) = (EDGE + to as f64 * CELL, EDGE + from as f64 * CELL);
    let peer = (from != to).then(|| to.to_string());
    let own = (from == to).then_some("own");
    html! {
        <rect
            key={format!("cell-{from}-{to}")}
            class={classes!("link-cell", own, class(from, to, spot))}
            data-rank={from.to_string()}
            data-peer={peer}
            x={px(x)}
            y={px(y)}
            width={px(CELL)}
            height={px(CELL)}
        />
    }
}

fn square(link: &Link, spot: Spot) -> Html {
    let edge = (CELL - 8.0) * link.edge;
    let middle = |index: usize| EDGE + (index as f64 + 0.5) * CELL;
    html! {
        <rect
            key={format!("link-{}-{}", link.from, link.to)}
            class={classes!("link-bytes", rank_class(link.from), class(link.from, link.to, spot))}
            x={px(middle(link.to) - edge / 2.0)}
            y={px(middle(link.from) - edge / 2.0)}
            width={px(edge)}
            height={px(edge)}
        />
    }
}

/// A link is lit by itself, and all of a rank's by the rank.
fn class(from: usize, to: usize, spot: Spot) -> Option<&'static str> {
    let (rank, peer) = (usize::from(spot.rank?), spot.peer.map(usize::from));
    let is_lit = match peer {
        Some(peer) => (from, to) == (rank, peer),
        None => from == rank || to == rank,
    };
    Some(if is_lit { "is-lit" } else { "is-out" })
}

fn table(plan: &RunPlan, links: &[Link], sent: &Sent, times: &Times, spot: Spot) -> Html {
    let world = plan.mesh().world().get();
    let row = |link: &Link| {
        let of_it = of_link(link.from, link.to);
        let is_lit = spot.rank == of_it.rank && spot.peer == of_it.peer;
        html! {
            <tr
                key={format!("{}-{}", link.from, link.to)}
                class={classes!(class(link.from, link.to, spot))}
                aria-current={is_lit.then_some("true")}
                data-rank={link.from.to_string()}
                data-peer={link.to.to_string()}
            >
                <th scope="row">{ rank_mark(link.from) }</th>
                <td class="text">{ rank_mark(link.to) }</td>
                <td>{ format::count(link.flow.messages) }</td>
                <td>{ format::count(link.flow.bytes) }</td>
                <td></td>
            </tr>
        }
    };
    let sum = |rank: usize| {
        let (steps, flow) = (times.rank(rank as u16).steps, sent.rank(rank as u16));
        let predicted = plan.run_traffic(0, steps);
        let (class, verdict) = verdict(steps, predicted == flow);
        html! {
            <tr key={format!("sum-{rank}")} class="sum" data-rank={rank.to_string()}>
                <th scope="row">{ rank_mark(rank) }</th>
                <td class="text">{ t!("links.all") }</td>
                <td>{ format::count(flow.messages) }</td>
                <td>{ format::count(flow.bytes) }</td>
                <td>
                    { format::count(predicted.bytes) }
                    if steps > 0 {
                        { " " }<span {class}>{ verdict }</span>
                    }
                </td>
            </tr>
        }
    };
    let rows = (0..world).flat_map(|rank| {
        let own = links.iter().filter(move |link| link.from == rank);
        own.map(row).chain([sum(rank)]).collect::<Vec<_>>()
    });
    html! {
        <details>
            <summary>{ t!("links.as_table") }</summary>
            <div class="scroll tall" tabindex="0" role="region" aria-label={t!("links.title")}>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ t!("links.from") }</th>
                            <th scope="col" class="text">{ t!("links.to") }</th>
                            <th scope="col">{ t!("links.messages") }</th>
                            <th scope="col">{ t!("links.bytes") }</th>
                            <th scope="col">{ t!("links.predicted") }</th>
                        </tr>
                    </thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </details>
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_lights_its_row_and_column_and_a_link_itself() {
        let lit = |spot| {
            let cells = (0..3).flat_map(|from| (0..3).map(move |to| (from, to)));
            cells.filter(|&(f, t)| class(f, t, spot) == Some("is-lit")).collect::<Vec<_>>()
        };
        assert_eq!(lit(Spot::of_rank(1)), [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]);
        assert_eq!(lit(of_link(2, 0)), [(2, 0)]);
        assert_eq!(lit(Spot::default()), []);
        assert_eq!(of_link(2, 2), Spot::of_rank(2));
    }
}
