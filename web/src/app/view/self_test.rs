//! The links' self-test: the collectives' laws between these workers, and how long a hop takes.

use yew::prelude::*;

use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::state::{Action, SelfTest};
use crate::app::view::parts::section;
use crate::app::view::term::explain;

/// Properties of [`SelfTestView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What was found.
    pub result: SelfTest,
    /// Whether it can be asked for now.
    pub can_test: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The button with its answer.
#[component]
pub fn SelfTestView(Props { result, can_test, on }: &Props) -> Html {
    let lead = html! {
        { "Before training, the workers can check the laws of every collective among themselves, \
           and time their links." }
    };
    let answer = match result {
        SelfTest::Idle => html! {},
        SelfTest::Running(_) => html! { <p>{ "The workers are testing…" }</p> },
        SelfTest::Done(found) => html! {
            <>
                if found.failed.is_empty() {
                    <p class="good">{ format!("✓ {} laws hold.", found.passed.len()) }</p>
                } else {
                    <ul class="bad">{ for found.failed.iter().map(|law| html! { <li>{ law }</li> }) }</ul>
                }
                <table>
                    <caption>{ explain(Shown::RoundTrip, "Round trip to the next rank, median") }</caption>
                    <thead><tr><th scope="col">{ "Message" }</th><th scope="col">{ "Time" }</th></tr></thead>
                    <tbody>
                        { for found.round_trips.iter().map(|&(bytes, us)| html! {
                            <tr key={bytes.to_string()}>
                                <th scope="row">{ format::bytes(bytes) }</th>
                                <td>{ format::micros(us) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
                <details>
                    <summary>{ "The laws" }</summary>
                    <ul>{ for found.passed.iter().map(|law| html! { <li key={law.as_str()}>{ law }</li> }) }</ul>
                </details>
            </>
        },
    };
    section(
        "links",
        "Links",
        lead,
        html! {
            <>
                <button
                    type="button"
                    aria-disabled={(!can_test).to_string()}
                    title="Possible before the first step"
                    onclick={on.reform(|_| Action::TestLinks)}
                >
                    { "Test the links" }
                </button>
                <div role="status" aria-label="Links">{ answer }</div>
            </>
        },
    )
}
