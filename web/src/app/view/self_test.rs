//! The links' self-test: the collectives' laws between these workers, and how long a hop takes.

use rust_i18n::t;
use yew::prelude::*;

use crate::app::state::{Action, SelfTest};
use crate::app::view::parts::section;
use crate::app::{format, laws};

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
    let lead = html! { { t!("links.lead") } };
    let answer = match result {
        SelfTest::Idle => html! {},
        SelfTest::Running(_) => html! { <p>{ t!("links.testing") }</p> },
        SelfTest::Done(found) => html! {
            <>
                if found.failed.is_empty() {
                    <p class="good">{ t!("links.hold", number = found.passed.len()) }</p>
                } else {
                    <ul class="bad">{ for found.failed.iter().map(|law| html! { <li>{ law }</li> }) }</ul>
                }
                <table>
                    <caption>{ t!("links.trips") }</caption>
                    <thead>
                        <tr>
                            <th scope="col">{ t!("links.message") }</th>
                            <th scope="col">{ t!("links.time") }</th>
                        </tr>
                    </thead>
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
                    <summary>{ t!("links.laws") }</summary>
                    <ul>{ for found.passed.iter().map(|law| html! { <li key={law.as_str()}>{ laws::told(law) }</li> }) }</ul>
                </details>
            </>
        },
    };
    section(
        "links",
        t!("links.title"),
        lead,
        html! {
            <>
                <button
                    type="button"
                    aria-disabled={(!can_test).to_string()}
                    title={t!("links.when")}
                    onclick={on.reform(|_| Action::TestLinks)}
                >
                    { t!("links.test") }
                </button>
                <div role="status" aria-label={t!("links.title")}>{ answer }</div>
            </>
        },
    )
}
