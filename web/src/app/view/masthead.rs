//! What this page is, in one sentence.

use yew::prelude::*;

/// The page's head.
#[component]
pub fn Masthead() -> Html {
    html! {
        <header class="masthead">
            <h1>{ "Ringside" }</h1>
            <p>
                { "Context parallelism, happening: each rank below is a web worker in your browser \
                   that trains its share of a small GPT, and passes keys and values around the \
                   ring." }
            </p>
        </header>
    }
}
