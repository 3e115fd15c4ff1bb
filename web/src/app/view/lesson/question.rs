//! The question of a step: a number to type, or one of a few to choose, and what came of it.

use std::rc::Rc;

use lesson::{Ask, Lesson};
use web_sys::{HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use crate::app::lesson::{Act, Given, Reply};
use crate::t;

/// Properties of [`Question`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The lesson.
    pub lesson: Rc<Lesson>,
    /// The step that asks, from 0.
    pub at: usize,
    /// The option that is marked.
    pub picked: Option<usize>,
    /// The number that is typed.
    pub typed: String,
    /// What came of the learner's answer.
    pub given: Given,
    /// Where answers go.
    pub on: Callback<Act>,
}

/// The question. The step's text has put it; here it is answered.
#[component]
pub fn Question(Props { lesson, at, picked, typed, given, on }: &Props) -> Html {
    let input = use_node_ref();
    let Some(ask) = lesson.steps.get(*at).and_then(|step| step.ask.as_ref()) else {
        return html! {};
    };
    let submit = {
        let (on, input, picked) = (on.clone(), input.clone(), *picked);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            // As it stands there: what was typed last may not have been drawn yet.
            let number = input.cast::<HtmlInputElement>().map(|input| Reply::Number(input.value()));
            if let Some(reply) = number.or(picked.map(Reply::Option)) {
                on.emit(Act::Answer(reply));
            }
        })
    };
    let control = match ask {
        Ask::Number { unit, .. } => html! {
            <div class="field">
                <label for="lesson-answer">{ t!("lesson.answer") }</label>
                <span class="with-unit">
                    <input
                        id="lesson-answer"
                        ref={input}
                        type="text"
                        inputmode="decimal"
                        autocomplete="off"
                        value={typed.clone()}
                        oninput={on.reform(|event: InputEvent| Act::Type(value(&event)))}
                        aria-describedby="lesson-given"
                    />
                    if !unit.symbol().is_empty() {
                        <span>{ unit.symbol() }</span>
                    }
                </span>
            </div>
        },
        Ask::Choice { options, .. } => html! {
            <fieldset>
                <legend>{ t!("lesson.answer") }</legend>
                { for options.iter().enumerate().map(|(at, (name, text))| html! {
                    <label key={name.as_str()} class="check">
                        <input
                            type="radio"
                            name="lesson-answer"
                            value={name.clone()}
                            checked={*picked == Some(at)}
                            onchange={on.reform(move |_: Event| Act::Pick(at))}
                        />
                        <span>{ super::block(text, &mut std::iter::empty()) }</span>
                    </label>
                }) }
            </fieldset>
        },
    };
    let (class, words) = match given {
        Given::Nothing => ("", "".into()),
        Given::NoNumber => ("error", t!("lesson.given.no_number")),
        Given::TooEarly => ("error", t!("lesson.given.too_early")),
        Given::Wrong => ("error", t!("lesson.given.wrong")),
        Given::Right => ("good", t!("lesson.given.right")),
    };
    html! {
        <form class="question" onsubmit={submit}>
            { control }
            <button type="submit" data-control="answer">{ t!("lesson.give") }</button>
            <p id="lesson-given" class={class} role="status" aria-label={t!("lesson.verdict")}>
                { words }
            </p>
        </form>
    }
}

fn value(event: &InputEvent) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}
