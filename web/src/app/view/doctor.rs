//! The doctor's place: what is given on one side, what it says on the other.

mod checklist;
mod findings;
mod fix;
mod input;
mod outlook;

use ::doctor::{Report, Severity, Verdict};
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor, Outcome};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::sentence;
use crate::app::view::parts::section;

/// Properties of [`DoctorView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What was given and what is said.
    pub doctor: Shared<Doctor>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view.
#[component]
pub fn DoctorView(Props { doctor, on }: &Props) -> Html {
    let act = on.reform(Action::Doctor);
    html! {
        <div class="doctor-columns">
            <input::InputView doctor={doctor.clone()} on={act.clone()} />
            <div class="views">
                { verdict(doctor) }
                if let Some(report) = doctor.report() {
                    { diagnosis(doctor, report, &act) }
                }
            </div>
        </div>
    }
}

fn diagnosis(doctor: &Doctor, report: &Report, act: &Callback<Act>) -> Html {
    html! {
        <>
            if !report.findings.is_empty() {
                { findings::view(&report.findings) }
            }
            if let Some(corrected) = &report.corrected {
                { fix::view(corrected, act) }
            }
            { outlook::view(doctor, report, act) }
            { checklist::view(doctor, &report.stories, act) }
        </>
    }
}

/// How it stands, told at once to who cannot see it.
fn verdict(doctor: &Doctor) -> Html {
    let body = match &doctor.outcome {
        Outcome::Nothing => html! {
            <p class="verdict nothing">
                { "Nothing to diagnose yet. Paste a configuration, or begin with a sample." }
            </p>
        },
        Outcome::Refused(refusals) => html! {
            <>
                <p class="verdict error-verdict">{ "✕ Not diagnosed: this cannot be read." }</p>
                <ul>
                    { for refusals.iter().map(|refusal| html! {
                        <li key={refusal.field.as_str()} class="error">
                            { format!("{} = {}", refusal.field, sentence(refusal)) }
                        </li>
                    }) }
                </ul>
            </>
        },
        Outcome::Diagnosed(report) => said(report, doctor.took_ms),
    };
    section(
        "verdict-view",
        "Diagnosis",
        html! { { "Concluded from accelerate's source at 1.10.0, 1.12.0, 1.13.0 and 1.15.0." } },
        html! { <div role="status" aria-label="Verdict">{ body }</div> },
    )
}

fn said(report: &Report, took_ms: f64) -> Html {
    let (class, mark) = match report.verdict {
        Verdict::Ok => ("good-verdict", "✓"),
        Verdict::Warning => ("warning-verdict", "▲"),
        Verdict::Error => ("error-verdict", "✕"),
    };
    html! {
        <>
            <p class={classes!("verdict", class)}>{ format!("{mark} {}", report.verdict.title()) }</p>
            <p>
                { counted(report) }
                <span class="hint">{ format!(" Diagnosed in {took_ms:.1} ms.") }</span>
            </p>
            if !report.assumed.is_empty() {
                <p class="hint">{ format!("Assumed: {}.", report.assumed.join("; ")) }</p>
            }
        </>
    }
}

fn counted(report: &Report) -> String {
    let of = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
    let counts = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Warning), "warning", "warnings"),
        (of(Severity::Info), "note", "notes"),
    ];
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    if words.is_empty() { "No finding.".to_owned() } else { format!("{}.", words.join(", ")) }
}
