//! The whole run as a slider: where it stands, back to any step of it, and another run from there.

use crate::t;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::choices;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::FieldControl;
use crate::app::view::memo::View;

/// The bar.
#[derive(PartialEq)]
pub struct TimeBar {
    /// The step at which the run began.
    pub first: u32,
    /// Steps that every rank has done.
    pub at: u32,
    /// The most that they had done at any time.
    pub furthest: u32,
    /// Where the user's hand on the slider points.
    pub look: Option<u32>,
    /// Whether the run can be taken to another step now.
    pub can_seek: bool,
    /// Whether another run can begin from the present state.
    pub can_fork: bool,
    /// The newest loss.
    pub loss: Option<f64>,
    /// What is entered, for the speed.
    pub form: Shared<Form>,
    /// Whether another run can be begun here at all.
    pub forks: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for TimeBar {
    fn draw(&self) -> Html {
        let Self { first, at, furthest, look, can_seek, can_fork, loss, form, forks, on } = self;
        let shown = look.unwrap_or(*at);
        let number = |event: &InputEvent| value(event.target_unchecked_into::<HtmlInputElement>());
        let look_at = on.reform(move |event: InputEvent| Action::Look(Some(number(&event))));
        let go = on.reform(|event: Event| {
            Action::Seek(value(event.target_unchecked_into::<HtmlInputElement>()))
        });
        let words = match (look, furthest > at) {
            (Some(step), _) => t!("time_bar.look", step = step, furthest = furthest),
            (None, true) => t!("time_bar.back", step = at, furthest = furthest),
            (None, false) => t!("time_bar.newest", step = at),
        };
        let fork = on.reform(|_| Action::Fork);
        let fork_title = match !can_fork && at == first {
            true => t!("time_bar.fork_nothing"),
            false => t!("time_bar.fork_title"),
        };
        let speeds = choices::offers(form, None, &[], Field::Speed);
        html! {
            <>
                <div class="time-bar">
                    <label class="moment">
                        <span class="time-title">{ t!("time_bar.title") }</span>
                        <input
                            type="range"
                            min={first.to_string()}
                            max={(*furthest).max(first + 1).to_string()}
                            value={shown.to_string()}
                            disabled={!can_seek || furthest == first}
                            aria-valuetext={words.to_string()}
                            oninput={look_at}
                            onchange={go}
                        />
                        <span class="time-words">{ words }</span>
                    </label>
                    // Where the numbers themselves are out of sight.
                    if let Some(loss) = loss {
                        <span class="time-loss" aria-hidden="true">
                            { t!("time_bar.loss", loss = format!("{loss:.3}")) }
                        </span>
                    }
                </div>
                <div class="pace">
                    <FieldControl
                        field={Field::Speed}
                        value={form.get(Field::Speed).to_owned()}
                        offers={speeds}
                        {on}
                    />
                    if *forks {
                        <button
                            type="button"
                            data-control="fork"
                            title={fork_title}
                            aria-disabled={(!can_fork).to_string()}
                            onclick={fork}
                        >
                            { t!("time_bar.fork") }
                        </button>
                    }
                </div>
            </>
        }
    }
}

fn value(input: HtmlInputElement) -> u32 {
    input.value().parse().unwrap_or_default()
}
