//! The same run by each strategy: what a rank would send in a step, and what it does send.

use crate::t;
use plan::traffic::Flow;
use plan::{Message, RunConfig, RunPlan, StrategyKind};
use yew::prelude::*;

use crate::app::fields::Field;
use crate::app::format;
use crate::app::language::told;
use crate::app::shared::Shared;

/// Properties of [`Strategies`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What rank 0 has sent, and over how many steps.
    pub measured: (Flow, u32),
}

/// What a rank sends in a step by `kind`, or why that cannot be had.
fn predicted(plan: &RunPlan, kind: StrategyKind) -> Result<Flow, Message> {
    if kind == plan.config().strategy {
        return Ok(plan.step_traffic());
    }
    let config = RunConfig { strategy: kind, ulysses_degree: None, ..plan.config().clone() };
    RunPlan::new(config).map(|other| other.step_traffic()).map_err(|refusal| refusal.reason)
}

/// The table.
#[component]
pub fn Strategies(Props { plan, measured }: &Props) -> Html {
    let rows =
        use_memo(plan.clone(), |plan| StrategyKind::ALL.map(|kind| (kind, predicted(plan, kind))));
    // An evaluation sends as well: then no step is like the other.
    let is_alike = plan.config().eval_every == 0;
    let row = |(kind, flow): &(StrategyKind, Result<Flow, Message>)| {
        let runs = *kind == plan.config().strategy;
        let name = Field::Strategy.option(kind.name());
        let name = if runs { t!("strategies.this_run", strategy = name) } else { name };
        let numbers = match flow {
            Ok(flow) => html! {
                <>
                    <td>{ format::count(flow.messages) }</td>
                    <td>{ format::count(flow.bytes) }</td>
                    <td>{ if runs && is_alike { a_step(*measured) } else { "–".to_owned() } }</td>
                </>
            },
            Err(reason) => html! { <td colspan="3" class="reason">{ told(reason) }</td> },
        };
        html! { <tr key={kind.name()}><th scope="row">{ name }</th>{ numbers }</tr> }
    };
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("strategies.region")}>
            <table>
                <caption>{ t!("strategies.caption") }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ t!("strategies.strategy") }</th>
                        <th scope="col">{ t!("strategies.messages") }</th>
                        <th scope="col">{ t!("strategies.predicted") }</th>
                        <th scope="col">{ t!("strategies.measured") }</th>
                    </tr>
                </thead>
                <tbody>{ for rows.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

/// Mean bytes a step; every step of a run sends the same, so nothing is rounded away.
fn a_step((sent, steps): (Flow, u32)) -> String {
    match sent.bytes.checked_div(u64::from(steps)) {
        Some(bytes) => format::count(bytes),
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_strategy_has_its_prediction_or_its_reason() {
        let plan = RunPlan::new(RunConfig::default()).expect("the default is checked");
        assert_eq!(predicted(&plan, StrategyKind::Ring), Ok(plan.step_traffic()));
        let eight = RunPlan::new(RunConfig { cp: 8, ..RunConfig::default() }).expect("eight ranks");
        let reason = predicted(&eight, StrategyKind::Ulysses).expect_err("4 heads, 8 ranks");
        assert!(reason.contains("heads"));
    }

    #[test]
    fn a_step_is_a_mean() {
        assert_eq!(a_step((Flow { messages: 4, bytes: 80 }, 4)), "20");
        assert_eq!(a_step((Flow::default(), 0)), "–");
    }
}
