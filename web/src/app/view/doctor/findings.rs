//! What was found, in the order in which a run meets it.

use ::doctor::{Finding, Severity};
use yew::prelude::*;

use crate::app::view::parts::section;

/// More findings are counted, not shown: each is a card, and a file of nothing but unknown keys has
/// thousands.
const SHOWN: usize = 100;

/// The findings.
pub fn view(findings: &[Finding]) -> Html {
    section(
        "findings",
        "Findings",
        html! { { "In the order in which the run meets them." } },
        html! {
            <>
            <ol class="finding-list">
                { for findings.iter().take(SHOWN).enumerate().map(|(index, finding)| html! {
                    <li key={index}>{ one(finding) }</li>
                }) }
            </ol>
            if findings.len() > SHOWN {
                <p>{ format!("{} more findings follow: change these first.", findings.len() - SHOWN) }</p>
            }
            </>
        },
    )
}

fn one(finding: &Finding) -> Html {
    let (class, mark, word) = match finding.severity {
        Severity::Error => ("bad", "✕", "Error"),
        Severity::Warning => ("warned", "▲", "Warning"),
        Severity::Info => ("noted", "●", "Note"),
    };
    html! {
        <article class={classes!("finding", class)}>
            <p class="finding-head">
                <b class="severity"><span aria-hidden="true">{ mark }</span>{ " " }{ word }</b>
                <span>{ finding.stage.title() }</span>
                if let Some(place) = finding.place {
                    <span>{ format!("line {}, column {}", place.line, place.column) }</span>
                }
                <code>{ finding.id.name() }</code>
            </p>
            <h3>{ &finding.message }</h3>
            <p>{ &finding.why }</p>
            <p><b>{ "Change: " }</b>{ &finding.fix }</p>
            { known(finding) }
        </article>
    }
}

/// Since and until which version, and where it is public.
fn known(finding: &Finding) -> Html {
    let since = finding.since.map(|version| format!("since {version}"));
    let until = finding.fixed_in.map(|version| format!("until {version}"));
    let versions: Vec<String> = [since, until].into_iter().flatten().collect();
    if versions.is_empty() && finding.reference.is_none() {
        return html! {};
    }
    let versions = (!versions.is_empty()).then(|| format!("accelerate, {}", versions.join(", ")));
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
