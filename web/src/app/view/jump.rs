//! The row of buttons that go to the page's views; the address is the run's, and stays.

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::view::memo::View;

/// The views in the order in which they stand, each with the key of its name in the catalogues.
const VIEWS: [(&str, &str); 14] = [
    ("ring", "ring.title"),
    ("curve", "curve.which"),
    ("settings", "settings.title"),
    ("compare", "compare.title"),
    ("timeline", "timeline.title"),
    ("what-if", "what_if.title"),
    ("schedule", "schedule.title"),
    ("traffic", "traffic.title"),
    ("ranks", "ranks.title"),
    ("memory", "memory.title"),
    ("share", "share.title"),
    ("checkpoint", "checkpoint.title"),
    ("elsewhere", "elsewhere.title"),
    ("links", "self_test.title"),
];

/// The row.
#[derive(PartialEq)]
pub struct Jump;

impl View for Jump {
    fn draw(&self) -> Html {
        html! {
            <nav class="jump" aria-label={t!("masthead.jump")}>
                { for VIEWS.iter().map(|&(view, name)| html! {
                    <button type="button" class="quiet" onclick={move |_| browser::go_to(view)}>
                        { t!(name) }
                    </button>
                }) }
            </nav>
        }
    }
}
