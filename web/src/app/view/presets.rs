//! The row of runs worth seeing, with what to look for in the one that is set.

use crate::t;
use yew::prelude::*;

use crate::app::form::Form;
use crate::app::presets::{Level, Preset};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;

/// The row.
#[derive(PartialEq)]
pub struct Presets {
    /// What is entered.
    pub form: Shared<Form>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Presets {
    fn draw(&self) -> Html {
        let Self { form, on } = self;
        let current = Preset::of(form);
        let choice = |preset: Preset| {
            html! {
                <li key={preset.key()}>
                    <button
                        type="button"
                        class="preset"
                        data-control={format!("preset-{}", preset.key())}
                        title={preset.look()}
                        aria-pressed={(current == Some(preset)).to_string()}
                        onclick={on.reform(move |_| Action::Choose(preset))}
                    >
                        { preset.title() }
                    </button>
                </li>
            }
        };
        let of =
            |level: Level| Preset::ALL.into_iter().filter(move |preset| preset.level() == level);
        html! {
            <section class="presets" aria-labelledby="presets-title">
                <h2 id="presets-title" class="unseen">{ t!("presets.title") }</h2>
                <div class="preset-row">
                    { for Level::ALL.into_iter().map(|level| html! {
                        <div key={level.key()} class="preset-level">
                            <p id={format!("presets-{}", level.key())} class="level">{ level.title() }</p>
                            <ul aria-labelledby={format!("presets-{}", level.key())}>
                                { for of(level).map(choice) }
                            </ul>
                        </div>
                    }) }
                </div>
                <p class="preset-look" role="status" aria-label={t!("presets.look_for")}>
                    if let Some(preset) = current {
                        <b>{ t!("presets.look_for") }</b>{ t!("between.sentences") }{ preset.look() }
                    } else {
                        { t!("presets.own") }
                    }
                </p>
            </section>
        }
    }
}
