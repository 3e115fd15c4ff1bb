//! The ranks view: what each holds, and where its time goes.

use std::collections::BTreeMap;

use crate::t;
use plan::fold::times::{RankTimes, Times};
use plan::memory::memory;
use plan::{Axis, RunPlan};
use yew::prelude::*;

use crate::app::cursor::Spot;
use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::view::memo::View;
use crate::app::view::parts::{rank_button, section};
use crate::app::view::term::explain;

/// The view.
#[derive(PartialEq)]
pub struct Ranks {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// Which workers are ready.
    pub ready: Vec<bool>,
    /// Wasm memory by rank.
    pub memory: Shared<BTreeMap<u16, u64>>,
    /// Measured times.
    pub times: Shared<Times>,
    /// What is lit.
    pub spot: Spot,
}

impl View for Ranks {
    fn draw(&self) -> Html {
        let Self { plan, ready, memory: held, times, spot } = self;
        let planned = memory(plan);
        let sequence = plan.attention().sequence();
        let shards = sequence.view();
        let row = |rank: plan::Rank| {
            let index = rank.index();
            let place = plan.cp_rank(rank);
            let shard = &shards[place.index()];
            let tokens = shard.valid * plan.config().batch;
            let replica = plan.mesh().coordinate(rank, Axis::Dp);
            html! {
                <tr key={index} class={classes!(spot.rank_class(index))} data-rank={index.to_string()}>
                    <th scope="row">{ rank_button(index, *spot, index == 0) }</th>
                    <td class="bar-cell">{ spent(times.rank(index as u16)) }</td>
                    if plan.config().dp > 1 {
                        <td>{ replica }</td>
                    }
                    <td class="text">{ format::positions(&shard.positions) }</td>
                    <td>{ format::count(tokens as u64) }</td>
                    <td>{ format::count(plan.attention().pairs(place)) }</td>
                    <td>{ planned.get(index).map_or(String::new(), |m| format::bytes(m.total())) }</td>
                    <td>{ held.get(&(index as u16)).map_or("–".to_owned(), |&bytes| format::bytes(bytes)) }</td>
                    <td>
                        if ready.get(index).copied().unwrap_or(false) {
                            { t!("ranks.ready") }
                        } else {
                            { t!("ranks.loading") }
                        }
                    </td>
                </tr>
            }
        };
        section(
            "ranks",
            t!("ranks.title"),
            html! { { t!("ranks.lead") } },
            html! {
                <>
                    <div class="scroll" tabindex="0" role="region" aria-label={t!("ranks.figures")}>
                        <table>
                            <thead>
                                <tr>
                                    <th scope="col">{ explain(Shown::Rank, t!("ranks.rank")) }</th>
                                    <th scope="col">{ explain(Shown::StepTime, t!("ranks.time")) }</th>
                                    if plan.config().dp > 1 {
                                        <th scope="col">{ t!("ranks.replica") }</th>
                                    }
                                    <th scope="col" class="text">{ explain(Shown::Positions, t!("ranks.positions")) }</th>
                                    <th scope="col">{ t!("ranks.tokens") }</th>
                                    <th scope="col">{ explain(Shown::Pairs, t!("ranks.pairs")) }</th>
                                    <th scope="col">{ explain(Shown::MemoryPlanned, t!("ranks.planned")) }</th>
                                    <th scope="col">{ explain(Shown::MemoryHeld, t!("ranks.held")) }</th>
                                    <th scope="col">{ t!("ranks.worker") }</th>
                                </tr>
                            </thead>
                            <tbody>{ for plan.mesh().world().ranks().map(row) }</tbody>
                        </table>
                    </div>
                    <p class="legend">
                        <span><span class="time-key attention"></span>{ t!("ranks.parts.attention") }</span>
                        <span><span class="time-key other"></span>{ t!("ranks.parts.other") }</span>
                        <span><span class="time-key waiting"></span>{ explain(Shown::Waiting, t!("ranks.parts.waiting")) }</span>
                        <span><span class="time-key rest"></span>{ t!("ranks.parts.rest") }</span>
                    </p>
                </>
            },
        )
    }
}

/// A rank's time per step as a stacked bar with its numbers.
fn spent(times: RankTimes) -> Html {
    if times.steps == 0 {
        return html! { { "–" } };
    }
    let parts = [
        ("attention", times.attention_us),
        ("other", times.other_us),
        ("waiting", times.waited_us),
        ("rest", times.rest_us()),
    ];
    let whole = parts.iter().map(|(_, us)| us).sum::<u64>().max(1) as f64;
    let each = f64::from(times.steps);
    let words: Vec<String> = parts
        .iter()
        .map(|(key, us)| {
            format!("{} {}", t!(format!("ranks.parts.{}", key)), format::micros(*us as f64 / each))
        })
        .collect();
    html! {
        <span class="stack" title={words.join(&t!("cursor.comma"))}>
            <span class="stack-bar" aria-hidden="true">
                { for parts.iter().map(|(name, us)| html! {
                    <span key={*name} class={*name} ~style={format!("width:{:.1}%", *us as f64 / whole * 100.0)}></span>
                }) }
            </span>
            <span class="bar-text">
                { t!(
                    "ranks.spent",
                    computing = format::micros((times.attention_us + times.other_us) as f64 / each),
                    waiting = format::micros(times.waited_us as f64 / each)
                ) }
            </span>
        </span>
    }
}
