//! What led to the present run: why it paused, what it began from, which one it took the place of.

use std::rc::Rc;

use crate::t;
use yew::prelude::*;

use crate::app::format;
use crate::app::keys::Command;
use crate::app::origin::Origin;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::cluster::Stop;

/// The lines below the bar; they come and go, and move no button of it.
#[derive(PartialEq)]
pub struct RunStory {
    /// Why the run paused by itself, or what it goes past.
    pub stopped: Option<Stop>,
    /// The state that it began from, if it is not its seed's.
    pub origin: Option<Rc<Origin>>,
    /// Steps of the run that can be had back.
    pub put_away: Option<u32>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for RunStory {
    fn draw(&self) -> Html {
        let Self { stopped, origin, put_away, on } = self;
        html! {
            <div class="run-story">
                <p role="status" aria-label={t!("run_story.stopped")}>
                    { stopped.map(told).unwrap_or_default() }
                </p>
                if let Some(origin) = origin {
                    <p class="origin">
                        { began(origin) }
                        <button
                            type="button"
                            title={t!("run_story.leave_origin_title")}
                            onclick={on.reform(|_| Action::LeaveOrigin)}
                        >
                            { t!("run_story.leave_origin") }
                        </button>
                    </p>
                }
                if let Some(steps) = put_away {
                    <p>
                        { t!("run_story.ended", steps = steps) }
                        <button
                            type="button"
                            data-control="bring-back"
                            title={Command::BringBack.titled(&t!("keys.bring_back"))}
                            onclick={on.reform(|_| Action::BringBack)}
                        >
                            { t!("run_story.bring_back", steps = steps) }
                        </button>
                    </p>
                }
            </div>
        }
    }
}

fn began(origin: &Origin) -> String {
    match origin.name.is_empty() {
        true => t!("run_story.forked", steps = origin.steps()).into_owned(),
        false => t!("run_story.opened", name = origin.name, steps = origin.steps()).into_owned(),
    }
}

/// Why the run paused by itself, or what it goes past.
fn told(stop: Stop) -> String {
    match stop {
        Stop::Loss { step, loss } => {
            t!("run_story.stop_loss", step = step + 1, loss = format!("{loss:.4}")).into_owned()
        }
        Stop::Seconds(seconds) => {
            t!("run_story.stop_seconds", time = format::micros(seconds * 1e6)).into_owned()
        }
        Stop::Passed(loss) => t!("run_story.stop_passed", loss = loss).into_owned(),
    }
}
