//! The doctor's place: what is given on one side, what it says on the other.

mod checklist;
mod findings;
mod fix;
mod input;
mod outlook;

use crate::t;
use ::doctor::{Report, Severity, Verdict};
use plan::{Message, message};
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor, Outcome};
use crate::app::language::told;
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
            <p class="verdict nothing">{ t!("doctor.verdict.nothing") }</p>
        },
        Outcome::Refused(refusals) => html! {
            <>
                <p class="verdict error-verdict">
                    { format!("✕ {}", t!("doctor.verdict.unread")) }
                </p>
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
        t!("doctor.verdict.title"),
        html! { { t!("doctor.verdict.lead") } },
        html! { <div role="status" aria-label={t!("doctor.verdict.label")}>{ body }</div> },
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
            <p class={classes!("verdict", class)}>
                { format!("{mark} {}", told(&report.verdict.title())) }
            </p>
            <p>
                { counted(report) }
                { " " }
                <span class="hint">{ t!("doctor.verdict.took", ms = format!("{took_ms:.1}")) }</span>
            </p>
            if !report.assumed.is_empty() {
                <p class="hint">{ t!("doctor.verdict.assumed", list = assumed(report)) }</p>
            }
        </>
    }
}

fn assumed(report: &Report) -> String {
    told(&Message::list(&report.assumed, |list, item| message!("{list}; {item}", list, item)))
}

fn counted(report: &Report) -> String {
    let of = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
    let errors = match of(Severity::Error) {
        0 => None,
        1 => Some(t!("doctor.counted.error")),
        count => Some(t!("doctor.counted.errors", count = count)),
    };
    let warnings = match of(Severity::Warning) {
        0 => None,
        1 => Some(t!("doctor.counted.warning")),
        count => Some(t!("doctor.counted.warnings", count = count)),
    };
    let notes = match of(Severity::Info) {
        0 => None,
        1 => Some(t!("doctor.counted.note")),
        count => Some(t!("doctor.counted.notes", count = count)),
    };
    let counts = [errors, warnings, notes].into_iter().flatten().map(String::from);
    match Message::list(counts, |list, item| message!("{list}, {item}", list, item)) {
        none if none.is_empty() => t!("doctor.counted.none").into(),
        list => told(&message!("{text}.", text = list)),
    }
}
