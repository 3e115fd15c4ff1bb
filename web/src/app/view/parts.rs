//! Small pieces that several views share.

use crate::t;
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::state::Action;

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

/// A rank's number on its colour, as a button in a table's row that chooses the rank. Arrow keys go
/// from row to row, so that only the first is a stop for Tab.
pub fn rank_button(rank: usize, spot: Spot, is_stop: bool) -> Html {
    html! {
        <button
            type="button"
            class={classes!("mark", rank_class(rank))}
            data-rank={rank.to_string()}
            aria-label={t!("cursor.rank_name", rank = rank)}
            aria-pressed={(spot.rank.map(usize::from) == Some(rank)).to_string()}
            tabindex={if is_stop { "0" } else { "-1" }}
        >
            { rank }
        </button>
    }
}

/// Hands on what a key means for the cursor; a key that means something is kept from the browser.
pub fn keyed(
    on: &Callback<Action>,
    means: impl Fn(&str) -> Option<Act> + 'static,
) -> Callback<KeyboardEvent> {
    let on = on.clone();
    Callback::from(move |event: KeyboardEvent| {
        let is_plain = !(event.ctrl_key() || event.meta_key() || event.alt_key());
        if let Some(act) = means(&event.key()).filter(|_| is_plain) {
            event.prevent_default();
            on.emit(Action::Cursor(act));
        }
    })
}

/// What a click on a link does: a plain one acts and leaves the run as it is; any other opens the
/// link.
pub fn plain_click(
    on: &Callback<Action>,
    act: impl Fn() -> Action + 'static,
) -> Callback<MouseEvent> {
    let on = on.clone();
    Callback::from(move |event: MouseEvent| {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
        if plain {
            event.prevent_default();
            on.emit(act());
        }
    })
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
