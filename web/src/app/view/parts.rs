//! Small pieces that several views share.

use yew::prelude::*;

/// The class that gives an element the colours of `rank`.
pub fn rank_class(rank: usize) -> &'static str {
    const CLASSES: [&str; 8] =
        ["rank-0", "rank-1", "rank-2", "rank-3", "rank-4", "rank-5", "rank-6", "rank-7"];
    CLASSES[rank % CLASSES.len()]
}

/// A rank's number on its colour.
pub fn rank_mark(rank: usize) -> Html {
    html! { <span class={classes!("mark", rank_class(rank))}>{ rank }</span> }
}

/// A section with its heading and one sentence about what it shows.
pub fn section(id: &'static str, title: impl Into<AttrValue>, lead: Html, body: Html) -> Html {
    let heading = format!("{id}-title");
    html! {
        <section class={classes!("view", id)} aria-labelledby={heading.clone()}>
            <h2 id={heading}>{ title.into() }</h2>
            <p class="lead">{ lead }</p>
            { body }
        </section>
    }
}
