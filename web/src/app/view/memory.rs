//! The memory view: what the plan says that a rank needs, and what its worker holds over the steps.

use crate::t;
use plan::RunPlan;
use plan::memory::{RankMemory, memory};
use yew::prelude::*;

use crate::app::cursor::Cursor;
use crate::app::format;
use crate::app::geometry::chart::{Chart, range};
use crate::app::geometry::scale::label;
use crate::app::memory_log::MemoryLog;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::parts::{rank_button, rank_class, rank_mark, section};
use crate::app::view::plot::{Line, Plot};

/// Properties of [`Memory`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What the workers hold.
    pub log: Shared<MemoryLog>,
    /// Steps that every rank has done.
    pub steps: u32,
    /// What is lit.
    pub cursor: Cursor,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view.
#[component]
pub fn Memory(Props { plan, log, steps, cursor, on }: &Props) -> Html {
    let planned = use_memo(plan.clone(), |plan| memory(plan));
    section(
        "memory",
        t!("memory.title"),
        html! { { t!("memory.lead") } },
        html! {
            <>
                <div class="side-by-side even">
                    { held(plan, log, *steps, *cursor, on) }
                    { needed(&planned) }
                </div>
                { table(&planned, log, *cursor) }
            </>
        },
    )
}

/// What each worker has held since its first step, as a line.
fn held(
    plan: &RunPlan,
    log: &MemoryLog,
    steps: u32,
    cursor: Cursor,
    on: &Callback<Action>,
) -> Html {
    let (spot, world) = (cursor.spot(), plan.mesh().world().get());
    let (_, high) = range([log.most() as f64 * 1.1].into_iter(), (0.0, 1e6));
    let chart = Chart::new(steps, plan.config().steps, (0.0, high));
    // The lit rank's line lies on top.
    let lit = |is: bool| (0..world).filter(move |&rank| spot.has_rank(rank) == is);
    let ranks = lit(false).chain(lit(true));
    let line = |rank: usize| {
        let changes: Vec<(u32, f64)> =
            log.changes(rank as u16).iter().map(|&(step, bytes)| (step, bytes as f64)).collect();
        let class = classes!("held", rank_class(rank), spot.rank_class(rank));
        Line { class, path: chart.stairs(&changes) }
    };
    let lit = spot.step.filter(|&step| step < steps);
    let read = spot.rank.map(usize::from).filter(|&rank| rank < world).unwrap_or(0);
    let step = lit.or(steps.checked_sub(1));
    let value = step.and_then(|step| Some((step, log.at(read as u16, step + 1)? as f64)));
    let words = match value {
        Some((step, bytes)) => {
            t!("memory.reading", step = step + 1, rank = read, bytes = format::bytes(bytes as u64))
        }
        None => t!("memory.no_step"),
    };
    let marks = chart.up.iter().map(|&bytes| label(bytes / 1e6)).collect::<Vec<_>>();
    let lines: Vec<Line> = ranks.into_iter().map(line).collect();
    html! {
        <figure class="chart">
            <figcaption>
                <span class="reading">{ words.clone() }</span>
                <span class="legend">
                    { for (0..world).map(|rank| html! { <span key={rank}>{ rank_mark(rank) }</span> }) }
                </span>
            </figcaption>
            <Plot
                {chart}
                {lines}
                name={t!("memory.slider")}
                {words}
                {marks}
                read={value}
                {lit}
                level={None::<(f64, AttrValue)>}
                across={t!("memory.across")}
                {on}
            />
        </figure>
    }
}

type Part = (&'static str, fn(&RankMemory) -> u64);

/// What a rank's tensors are for.
const PARTS: [Part; 5] = [
    ("parameters", |m| m.parameters),
    ("gradients", |m| m.gradients),
    ("optimizer", |m| m.optimizer),
    ("activations", |m| m.activations),
    ("kv", |m| m.kv),
];

fn part_name(key: &str) -> String {
    t!(format!("memory.parts.{}", key)).into_owned()
}

/// What the plan says that a rank needs, by purpose: it is the same for every rank.
fn needed(planned: &[RankMemory]) -> Html {
    let Some(rank) = planned.first() else { return html! {} };
    let most = PARTS.iter().map(|(_, bytes)| bytes(rank)).max().unwrap_or(0).max(1) as f64;
    let row = |&(key, bytes): &Part| {
        let width = format!("width:{:.1}%", bytes(rank) as f64 / most * 100.0);
        html! {
            <tr key={key}>
                <th scope="row">{ part_name(key) }</th>
                <td class="bar-cell"><span class="bar plain" ~style={width}></span></td>
                <td>{ format::bytes(bytes(rank)) }</td>
            </tr>
        }
    };
    html! {
        <table class="needed">
            <caption>{ t!("memory.planned", bytes = format::bytes(rank.total())) }</caption>
            <tbody>{ for PARTS.iter().map(row) }</tbody>
        </table>
    }
}

fn table(planned: &[RankMemory], log: &MemoryLog, cursor: Cursor) -> Html {
    let spot = cursor.spot();
    let bytes = |bytes: Option<u64>| bytes.map_or("–".to_owned(), format::bytes);
    let row = |memory: &RankMemory| {
        let changes = log.changes(memory.rank as u16);
        let grew: Vec<String> =
            changes.iter().skip(1).rev().take(4).rev().map(|(step, _)| step.to_string()).collect();
        html! {
            <tr
                key={memory.rank}
                class={classes!(spot.rank_class(memory.rank))}
                data-rank={memory.rank.to_string()}
            >
                <th scope="row">{ rank_button(memory.rank, spot, memory.rank == 0) }</th>
                { for PARTS.iter().map(|(key, part)| html! {
                    <td key={*key}>{ format::bytes(part(memory)) }</td>
                }) }
                <td>{ format::bytes(memory.total()) }</td>
                <td>{ bytes(changes.first().map(|&(_, bytes)| bytes)) }</td>
                <td>{ bytes(log.now(memory.rank as u16)) }</td>
                <td>{ if grew.is_empty() { "–".to_owned() } else { grew.join(", ") } }</td>
            </tr>
        }
    };
    html! {
        <details>
            <summary>{ t!("memory.as_table") }</summary>
            <div class="scroll" tabindex="0" role="region" aria-label={t!("memory.by_rank")}>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ t!("memory.rank") }</th>
                            { for PARTS.iter().map(|(key, _)| html! {
                                <th key={*key} scope="col">{ part_name(key) }</th>
                            }) }
                            <th scope="col">{ t!("memory.together") }</th>
                            <th scope="col">{ t!("memory.held_first") }</th>
                            <th scope="col">{ t!("memory.held_now") }</th>
                            <th scope="col">{ t!("memory.grew") }</th>
                        </tr>
                    </thead>
                    <tbody>{ for planned.iter().map(row) }</tbody>
                </table>
            </div>
        </details>
    }
}
