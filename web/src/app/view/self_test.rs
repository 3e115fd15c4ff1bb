//! The links' self-test: the collectives' laws between these workers, and how long a hop takes.

use crate::t;
use yew::prelude::*;

use crate::app::glossary::Shown;
use crate::app::self_test::SelfTest;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::parts::section;
use crate::app::view::term::explain;
use crate::app::{format, laws};

/// The button with its answer.
#[derive(PartialEq)]
pub struct SelfTestView {
    /// What was found.
    pub result: SelfTest,
    /// Whether it can be asked for now.
    pub can_test: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for SelfTestView {
    fn draw(&self) -> Html {
        let Self { result, can_test, on } = self;
        let lead = html! { { t!("self_test.lead") } };
        let answer = match result {
            SelfTest::Idle => html! {},
            SelfTest::Running(_) => html! { <p>{ t!("self_test.testing") }</p> },
            SelfTest::Done(found) => html! {
                <>
                    if found.failed.is_empty() {
                        <p class="good">{ t!("self_test.hold", number = found.passed.len()) }</p>
                    } else {
                        <ul class="bad">{ for found.failed.iter().map(|law| html! { <li>{ law }</li> }) }</ul>
                    }
                    <table>
                        <caption>{ explain(Shown::RoundTrip, t!("self_test.trips")) }</caption>
                        <thead>
                            <tr>
                                <th scope="col">{ t!("self_test.message") }</th>
                                <th scope="col">{ t!("self_test.time") }</th>
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
                        <summary>{ t!("self_test.laws") }</summary>
                        <ul>{ for found.passed.iter().map(|law| html! { <li key={law.as_str()}>{ laws::told(law) }</li> }) }</ul>
                    </details>
                </>
            },
        };
        section(
            "links",
            t!("self_test.title"),
            lead,
            html! {
                <>
                    <button
                        type="button"
                        data-control="test-links"
                        aria-disabled={(!can_test).to_string()}
                        title={t!("self_test.when")}
                        onclick={on.reform(|_| Action::TestLinks)}
                    >
                        { t!("self_test.test") }
                    </button>
                    <div role="status" aria-label={t!("self_test.title")}>{ answer }</div>
                </>
            },
        )
    }
}
