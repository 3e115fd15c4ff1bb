//! The whole run as a slider: where it stands, back to any step of it, and another run from there.

use std::rc::Rc;

use crate::t;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::choices;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::format;
use crate::app::keys::Command;
use crate::app::origin::Origin;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::FieldControl;
use crate::cluster::Stop;

/// Properties of [`TimeBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
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
    /// Steps of the run that can be had back.
    pub put_away: Option<u32>,
    /// Why the run paused by itself, or what it goes past.
    pub stopped: Option<Stop>,
    /// The checkpoint that it began from.
    pub origin: Option<Rc<Origin>>,
    /// What is entered, for the speed.
    pub form: Shared<Form>,
    /// Whether another run can be begun here at all.
    pub forks: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The bar.
#[component]
pub fn TimeBar(props: &Props) -> Html {
    let Props { first, at, furthest, look, can_seek, can_fork, put_away, stopped, .. } = props;
    let Props { origin, form, forks, on, .. } = props;
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
            { bring_back(*put_away, on) }
            if let Some(origin) = origin {
                <p class="origin">
                    { began(origin) }
                    <button type="button" onclick={on.reform(|_| Action::LeaveOrigin)}>
                        { t!("time_bar.leave_origin") }
                    </button>
                </p>
            }
            <p class="stopped" role="status" aria-label={t!("time_bar.stopped")}>
                { stopped.map(told).unwrap_or_default() }
            </p>
        </div>
    }
}

/// The button that has the run back that was ended last, after so many steps, if there is one.
pub fn bring_back(put_away: Option<u32>, on: &Callback<Action>) -> Html {
    let Some(steps) = put_away else { return html! {} };
    html! {
        <button
            type="button"
            data-control="bring-back"
            title={Command::BringBack.titled(&t!("keys.bring_back"))}
            onclick={on.reform(|_| Action::BringBack)}
        >
            { t!("time_bar.bring_back", steps = steps) }
        </button>
    }
}

fn value(input: HtmlInputElement) -> u32 {
    input.value().parse().unwrap_or_default()
}

fn began(origin: &Origin) -> String {
    match origin.name.is_empty() {
        true => t!("time_bar.forked", steps = origin.steps()).into_owned(),
        false => t!("time_bar.opened", name = origin.name, steps = origin.steps()).into_owned(),
    }
}

/// Why the run paused by itself, or what it goes past.
fn told(stop: Stop) -> String {
    match stop {
        Stop::Loss { step, loss } => {
            t!("time_bar.stop_loss", step = step + 1, loss = format!("{loss:.4}")).into_owned()
        }
        Stop::Seconds(seconds) => {
            t!("time_bar.stop_seconds", time = format::micros(seconds * 1e6)).into_owned()
        }
        Stop::Passed(loss) => t!("time_bar.stop_passed", loss = loss).into_owned(),
    }
}
