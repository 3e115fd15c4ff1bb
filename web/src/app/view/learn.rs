//! The place of the lessons: what each is for, how long it takes, how far the learner is.

use lesson::Entry;
use yew::prelude::*;

use crate::app::browser;
use crate::app::lesson::{Act, Lessons};
use crate::app::places::Place;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::parts::plain_click;
use crate::t;

/// The list.
#[derive(PartialEq)]
pub struct Learn {
    /// The lessons.
    pub lessons: Shared<Lessons>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Learn {
    fn draw(&self) -> Html {
        let Self { lessons, on } = self;
        let body = match &lessons.index {
            Some(index) => html! {
                <ol class="lessons">
                    { for index.lessons.iter().map(|entry| item(entry, lessons, on)) }
                </ol>
            },
            None => waiting(lessons.failed, on),
        };
        html! {
            <section class="view learn" aria-labelledby="learn-title">
                <h2 id="learn-title">{ t!("learn.title") }</h2>
                <p class="lead">{ t!("learn.lead") }</p>
                { body }
            </section>
        }
    }
}

/// What stands where a file is yet to come, or did not.
pub fn waiting(failed: bool, on: &Callback<Action>) -> Html {
    if !failed {
        return html! { <p class="hint">{ t!("learn.loading") }</p> };
    }
    html! {
        <div class="alert" role="alert">
            <p>{ t!("learn.failed") }</p>
            <button type="button" onclick={on.reform(|_| Action::Lesson(Act::Retry))}>
                { t!("learn.retry") }
            </button>
        </div>
    }
}

fn item(entry: &Entry, lessons: &Lessons, on: &Callback<Action>) -> Html {
    let done = entry.steps.iter().filter(|step| lessons.is_done(&entry.id, step)).count();
    let all = entry.steps.len();
    let progress = match done {
        0 => t!("learn.fresh", all = all),
        done if done == all => t!("learn.done", all = all),
        done => t!("learn.begun", done = done, all = all),
    };
    let address = format!("v=1&view={}&lesson={}", Place::Play.key(), entry.id);
    let id = entry.id.clone();
    let open = plain_click(on, move || Action::Lesson(Act::Open(id.clone())));
    html! {
        <li key={entry.id.as_str()} class={classes!((done == all).then_some("done"))}>
            <h3>
                <a href={browser::link(&address)} onclick={open}>
                    { format!("{}. {}", entry.number, entry.title) }
                </a>
            </h3>
            <p>{ &entry.goal }</p>
            <p class="hint">
                { t!("learn.minutes", minutes = entry.minutes) }{ " · " }
                <span class={classes!((done == all).then_some("good"))}>{ progress }</span>
            </p>
        </li>
    }
}
