//! The traffic view: what the plan says that each rank sends, beside what it did send.

use std::collections::BTreeMap;

use crate::t;
use plan::RunPlan;
use plan::event::{Axis, Op};
use plan::fold::Sent;
use plan::fold::times::Times;
use plan::traffic::Flow;
use yew::prelude::*;

use crate::app::cursor::Spot;
use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::link_matrix::LinkMatrix;
use crate::app::view::memo::View;
use crate::app::view::parts::{rank_button, section};
use crate::app::view::strategies::Strategies;
use crate::app::view::term::explain;

/// The view.
#[derive(PartialEq)]
pub struct Traffic {
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

impl View for Traffic {
    fn draw(&self) -> Html {
        let Self { plan, sent, times, spot, on } = self;
        section(
            "traffic",
            t!("traffic.title"),
            html! { { t!("traffic.lead") } },
            html! {
                <>
                    { by_rank(plan, sent, times, *spot) }
                    { LinkMatrix {
                        plan: plan.clone(),
                        sent: sent.clone(),
                        times: times.clone(),
                        spot: *spot,
                        on: on.clone(),
                    }.part() }
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
}

fn by_rank(plan: &RunPlan, sent: &Sent, times: &Times, spot: Spot) -> Html {
    let row = |rank: usize| {
        let number = rank as u16;
        let steps = times.rank(number).steps;
        let predicted = plan.run_traffic(times.first(), times.first() + steps);
        let measured = sent.rank(number);
        let (class, verdict) = verdict(steps, predicted == measured);
        html! {
            <tr key={rank} class={classes!(spot.rank_class(rank))} data-rank={rank.to_string()}>
                <th scope="row">{ rank_button(rank, spot, rank == 0) }</th>
                <td class={class}>{ verdict }</td>
                <td>{ steps }</td>
                <td>{ format::count(predicted.messages) }</td>
                <td>{ format::count(measured.messages) }</td>
                <td>{ format::count(predicted.bytes) }</td>
                <td>{ format::count(measured.bytes) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("traffic.of_ranks")}>
            <table>
                <caption>{ t!("traffic.by_rank") }</caption>
                <thead>
                    <tr>
                        <th scope="col" rowspan="2">{ t!("traffic.rank") }</th>
                        <th scope="col" rowspan="2">{ explain(Shown::Verdict, t!("traffic.verdict")) }</th>
                        <th scope="col" rowspan="2">{ t!("traffic.steps") }</th>
                        <th scope="colgroup" colspan="2">{ explain(Shown::Messages, t!("traffic.messages")) }</th>
                        <th scope="colgroup" colspan="2">{ explain(Shown::Bytes, t!("traffic.bytes")) }</th>
                    </tr>
                    <tr>
                        <th scope="col">{ explain(Shown::Predicted, t!("traffic.predicted")) }</th>
                        <th scope="col">{ explain(Shown::Measured, t!("traffic.measured")) }</th>
                        <th scope="col">{ t!("traffic.predicted") }</th>
                        <th scope="col">{ t!("traffic.measured") }</th>
                    </tr>
                </thead>
                <tbody>{ for (0..plan.mesh().world().get()).map(row) }</tbody>
            </table>
        </div>
    }
}

/// Whether prediction and measurement agree, and the class that it looks like.
pub fn verdict(steps: u32, is_equal: bool) -> (&'static str, std::borrow::Cow<'static, str>) {
    match (steps, is_equal) {
        (0, _) => ("", "–".into()),
        (_, true) => ("good", t!("traffic.equal")),
        (_, false) => ("bad", t!("traffic.different")),
    }
}

/// Where one rank's traffic of one step comes from.
fn per_step(plan: &RunPlan) -> Html {
    let layer = plan.layer_traffic();
    let layers = (plan.model().layers * plan.config().grad_accum) as u64;
    let strategy = plan.config().strategy;
    let rows = [
        (t!("traffic.forward", strategy = strategy).into(), layer.forward.times(layers)),
        (t!("traffic.backward", strategy = strategy).into(), layer.backward.times(layers)),
        (explain(Shown::AllReduce, t!("traffic.gradients")), plan.gradient_traffic()),
        (t!("traffic.together").into(), plan.step_traffic()),
    ];
    html! {
        <table>
            <caption>{ t!("traffic.per_step") }</caption>
            { flow_head(t!("traffic.part").into()) }
            <tbody>{ for rows.into_iter().map(|(name, flow)| flow_row(name, flow)) }</tbody>
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
    let rows = sums.iter().map(|((axis, op), flow)| {
        flow_row(t!("traffic.operation_in", op = op.name(), axis = axis.name()).into(), *flow)
    });
    html! {
        <table>
            <caption>{ t!("traffic.by_operation") }</caption>
            { flow_head(t!("traffic.operation").into()) }
            <tbody>
                if sums.is_empty() {
                    <tr><td colspan="3">{ t!("traffic.nothing") }</td></tr>
                }
                { for rows }
            </tbody>
        </table>
    }
}

fn flow_head(first: AttrValue) -> Html {
    html! {
        <thead>
            <tr>
                <th scope="col">{ first }</th>
                <th scope="col">{ t!("traffic.messages") }</th>
                <th scope="col">{ t!("traffic.bytes") }</th>
            </tr>
        </thead>
    }
}

fn flow_row(name: Html, flow: Flow) -> Html {
    html! {
        <tr>
            <th scope="row">{ name }</th>
            <td>{ format::count(flow.messages) }</td>
            <td>{ format::count(flow.bytes) }</td>
        </tr>
    }
}
