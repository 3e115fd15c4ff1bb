//! The schedule view: who computes which tile, and how evenly the work is shared.

use plan::fold::times::Times;
use plan::{RunPlan, StrategyKind, TileKind};
use yew::prelude::*;

use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::view::parts::{rank_class, rank_mark, section};
use crate::app::view::term::{explain, terms};
use crate::app::view::tile_matrix::TileMatrix;

/// Properties of [`Schedule`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// Measured times.
    pub times: Shared<Times>,
}

/// The view.
#[component]
pub fn Schedule(Props { plan, times }: &Props) -> Html {
    let lead = html! {
        { "Every query looks at keys before it. A tile is one rank's queries against one block of \
           keys; its number is the step of the ring at which the block is there." }
    };
    section(
        "schedule",
        "Schedule",
        lead,
        html! {
            <div class="side-by-side">
                <div>
                    <TileMatrix plan={plan.clone()} />
                    { terms(&[Shown::Tile, Shown::RingStep, Shown::Block]) }
                </div>
                <div>
                    { work(plan, times) }
                    { steps(plan) }
                </div>
            </div>
        },
    )
}

/// Each rank's pairs as a bar, and the measured time of its tiles.
fn work(plan: &RunPlan, times: &Times) -> Html {
    let attention = plan.attention();
    let ranks: Vec<_> = plan.mesh().world().ranks().collect();
    let pairs: Vec<u64> = ranks.iter().map(|&r| attention.pairs(plan.cp_rank(r))).collect();
    let measured: Vec<f64> = ranks
        .iter()
        .map(|r| times.rank(r.index() as u16))
        .map(|t| t.attention_us as f64 / f64::from(t.steps.max(1)))
        .collect();
    let most_pairs = pairs.iter().copied().max().unwrap_or(0).max(1) as f64;
    let most_time = measured.iter().copied().fold(0.0, f64::max);
    let width = |share: f64| format!("width:{:.1}%", share * 100.0);
    let row = |rank: usize| {
        html! {
            <tr key={rank}>
                <th scope="row">{ rank_mark(rank) }</th>
                <td class="bar-cell">
                    <span class={classes!("bar", rank_class(rank))} ~style={width(pairs[rank] as f64 / most_pairs)}></span>
                    <span class="bar-text">{ format::count(pairs[rank]) }</span>
                </td>
                <td class="bar-cell">
                    if most_time > 0.0 {
                        <span class={classes!("bar", "thin", rank_class(rank))} ~style={width(measured[rank] / most_time)}></span>
                        <span class="bar-text">{ format::micros(measured[rank]) }</span>
                    } else {
                        <span class="bar-text">{ "–" }</span>
                    }
                </td>
            </tr>
        }
    };
    html! {
        <>
            <p class="figure">
                <b>{ format::percent(attention.efficiency()) }</b>
                { " " }{ explain(Shown::Efficiency, "efficiency") }
                { ": the mean of the ranks' work divided by the largest, since all wait \
                   for the slowest." }
            </p>
            <table class="work">
                <caption>{ "Work of each rank" }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Rank" }</th>
                        <th scope="col">{ explain(Shown::Pairs, "Pairs, per layer and head") }</th>
                        <th scope="col">{ "Tiles as measured, per step" }</th>
                    </tr>
                </thead>
                <tbody>{ for (0..ranks.len()).map(row) }</tbody>
            </table>
        </>
    }
}

/// The same schedule in words: one row a rank, one column a step.
fn steps(plan: &RunPlan) -> Html {
    let view = plan.attention().view();
    let name = |kind: TileKind| match kind {
        TileKind::Full => "full",
        TileKind::Partial => "part",
        TileKind::Skip => "skip",
    };
    let gathers = plan.attention().strategy().kind() == StrategyKind::AllGather;
    html! {
        <details>
            <summary>{ "As a table" }</summary>
            if gathers {
                <p class="hint">{ "All blocks are gathered before the first tile." }</p>
            }
            <div class="scroll" tabindex="0" role="region" aria-label="Schedule by rank and step">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Rank" }</th>
                            { for (0..plan.attention().steps()).map(|step| html! {
                                <th key={step} scope="col">{ format!("Step {step}") }</th>
                            }) }
                            <th scope="col">{ "Pairs" }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for view.ranks.iter().map(|rank| html! {
                            <tr key={rank.rank}>
                                <th scope="row">{ rank_mark(rank.rank) }</th>
                                { for rank.steps.iter().map(|step| html! {
                                    <td key={step.step}>
                                        { format!("kv {}: {}", step.kv_from, name(step.kind)) }
                                        if step.pairs > 0 {
                                            <small>{ format!(" ({})", format::count(step.pairs)) }</small>
                                        }
                                    </td>
                                }) }
                                <td>{ format::count(rank.pairs) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </details>
    }
}
