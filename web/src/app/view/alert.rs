//! What failed, and the way out.

use std::borrow::Cow;

use crate::t;
use web_sys::Element;
use yew::prelude::*;

use crate::app::browser;
use crate::app::language::told;
use crate::app::state::Action;
use crate::cluster::Failure;

/// Properties of [`Alert`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The first is the likeliest cause.
    pub failures: Vec<Failure>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The failures with a Restart button.
#[component]
pub fn Alert(Props { failures, on }: &Props) -> Html {
    let restart = on.reform(|_| Action::Reset);
    let place = use_node_ref();
    // Whoever pressed Run far below it has not seen it.
    use_effect_with((failures.is_empty(), place.clone()), |(is_empty, place)| {
        if let Some(element) = place.cast::<Element>().filter(|_| !is_empty) {
            browser::bring_into_sight(&element);
        }
    });
    let Some((first, others)) = failures.split_first() else { return html! {} };
    html! {
        <div class="alert" role="alert" ref={place}>
            <h2>{ title(first) }</h2>
            { body(first) }
            if !others.is_empty() {
                <details>
                    <summary>{ t!("alert.others", number = others.len()) }</summary>
                    { for others.iter().enumerate().map(|(i, failure)| html! {
                        <div key={i}><strong>{ title(failure) }</strong>{ body(failure) }</div>
                    }) }
                </details>
            }
            <button type="button" class="primary" onclick={restart}>{ t!("alert.restart") }</button>
        </div>
    }
}

fn title(failure: &Failure) -> Cow<'static, str> {
    match failure.rank {
        Some(rank) => t!("alert.rank", rank = rank),
        None => t!("alert.run"),
    }
}

fn body(failure: &Failure) -> Html {
    html! {
        <>
            <p class="message">{ told(&failure.message) }</p>
            if !failure.kind.is_empty() {
                <p>{ t!("alert.kind") }<code>{ &failure.kind }</code></p>
            }
            // A message may name its file itself.
            if !failure.url.is_empty() && !failure.message.contains(&failure.url) {
                <p><code>{ &failure.url }</code></p>
            }
        </>
    }
}
