//! The bench's place: its own page in a frame, which sets its height itself.

use yew::prelude::*;

use crate::app::language::Language;
use crate::app::places::Place;
use crate::bench;

/// Properties of [`BenchFrame`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The language that is spoken.
    pub language: Language,
}

/// The frame.
#[component]
pub fn BenchFrame(Props { language }: &Props) -> Html {
    html! { <iframe class="part" src={bench::address(*language)} title={Place::Bench.title()} /> }
}
