//! The loss view: the curve, what one rank alone gets, and the numbers as a table.

use plan::fold::Curve;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::language::told;
use crate::app::reference::ReferenceLog;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::curve_plot::CurvePlot;
use crate::app::view::parts::section;
use crate::app::view::term::explain;

/// Properties of [`CurveView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// Ranks of the run.
    pub world: usize,
    /// Steps of the whole run.
    pub total: u32,
    /// Whether one rank trains beside.
    pub check: bool,
    /// What it found.
    pub reference: Shared<ReferenceLog>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Rows of the table; the curve shows the rest.
const ROWS: usize = 50;

/// The view.
#[component]
pub fn CurveView(props: &Props) -> Html {
    let Props { curve, world, total, check, reference, on } = props;
    let switch = on.reform(|event: Event| {
        Action::Check(event.target_unchecked_into::<HtmlInputElement>().checked())
    });
    let lead = html! {
        { "Mean loss over all valid tokens of the step's batch, in nats. It is one number: every \
           rank reports the same." }
    };
    section(
        "curve",
        "Loss",
        lead,
        html! {
            <>
                <CurvePlot curve={curve.clone()} {world} {total} reference={reference.clone()} />
                <label class="check">
                    <input type="checkbox" checked={*check} onchange={switch} />
                    { "Check against one rank" }
                </label>
                if *check {
                    <p class="difference" role="status" aria-label="Difference" aria-live="off">
                        { difference(curve, reference) }
                    </p>
                }
                { table(curve, reference, *check) }
            </>
        },
    )
}

fn difference(curve: &Curve, reference: &ReferenceLog) -> Html {
    if let Some(failure) = &reference.failure {
        return html! { <span class="error">{ format!("The one-rank run stopped: {}", told(failure)) }</span> };
    }
    match reference.compare(curve) {
        None => html! { { "One rank trains the same run beside, once the others do." } },
        Some(found) => html! {
            <>
                { explain(Shown::Difference, "Largest difference of the losses so far") }{ ": " }
                <b>{ format::tiny(found.largest) }</b>
                { format!(" (at step {}, over {} steps).", found.at + 1, found.steps) }
            </>
        },
    }
}

fn table(curve: &Curve, reference: &ReferenceLog, check: bool) -> Html {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
    let rows = curve.steps().rev().filter(|(_, n)| n.loss.is_some()).take(ROWS).map(|(step, n)| {
        html! {
            <tr key={step}>
                <th scope="row">{ step + 1 }</th>
                <td>{ number(n.loss) }</td>
                <td>{ number(n.grad_norm) }</td>
                <td>{ number(n.eval_loss) }</td>
                if check {
                    <td>{ number(reference.losses.get(&step).copied()) }</td>
                }
            </tr>
        }
    });
    html! {
        <details>
            <summary>{ "As a table" }</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Losses">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Step" }</th>
                            <th scope="col">{ "Loss" }</th>
                            <th scope="col">{ "Gradient norm" }</th>
                            <th scope="col">{ explain(Shown::Evaluation, "Evaluation") }</th>
                            if check {
                                <th scope="col">{ explain(Shown::OneRank, "One rank") }</th>
                            }
                        </tr>
                    </thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </details>
    }
}
