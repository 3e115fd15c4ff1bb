//! The page inside another page: the chosen panels, the buttons, and the way to the whole page.

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::embed::Panel;
use crate::app::gradual::Gradual;
use crate::app::places::Place;
use crate::app::state::{Action, State};
use crate::app::view::field::sentence;
use crate::app::view::memo::View;
use crate::app::view::{self, fault_note, notices, other_build, term};

/// The page with the chosen panels alone.
pub fn page(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    let whole = browser::link(&state.run_address(Place::Play));
    html! {
        <main class="embedded">
            <h1 class="unseen">{ "Ringside" }</h1>
            { other_build::OtherBuild { is_there: state.other_build }.part() }
            { notices::Notices { notices: state.notices.clone(), on: on.clone() }.part() }
            <div class="controls">
                { view::toolbar(state, on) }
                if view::shows_steps(state) {
                    { view::time_bar(state, on) }
                }
            </div>
            { view::run_story(state, on) }
            // Another run to compare with is one of another setting.
            if view::shows(state, Panel::Compare) {
                { view::workbench(state, on) }
            }
            { fault_note::FaultNote { fault: state.plan.config().fault }.part() }
            // The settings that would say it are in the whole page.
            { for state.refusals.iter().map(|refusal| html! {
                <p class="error">{ format!("{} = {}", refusal.field, sentence(refusal)) }</p>
            }) }
            { view::alert(state, on) }
            <view::watch::Watched {on}>
                { view::run_views(state, figures, on) }
                { view::detail_views(state, figures, on) }
                { view::lit_words(state, figures, on) }
            </view::watch::Watched>
            // Words are described by it.
            <div hidden=true>{ term::Glossary.part() }</div>
            <p class="whole-page">
                <a href={whole} target="_blank" rel="noopener">{ t!("embedded.whole") }</a>
            </p>
            <term::Explanation place={state.place} />
        </main>
    }
}
