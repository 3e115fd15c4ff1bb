//! The bench's place: its own page in a frame, which sets its height itself.

use yew::prelude::*;

use crate::app::language::Language;
use crate::app::places::Place;
use crate::app::view::memo::View;
use crate::bench;

/// The frame.
#[derive(PartialEq)]
pub struct BenchFrame {
    /// The language that is spoken.
    pub language: Language,
}

impl View for BenchFrame {
    fn draw(&self) -> Html {
        let Self { language } = self;
        html! { <iframe class="part" src={bench::address(*language)} title={Place::Bench.title()} /> }
    }
}
