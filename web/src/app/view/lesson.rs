//! The lesson that is open, beside whatever the learner looks at: text, check, question, ways on.

mod question;

use std::rc::Rc;

use lesson::{Block, Lesson, Step};
use web_sys::{HtmlElement, MouseEvent};
use yew::prelude::*;

use crate::app::browser;
use crate::app::keys::Command;
use crate::app::lesson::{Act, Given, Lessons, Open};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::learn::waiting;
use crate::t;
use question::Question;

/// Properties of [`LessonPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The lessons, of which one is open.
    pub lessons: Shared<Lessons>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The panel.
#[component]
pub fn LessonPanel(Props { lessons, on }: &Props) -> Html {
    let heading = use_node_ref();
    let on = use_memo(on.clone(), |on| on.reform(Action::Lesson));
    let wants_focus = lessons.open.as_ref().is_some_and(|o| o.wants_focus && o.lesson.is_some());
    {
        let (heading, on) = (heading.clone(), on.clone());
        use_effect_with(wants_focus, move |&wants_focus| {
            if wants_focus && let Some(heading) = heading.cast::<HtmlElement>() {
                // It is refused only where the heading is no longer on the page.
                let _ = heading.focus();
                on.emit(Act::Focused);
            }
        });
    }
    let Some(open) = &lessons.open else { return html! {} };
    let title =
        open.lesson.as_ref().map_or_else(|| t!("learn.loading"), |l| l.title.clone().into());
    let fold = {
        let folded = lessons.folded;
        on.reform(move |_: MouseEvent| Act::Fold(!folded))
    };
    let whole: Callback<Action> = {
        let on = on.clone();
        Callback::from(move |action| {
            if let Action::Lesson(act) = action {
                on.emit(act);
            }
        })
    };
    html! {
        <section key="lesson" class="lesson" aria-labelledby="lesson-title">
            <div class="lesson-head">
                <h2 id="lesson-title">{ title }</h2>
                <button
                    type="button"
                    class="quiet fold"
                    aria-expanded={(!lessons.folded).to_string()}
                    aria-controls="lesson-body"
                    onclick={fold}
                >
                    { if lessons.folded { t!("lesson.unfold") } else { t!("lesson.fold") } }
                </button>
                <button type="button" class="quiet" onclick={on.reform(|_| Act::Close)}>
                    { t!("lesson.close") }
                </button>
            </div>
            <div id="lesson-body" class="lesson-body" hidden={lessons.folded}>
                { match &open.lesson {
                    Some(lesson) => step(lesson, open, lessons, heading, &on),
                    None => waiting(lessons.failed, &whole),
                } }
            </div>
        </section>
    }
}

fn step(
    lesson: &Rc<Lesson>,
    open: &Open,
    lessons: &Lessons,
    heading: NodeRef,
    on: &Callback<Act>,
) -> Html {
    let Some(step) = open.step() else { return html! {} };
    let (number, all) = (open.at + 1, lesson.steps.len());
    let intro = if open.at == 0 { &lesson.intro[..] } else { &[] };
    let mut live = open.seen.live.iter();
    let mut text =
        |blocks: &[Block]| -> Html { blocks.iter().map(|b| block(b, &mut live)).collect() };
    let (before, body, hint) = (text(intro), text(&step.body), text(&step.hint));
    let is_done = lessons.is_done(&lesson.id, &step.id);
    let way = |command: Command, enabled: bool, label, by: i8, class: &'static str| {
        let control = if by > 0 { "lesson-on" } else { "lesson-back" };
        html! {
            <button
                type="button"
                {class}
                data-control={control}
                title={command.titled(&command.words())}
                aria-disabled={(!enabled).to_string()}
                onclick={on.reform(move |_| Act::Move(by))}
            >
                { label }
            </button>
        }
    };
    html! {
        <>
            if open.at == 0 {
                <p class="goal"><b>{ t!("lesson.goal") }</b>{ t!("between.sentences") }{ &lesson.goal }</p>
            }
            { before }
            <p class="hint">{ t!("lesson.step", number = number, all = all) }</p>
            <h3 id="lesson-step" tabindex="-1" ref={heading}>{ &step.title }</h3>
            <div key={step.id.as_str()} class="lesson-step">
                { body }
                { ways_in(step, open.begins().is_some(), on) }
                if step.ask.is_some() {
                    <Question
                        lesson={lesson.clone()}
                        at={open.at}
                        picked={open.picked}
                        typed={open.typed.clone()}
                        given={open.given}
                        {on}
                    />
                }
                { check(open, step, is_done) }
                if !step.hint.is_empty() {
                    <details>
                        <summary>{ t!("lesson.hint") }</summary>
                        { hint }
                    </details>
                }
            </div>
            <div class="buttons" role="group" aria-label={t!("lesson.ways")}>
                { way(Command::LessonBack, number > 1, t!("lesson.back"), -1, "") }
                { way(Command::LessonOn, number < all, t!("lesson.on"), 1,
                    if is_done { "primary" } else { "" }) }
            </div>
            if number == all {
                { after(lesson, lessons) }
            }
            { steps(lesson, open, lessons, on) }
        </>
    }
}

