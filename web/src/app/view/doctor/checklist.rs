//! The two stories' checklists: filled in by the doctor, and ticked by the user where only the
//! user can know.

use crate::t;
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor};
use crate::app::view::parts::section;
use crate::app::view::typed::tick;
use crate::diagnosis::report::{State, Step, Story};

/// Both checklists.
pub fn view(doctor: &Doctor, stories: &[Story], on: &Callback<Act>) -> Html {
    section(
        "checklists",
        t!("doctor.checklist.title"),
        html! { { t!("doctor.checklist.lead") } },
        html! {
            <div class="side-by-side even">
                { for stories.iter().map(|story| checklist(doctor, story, on)) }
            </div>
        },
    )
}

fn checklist(doctor: &Doctor, story: &Story, on: &Callback<Act>) -> Html {
    let id = format!("story-{}", story.id);
    html! {
        <article key={story.id.as_str()} aria-labelledby={id.clone()}>
            <h3 {id}>{ &story.title }</h3>
            <ol class="checklist">
                { for story.steps.iter().enumerate().map(|(index, step)| {
                    let ticked = doctor.ticked.contains(&(story.id.clone(), index));
                    let (on, story) = (on.clone(), story.id.clone());
                    let tick = Callback::from(move |ticked| {
                        on.emit(Act::Tick(story.clone(), index, ticked));
                    });
                    html! { <li key={index}>{ item(step, ticked, tick) }</li> }
                }) }
            </ol>
        </article>
    }
}

fn item(step: &Step, ticked: bool, on: Callback<bool>) -> Html {
    let (class, mark, word) = match step.state {
        State::Fine => ("good", "✓", t!("doctor.checklist.fine")),
        State::Doubtful => ("warned", "▲", t!("doctor.checklist.doubtful")),
        State::Broken => ("bad", "✕", t!("doctor.checklist.broken")),
        State::Unknown if ticked => ("good", "✓", t!("doctor.checklist.ticked")),
        State::Unknown => ("hint", "○", t!("doctor.checklist.unknown")),
        State::Beside => ("hint", "–", t!("doctor.checklist.beside")),
    };
    html! {
        <>
            <p><b>{ &step.question }</b></p>
            <p>
                <span class={classes!("state", class)}>
                    <span aria-hidden="true">{ mark }</span>{ format!(" {word} ") }
                </span>
                { &step.answer }
            </p>
            if step.state == State::Unknown {
                { tick("looked", t!("doctor.checklist.tick"), ticked, on) }
            }
        </>
    }
}
