//! The row of buttons that go to the page's views; the address is the run's, and stays.

use std::borrow::Cow;
use std::iter;

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::view::memo::View;

/// The views below the ring in the order in which they stand, each with the key of its name in the
/// catalogues.
const VIEWS: [(&str, &str); 13] = [
    ("curve", "curve.loss.name"),
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
pub struct Jump {
    /// The first view's heading, which tells the strategy.
    pub first: Cow<'static, str>,
}

impl View for Jump {
    fn draw(&self) -> Html {
        let first = iter::once(("ring", self.first.clone()));
        let others = VIEWS.iter().map(|&(view, name)| (view, t!(name)));
        html! {
            <nav class="jump" aria-label={t!("masthead.jump")}>
                { for first.chain(others).map(|(view, name)| html! {
                    <button type="button" class="quiet" onclick={move |_| browser::go_to(view)}>
                        { name }
                    </button>
                }) }
            </nav>
        }
    }
}
