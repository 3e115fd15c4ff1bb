//! The schedule view: who computes which tile, and how evenly the work is shared.

use crate::t;
use plan::fold::times::Times;
use plan::{RunPlan, TileKind};
use yew::prelude::*;

use crate::app::beat_text::capital;
use crate::app::cursor::Spot;
use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::turn;
use crate::app::view::memo::View;
use crate::app::view::parts::{rank_button, rank_class, section};
use crate::app::view::term::{explain, terms};
use crate::app::view::tile_matrix::TileMatrix;

/// The view.
#[derive(PartialEq)]
pub struct Schedule {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// Measured times.
    pub times: Shared<Times>,
    /// What is lit.
    pub spot: Spot,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Schedule {
    fn draw(&self) -> Html {
        let Self { plan, times, spot, on } = self;
        let words: &[Shown] = match turn::is_ring(plan.attention()) {
            true => &[Shown::Tile, Shown::RingStep, Shown::Block],
            false => &[Shown::Tile, Shown::Block],
        };
        section(
            "schedule",
            t!("schedule.title"),
            html! { { turn::lead(plan.attention()) } },
            html! {
                <div class="side-by-side">
                    <div>
                        <TileMatrix plan={plan.clone()} spot={*spot} {on} />
                        { terms(words) }
                    </div>
                    <div>
                        { work(plan, times, *spot) }
                        { steps(plan, *spot) }
                    </div>
                </div>
            },
        )
    }
}

/// Each rank's pairs as a bar, and the measured time of its tiles.
fn work(plan: &RunPlan, times: &Times, spot: Spot) -> Html {
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
            <tr key={rank} class={classes!(spot.rank_class(rank))} data-rank={rank.to_string()}>
                <th scope="row">{ rank_button(rank, spot, rank == 0) }</th>
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
                { " " }{ explain(Shown::Efficiency, t!("schedule.efficiency_name")) }{ t!("schedule.efficiency") }
            </p>
            <table class="work">
                <caption>{ t!("schedule.work") }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ t!("schedule.rank") }</th>
                        <th scope="col">{ explain(Shown::Pairs, t!("schedule.pairs_each")) }</th>
                        <th scope="col">{ t!("schedule.tiles_measured") }</th>
                    </tr>
                </thead>
                <tbody>{ for (0..ranks.len()).map(row) }</tbody>
            </table>
            if attention.strategy().ulysses() > 1 {
                <p class="hint">{ t!("schedule.share", share = attention.strategy().ulysses()) }</p>
            }
        </>
    }
}

/// The same schedule in words: one row a rank, one column a step.
fn steps(plan: &RunPlan, spot: Spot) -> Html {
    let view = plan.attention().view();
    let name = |kind: TileKind| match kind {
        TileKind::Full => t!("schedule.full"),
        TileKind::Partial => t!("schedule.part"),
        TileKind::Skip => t!("schedule.skip"),
    };
    html! {
        <details>
            <summary>{ t!("schedule.as_table") }</summary>
            <div class="scroll" tabindex="0" role="region" aria-label={t!("schedule.by_step")}>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ t!("schedule.rank") }</th>
                            { for (0..plan.attention().steps()).map(|step| html! {
                                <th key={step} scope="col">{ capital(&turn::at(plan.attention(), step)) }</th>
                            }) }
                            <th scope="col">{ t!("schedule.pairs") }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for view.ranks.iter().map(|rank| html! {
                            <tr key={rank.rank} class={classes!(spot.rank_class(rank.rank))} data-rank={rank.rank.to_string()}>
                                <th scope="row">{ rank_button(rank.rank, spot, rank.rank == 0) }</th>
                                { for rank.steps.iter().map(|step| html! {
                                    <td
                                        key={step.step}
                                        class={classes!(spot.block.filter(|&b| usize::from(b) == step.kv_from).map(|_| "is-lit"))}
                                        data-rank={rank.rank.to_string()}
                                        data-block={step.kv_from.to_string()}
                                    >
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
