//! What is lit, in words: one panel for all views, which stays in sight while something is.

use crate::t;
use plan::RunPlan;
use plan::fold::Curve;
use yew::prelude::*;

use crate::app::cursor::{Act, Cursor};
use crate::app::cursor_text;
use crate::app::record::Figures;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;

/// The panel.
#[derive(PartialEq)]
pub struct LitWords {
    /// What is lit.
    pub cursor: Cursor,
    /// The run.
    pub plan: Shared<RunPlan>,
    /// What each rank has done so far.
    pub figures: Figures,
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for LitWords {
    fn draw(&self) -> Html {
        let Self { cursor, plan, figures, curve, on } = self;
        let spot = cursor.spot();
        let told = cursor_text::tell(spot, plan, figures, curve);
        let forget = on.reform(|_: MouseEvent| Action::Cursor(Act::Forget));
        let is_chosen = !cursor.chosen.is_empty();
        html! {
            <div class={classes!("lit-words", (!told.is_empty()).then_some("some"))}>
                // Its numbers go on while a run trains, so that reading them out would never end.
                <p role="status" aria-label={t!("cursor.lit")} aria-live="off">
                    if told.is_empty() {
                        { t!("cursor.nothing") }
                    } else {
                        { for told.iter().enumerate().map(|(index, line)| html! {
                            <span key={index}>{ line }{ t!("between.sentences") }</span>
                        }) }
                    }
                </p>
                if is_chosen {
                    <button type="button" class="quiet" onclick={forget}>{ t!("cursor.let_go") }</button>
                }
                <p class="unseen" role="status" aria-label={t!("cursor.chosen")}>
                    { if is_chosen { cursor_text::name(cursor.chosen) } else { String::new() } }
                </p>
            </div>
        }
    }
}
