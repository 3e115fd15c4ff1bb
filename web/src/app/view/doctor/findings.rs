//! What was found, in the order in which a run meets it.

use crate::t;
use ::doctor::{Finding, Severity};
use yew::prelude::*;

use crate::app::language::told;
use crate::app::view::parts::section;

/// More findings are counted, not shown: each is a card, and a file of nothing but unknown keys has
/// thousands.
const SHOWN: usize = 100;

/// The findings.
pub fn view(findings: &[Finding]) -> Html {
    section(
        "findings",
        t!("doctor.findings.title"),
        html! { { t!("doctor.findings.lead") } },
        html! {
            <>
            <ol class="finding-list">
                { for findings.iter().take(SHOWN).enumerate().map(|(index, finding)| html! {
                    <li key={index}>{ one(finding) }</li>
                }) }
            </ol>
            if findings.len() > SHOWN {
                <p>{ t!("doctor.findings.more", count = findings.len() - SHOWN) }</p>
            }
            </>
        },
    )
}

fn one(finding: &Finding) -> Html {
    let (class, mark, word) = match finding.severity {
        Severity::Error => ("bad", "✕", t!("doctor.findings.error")),
        Severity::Warning => ("warned", "▲", t!("doctor.findings.warning")),
        Severity::Info => ("noted", "●", t!("doctor.findings.note")),
    };
    html! {
        <article class={classes!("finding", class)}>
            <p class="finding-head">
                <b class="severity"><span aria-hidden="true">{ mark }</span>{ " " }{ word }</b>
                <span>{ told(&finding.stage.title()) }</span>
                if let Some(place) = finding.place {
                    <span>
                        { t!("doctor.findings.place", line = place.line, column = place.column) }
                    </span>
                }
                <code>{ finding.id.name() }</code>
            </p>
            <h3>{ told(&finding.message) }</h3>
            <p>{ told(&finding.why) }</p>
            <p><b>{ t!("doctor.findings.change") }</b>{ " " }{ told(&finding.fix) }</p>
            { known(finding) }
        </article>
    }
}

/// Since and until which version, and where it is public.
fn known(finding: &Finding) -> Html {
    let versions = match (finding.since, finding.fixed_in) {
        (Some(since), Some(until)) => Some(t!("doctor.known.both", since = since, until = until)),
        (Some(since), None) => Some(t!("doctor.known.since", since = since)),
        (None, Some(until)) => Some(t!("doctor.known.until", until = until)),
        (None, None) => None,
    };
    if versions.is_none() && finding.reference.is_none() {
        return html! {};
    }
    html! {
        <p class="hint">
            { versions }
            if let (Some(link), Some(reference)) = (finding.link(), finding.reference) {
                { " " }
                <a href={link} target="_blank" rel="noreferrer">{ reference }</a>
            }
        </p>
    }
}
