//! The traffic view: what the plan says that each rank sends, beside what it did send.

use std::collections::BTreeMap;

use plan::RunPlan;
use plan::event::{Axis, Op};
use plan::fold::Sent;
use plan::fold::times::Times;
use plan::traffic::{Flow, all_reduce};
use yew::prelude::*;

use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::view::parts::{rank_mark, section};
use crate::app::view::strategies::Strategies;
use crate::app::view::term::{explain, terms};

/// Properties of [`Traffic`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What was sent.
    pub sent: Shared<Sent>,
    /// Steps by rank.
    pub times: Shared<Times>,
}

/// The view.
#[component]
pub fn Traffic(Props { plan, sent, times }: &Props) -> Html {
    let lead = html! {
        { "Predicted from the sizes alone, measured at each rank's transport, over the steps that \
           it has done. The two must be equal to the byte." }
    };
    section(
        "traffic",
        "Traffic",
        lead,
        html! {
            <>
                { by_rank(plan, sent, times) }
                { terms(&[Shown::AllReduce]) }
                <div class="side-by-side even">
                    { per_step(plan) }
                    { by_operation(plan, sent) }
                </div>
                <Strategies
                    plan={plan.clone()}
                    measured={(sent.rank(0), times.rank(0).steps)}
                />
            </>
        },
    )
}

fn by_rank(plan: &RunPlan, sent: &Sent, times: &Times) -> Html {
    let row = |rank: usize| {
        let number = rank as u16;
        let steps = times.rank(number).steps;
        let predicted = plan.run_traffic(times.first(), times.first() + steps);
        let measured = sent.rank(number);
        let (class, verdict) = match (steps, predicted == measured) {
            (0, _) => ("", "–"),
            (_, true) => ("good", "✓ equal"),
            (_, false) => ("bad", "✗ different"),
        };
        html! {
            <tr key={rank}>
                <th scope="row">{ rank_mark(rank) }</th>
                <td>{ steps }</td>
                <td>{ format::count(predicted.messages) }</td>
                <td>{ format::count(measured.messages) }</td>
                <td>{ format::count(predicted.bytes) }</td>
                <td>{ format::count(measured.bytes) }</td>
                <td class={class}>{ verdict }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label="Traffic of each rank">
            <table>
                <caption>{ "Sent by each rank" }</caption>
                <thead>
                    <tr>
                        <th scope="col" rowspan="2">{ "Rank" }</th>
                        <th scope="col" rowspan="2">{ "Steps" }</th>
                        <th scope="colgroup" colspan="2">{ explain(Shown::Messages, "Messages") }</th>
                        <th scope="colgroup" colspan="2">{ explain(Shown::Bytes, "Bytes") }</th>
                        <th scope="col" rowspan="2">{ explain(Shown::Verdict, "Verdict") }</th>
                    </tr>
                    <tr>
                        <th scope="col">{ explain(Shown::Predicted, "predicted") }</th>
                        <th scope="col">{ explain(Shown::Measured, "measured") }</th>
                        <th scope="col">{ "predicted" }</th>
                        <th scope="col">{ "measured" }</th>
                    </tr>
                </thead>
                <tbody>{ for (0..plan.mesh().world().get()).map(row) }</tbody>
            </table>
        </div>
    }
}

/// Where one rank's traffic of one step comes from.
fn per_step(plan: &RunPlan) -> Html {
    let layer = plan.layer_traffic();
    let layers = (plan.model().layers * plan.config().grad_accum) as u64;
    let rows = [
        (format!("{} attention, forward", plan.config().strategy), layer.forward.times(layers)),
        (format!("{} attention, backward", plan.config().strategy), layer.backward.times(layers)),
        ("all_reduce of gradients".to_owned(), all_reduce(plan.bucket_len(), plan.mesh().world())),
        ("together".to_owned(), plan.step_traffic()),
    ];
    html! {
        <table>
            <caption>{ "Predicted for one step of one rank" }</caption>
            { flow_head("Part") }
            <tbody>{ for rows.into_iter().map(|(name, flow)| flow_row(&name, flow)) }</tbody>
        </table>
    }
}

fn by_operation(plan: &RunPlan, sent: &Sent) -> Html {
    let mut sums: BTreeMap<(Axis, Op), Flow> = BTreeMap::new();
    for rank in 0..plan.mesh().world().get() as u16 {
        for (key, flow) in sent.ops(rank) {
            let sum = sums.entry(key).or_default();
            *sum = *sum + flow;
        }
    }
    let rows =
        sums.iter().map(|((axis, op), flow)| flow_row(&format!("{op} in {}", axis.name()), *flow));
    html! {
        <table>
            <caption>{ "Measured over all ranks, by operation" }</caption>
            { flow_head("Operation") }
            <tbody>
                if sums.is_empty() {
                    <tr><td colspan="3">{ "Nothing was sent yet." }</td></tr>
                }
                { for rows }
            </tbody>
        </table>
    }
}

fn flow_head(first: &'static str) -> Html {
    html! {
        <thead>
            <tr>
                <th scope="col">{ first }</th>
                <th scope="col">{ "Messages" }</th>
                <th scope="col">{ "Bytes" }</th>
            </tr>
        </thead>
    }
}

fn flow_row(name: &str, flow: Flow) -> Html {
    html! {
        <tr key={name.to_owned()}>
            <th scope="row">{ name }</th>
            <td>{ format::count(flow.messages) }</td>
            <td>{ format::count(flow.bytes) }</td>
        </tr>
    }
}
