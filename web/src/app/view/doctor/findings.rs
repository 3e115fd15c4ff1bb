//! What was found, in the order in which a run meets it.

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::view::parts::section;
use crate::diagnosis::report::{Finding, Report, Severity};

/// The findings.
pub fn view(report: &Report) -> Html {
    let findings = &report.findings;
    let more = report.found.all() - findings.len();
    section(
        "findings",
        t!("doctor.findings.title"),
        html! { { t!("doctor.findings.lead") } },
        html! {
            <>
            <ol class="finding-list">
                { for findings.iter().enumerate().map(|(index, finding)| html! {
                    <li key={index}>{ one(finding) }</li>
                }) }
            </ol>
            if more > 0 {
                <p>{ t!("doctor.findings.more", count = more) }</p>
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
                <span>{ &finding.stage }</span>
                if let Some((line, column)) = finding.place {
                    <span>
                        { t!("doctor.findings.place", line = line, column = column) }
                    </span>
                }
                <code>{ &finding.id }</code>
            </p>
            <h3>{ &finding.message }</h3>
            if !finding.why.is_empty() {
                <p>{ &finding.why }</p>
            }
            <p><b>{ t!("doctor.findings.change") }</b>{ t!("between.sentences") }{ &finding.fix }</p>
            { known(finding) }
        </article>
    }
}

/// A link's address; what begins with # is in this page.
fn at(link: &str) -> String {
    link.strip_prefix('#').map_or_else(|| link.to_owned(), browser::link)
}

/// Since and until which version, and where it is public.
fn known(finding: &Finding) -> Html {
    let versions = match (&finding.since, &finding.fixed_in) {
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
            if let (Some(link), Some(reference)) = (&finding.link, &finding.reference) {
                { t!("between.sentences") }
                <a href={at(link)} target="_blank" rel="noreferrer">{ reference }</a>
            }
        </p>
    }
}
