//! Hears what the pointer and the keys do to anything that stands for a rank, a block or a step.
//!
//! Such elements say so in `data-rank`, `data-peer`, `data-block` and `data-step`; one listener
//! for all of them makes the cursor of it. Drawings whose parts are no elements carry `data-own`
//! and speak for themselves.

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::state::Action;

/// Properties of [`Watched`].
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Where actions go.
    pub on: Callback<Action>,
    /// What is watched.
    pub children: Html,
}

/// What is inside lights up everywhere when it is pointed at or chosen.
#[component]
pub fn Watched(Props { on, children }: &Props) -> Html {
    use_effect_with(on.clone(), |on| {
        let on = on.clone();
        // Wherever the focus is: after a click on a drawing it may be nowhere.
        let escape = web_sys::window().map(|window| {
            EventListener::new(&window, "keydown", move |event| {
                let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
                if key.as_deref() == Some("Escape") {
                    on.emit(Action::Cursor(Act::Forget));
                }
            })
        });
        move || drop(escape)
    });
    let act = on.reform(Action::Cursor);
    let over = {
        let act = act.clone();
        Callback::from(move |event: PointerEvent| {
            // A finger does not hover: it taps.
            if event.pointer_type() != "touch"
                && let Some(spot) = pointed(&event)
            {
                act.emit(Act::Hover(spot));
            }
        })
    };
    let leave = act.reform(|_: PointerEvent| Act::Hover(Spot::default()));
    let choose = Callback::from(move |event: MouseEvent| {
        if let Some(spot) = pointed(&event).filter(|spot| !spot.is_empty()) {
            act.emit(Act::Choose(spot));
        }
    });
    let key = Callback::from(|event: KeyboardEvent| {
        if let Some(next) = next_row(&event) {
            event.prevent_default();
            // Where a browser refuses, the focus stays where it was.
            let _ = next.focus();
        }
    });
    html! {
        <div class="watched" onpointerover={over} onpointerleave={leave} onclick={choose} onkeydown={key}>
            { children.clone() }
        </div>
    }
}

/// What an event is about; `None` where a drawing speaks for itself.
fn pointed(event: &Event) -> Option<Spot> {
    let target = event.target_dyn_into::<Element>()?;
    let closest = |selector: &str| target.closest(selector).ok().flatten();
    if closest("[data-own]").is_some() {
        return None;
    }
    let Some(element) = closest("[data-rank], [data-block], [data-step]") else {
        return Some(Spot::default());
    };
    let number = |name: &str| element.get_attribute(name)?.parse::<u32>().ok();
    let rank = |name: &str| number(name).and_then(|number| u16::try_from(number).ok());
    Some(Spot {
        rank: rank("data-rank"),
        peer: rank("data-peer"),
        block: rank("data-block"),
        step: number("data-step"),
    })
}

/// The mark that an arrow key leads to from a mark in a table.
fn next_row(event: &KeyboardEvent) -> Option<HtmlElement> {
    let mark = event.target_dyn_into::<Element>()?.closest("tr button.mark").ok()??;
    let row = mark.closest("tr").ok()??;
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        _ => None,
    }?;
    next.query_selector("button.mark").ok()??.dyn_into().ok()
}
