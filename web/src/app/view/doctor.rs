//! The doctor's place: what is given on one side, what it says on the other.

mod checklist;
mod findings;
mod fix;
mod input;
mod outlook;

use crate::t;
use plan::{Message, message};
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor, Outcome};
use crate::app::language::told;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::verbatim;
use crate::app::view::parts::section;
use crate::diagnosis::report::{Found, Report, Verdict};

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
    {
        let act = act.clone();
        use_effect_with((), move |()| act.emit(Act::Arrive));
    }
    html! {
        <div class="doctor-columns">
            <input::InputView doctor={doctor.clone()} on={act.clone()} />
            <div class="views">
                { verdict(doctor, &act) }
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
                { findings::view(report) }
            }
            if let Some(corrected) = &report.corrected {
                { fix::view(corrected, doctor.is_behind(), act) }
            }
            { outlook::view(doctor, report, act) }
            { checklist::view(doctor, &report.stories, act) }
        </>
    }
}

/// How it stands, in one line with the class that gives it its colour.
pub fn headline(doctor: &Doctor) -> (&'static str, String) {
    let (class, mark, text) = match &doctor.outcome {
        // Until the first answer, which waits for the doctor's files.
        Outcome::Nothing if doctor.is_behind() => {
            return ("nothing", t!("doctor.verdict.reading").into());
        }
        Outcome::Nothing => return ("nothing", t!("doctor.verdict.nothing").into()),
        Outcome::Refused(_) => ("error-verdict", "✕", t!("doctor.verdict.unread")),
        Outcome::Diagnosed(report) => {
            let (class, mark) = match report.verdict {
                Verdict::Ok => ("good-verdict", "✓"),
                Verdict::Warning => ("warning-verdict", "▲"),
                Verdict::Error => ("error-verdict", "✕"),
            };
            (class, mark, (&*report.sentence).into())
        }
    };
    (class, format!("{mark} {text}"))
}

/// How it stands, told at once to who cannot see it.
fn verdict(doctor: &Doctor, act: &Callback<Act>) -> Html {
    let (class, text) = headline(doctor);
    let more = match &doctor.outcome {
        Outcome::Nothing => html! {},
        Outcome::Refused(refusals) => html! {
            <ul>
                { for refusals.iter().map(|refusal| html! {
                    <li key={refusal.field.as_str()} class="error">
                        { format!("{} = {}", refusal.field, verbatim(refusal)) }
                    </li>
                }) }
            </ul>
        },
        Outcome::Diagnosed(report) => said(report),
    };
    section(
        "verdict-view",
        t!("doctor.verdict.title"),
        html! { { t!("doctor.verdict.lead") } },
        html! {
            <>
                { failed(doctor, act) }
                <div role="status" aria-label={t!("doctor.verdict.label")}>
                    <p class={classes!("verdict", class)}>{ text }</p>
                    { more }
                </div>
            </>
        },
    )
}

/// Why no answer comes, and a way to try again.
fn failed(doctor: &Doctor, act: &Callback<Act>) -> Html {
    let Some(why) = &doctor.failure else { return html! {} };
    html! {
        <div role="alert">
            <p class="error">{ t!("doctor.failed.because", why = told(why)) }</p>
            <button type="button" onclick={act.reform(|_| Act::Diagnose)}>
                { t!("doctor.failed.again") }
            </button>
        </div>
    }
}

fn said(report: &Report) -> Html {
    html! {
        <>
            <p>
                { counted(&report.found) }
                { t!("between.sentences") }
                <span class="hint">{ t!("doctor.verdict.took", ms = format!("{:.1}", report.took_ms)) }</span>
            </p>
            if !report.assumed.is_empty() {
                <p class="hint">{ t!("doctor.verdict.assumed", list = report.assumed) }</p>
            }
        </>
    }
}

fn counted(found: &Found) -> String {
    let errors = match found.errors {
        0 => None,
        1 => Some(t!("doctor.counted.error")),
        count => Some(t!("doctor.counted.errors", count = count)),
    };
    let warnings = match found.warnings {
        0 => None,
        1 => Some(t!("doctor.counted.warning")),
        count => Some(t!("doctor.counted.warnings", count = count)),
    };
    let notes = match found.notes {
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
