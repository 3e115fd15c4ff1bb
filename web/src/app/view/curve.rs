//! The curves view: one of the run's numbers over the steps, and all of them as a table.

use crate::t;
use plan::fold::Curve;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::cursor::Cursor;
use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::language::told;
use crate::app::metric::{Metric, SPEED_WINDOW};
use crate::app::reference::ReferenceLog;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::curve_plot::CurvePlot;
use crate::app::view::memo::View;
use crate::app::view::parts::section;
use crate::app::view::term::explain;

/// Properties of [`CurveView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// Steps done in the state in which the run is.
    pub at: u32,
    /// The step after which the run began.
    pub first: u32,
    /// Ranks of the run.
    pub world: usize,
    /// Steps of the whole run.
    pub total: u32,
    /// Whether one rank trains beside.
    pub check: bool,
    /// What it found.
    pub reference: Shared<ReferenceLog>,
    /// What is lit.
    pub cursor: Cursor,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Rows of the table; the curve shows the rest.
const ROWS: usize = 50;

/// The view.
#[component]
pub fn CurveView(props: &Props) -> Html {
    let Props { curve, at, first, world, total, check, reference, cursor, on } = props;
    let metric = use_state(Metric::default);
    let switch = on.reform(|event: Event| {
        Action::Check(event.target_unchecked_into::<HtmlInputElement>().checked())
    });
    let lit = cursor.spot().step;
    let lead = t!(format!("curve.{}.lead", metric.key()), window = SPEED_WINDOW);
    section(
        "curve",
        metric.name(),
        html! { { lead } },
        html! {
            <>
                { choice(&metric) }
                { CurvePlot {
                    metric: *metric,
                    curve: curve.clone(),
                    at: *at,
                    first: *first,
                    world: *world,
                    total: *total,
                    reference: reference.clone(),
                    lit,
                    on: on.clone(),
                }.part() }
                <label class="check">
                    <input
                        type="checkbox"
                        data-control="check"
                        checked={*check}
                        onchange={switch}
                    />
                    { t!("curve.check") }
                </label>
                if *check {
                    <p class="difference" role="status" aria-label={t!("curve.difference")} aria-live="off">
                        { difference(curve, reference) }
                    </p>
                }
                { table(curve, *first, reference, *check, lit) }
            </>
        },
    )
}

/// Which curve is drawn.
fn choice(metric: &UseStateHandle<Metric>) -> Html {
    let radio = |&other: &Metric| {
        let set = metric.setter();
        html! {
            <label key={other.key()}>
                <input
                    type="radio"
                    name="curve-metric"
                    checked={**metric == other}
                    onchange={move |_: Event| set.set(other)}
                />
                { other.name() }
            </label>
        }
    };
    html! {
        <fieldset class="choice">
            <legend class="unseen">{ t!("curve.which") }</legend>
            { for Metric::ALL.iter().map(radio) }
        </fieldset>
    }
}

fn difference(curve: &Curve, reference: &ReferenceLog) -> Html {
    if let Some(failure) = &reference.failure {
        return html! { <span class="error">{ t!("curve.stopped", why = told(failure)) }</span> };
    }
    match reference.compare(curve) {
        None => html! { { t!("curve.beside") } },
        Some(found) => html! {
            <>
                { explain(Shown::Difference, t!("curve.largest")) }{ t!("between.name_and_value") }
                <b>{ format::tiny(found.largest) }</b>
                { t!("curve.at", step = found.at + 1, steps = found.steps) }
            </>
        },
    }
}

fn table(
    curve: &Curve,
    begins: u32,
    reference: &ReferenceLog,
    check: bool,
    lit: Option<u32>,
) -> Html {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
    let newest: Vec<_> = curve.steps().rev().filter(|(_, n)| n.loss.is_some()).take(ROWS).collect();
    let first = newest.last().map_or(0, |&(step, _)| step);
    let rates = curve.rates(first, begins, SPEED_WINDOW);
    let speed = |step: u32| {
        let found = rates.binary_search_by_key(&step, |&(step, _)| step).ok();
        found.map_or("–".to_owned(), |index| Metric::Speed.text(rates[index].1))
    };
    let rows = newest.into_iter().map(|(step, n)| {
        let is_lit = lit == Some(step);
        html! {
            <tr key={step} data-step={step.to_string()} class={classes!(is_lit.then_some("is-lit"))} aria-current={is_lit.then_some("true")}>
                <th scope="row">{ step + 1 }</th>
                <td>{ number(n.loss) }</td>
                <td>{ number(n.grad_norm) }</td>
                <td>{ speed(step) }</td>
                <td>{ number(n.eval_loss) }</td>
                if check {
                    <td>{ number(reference.losses.get(&step).copied()) }</td>
                }
            </tr>
        }
    });
    html! {
        <details>
            <summary>{ t!("curve.as_table") }</summary>
            <div class="scroll tall" tabindex="0" role="region" aria-label={t!("curve.losses")}>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ t!("curve.step") }</th>
                            { for Metric::ALL.iter().map(|metric| html! {
                                <th key={metric.key()} scope="col">{ metric.name() }</th>
                            }) }
                            <th scope="col">{ explain(Shown::Evaluation, t!("curve.evaluation")) }</th>
                            if check {
                                <th scope="col">{ explain(Shown::OneRank, t!("curve.one_rank")) }</th>
                            }
                        </tr>
                    </thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </details>
    }
}