/// The buttons that bring the learner to where the step begins.
fn ways_in(step: &Step, begins: bool, on: &Callback<Act>) -> Html {
    if !begins && step.show.is_empty() {
        return html! {};
    }
    html! {
        <div class="buttons" role="group" aria-label={t!("lesson.begin")}>
            if begins {
                <button
                    type="button"
                    class="primary"
                    data-control="set-up"
                    onclick={on.reform(|_| Act::SetUp)}
                >
                    { t!("lesson.set_up") }
                </button>
            }
            if !step.show.is_empty() {
                <button type="button" data-control="lead" onclick={on.reform(|_| Act::Lead)}>
                    { t!("lesson.lead") }
                </button>
            }
        </div>
    }
}

/// How the check stands; only the sentence is read out, and only when it changes.
fn check(open: &Open, step: &Step, is_done: bool) -> Html {
    let conditions = &open.seen.conditions;
    let all = conditions.len() + usize::from(step.ask.is_some());
    let answered = step.ask.is_some() && open.given == Given::Right;
    let met = conditions.iter().filter(|(met, _)| *met).count() + usize::from(answered);
    let words = match (met == all, is_done) {
        (true, _) => t!("lesson.met"),
        (false, true) => t!("lesson.was_met"),
        (false, false) => t!("lesson.unmet", met = met, all = all),
    };
    let state = if met == all { "met" } else { "unmet" };
    html! {
        <div class={classes!("check-state", state)} data-check={state}>
            <p role="status" aria-label={t!("lesson.check")}>{ words }</p>
            <ul>
                { for conditions.iter().enumerate().map(|(at, (met, words))| html! {
                    <li key={at} class={met.then_some("good")}>
                        <span aria-hidden="true">{ if *met { "✓ " } else { "○ " } }</span>
                        { words }
                    </li>
                }) }
            </ul>
        </div>
    }
}

/// Where to go from the last step.
fn after(lesson: &Lesson, lessons: &Lessons) -> Html {
    let index = lessons.index.iter().flat_map(|index| &index.lessons);
    let next = index.skip_while(|entry| entry.id != lesson.id).nth(1);
    let way = |address: &str, words: String| {
        html! { <li><a href={browser::link(address)}>{ words }</a></li> }
    };
    html! {
        <ul class="lesson-after">
            if let Some(next) = next {
                { way(&format!("v=1&lesson={}", next.id), t!("lesson.next", title = next.title).into_owned()) }
            }
            { way("v=1&view=learn", t!("lesson.all").into_owned()) }
        </ul>
    }
}

/// Every step, with those that were done.
fn steps(lesson: &Rc<Lesson>, open: &Open, lessons: &Lessons, on: &Callback<Act>) -> Html {
    html! {
        <details class="lesson-steps">
            <summary>{ t!("lesson.steps") }</summary>
            <ol>
                { for lesson.steps.iter().enumerate().map(|(at, step)| html! {
                    <li key={step.id.as_str()}>
                        <button
                            type="button"
                            class="quiet"
                            aria-current={(at == open.at).then_some("step")}
                            onclick={on.reform(move |_| Act::Go(at))}
                        >
                            { &step.title }
                        </button>
                        if lessons.is_done(&lesson.id, &step.id) {
                            <span class="good">{ " " }{ t!("lesson.ticked") }</span>
                        }
                    </li>
                }) }
            </ol>
        </details>
    }
}

/// A block of the lesson's own text, which the build has made, with the learner's numbers in it.
pub fn block<'a>(block: &Block, live: &mut impl Iterator<Item = &'a String>) -> Html {
    let mut text = String::new();
    for (at, piece) in block.pieces.iter().enumerate() {
        text.push_str(piece);
        if at < block.live.len()
            && let Some(number) = live.next()
        {
            // Of digits and units alone.
            text.push_str(number);
        }
    }
    Html::from_html_unchecked(text.into())
}
