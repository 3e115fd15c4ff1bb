//! A word with its explanation, and the one box in which explanations are read.
//!
//! Words are buttons with a dotted line. Pointing at one, coming to it by Tab, or tapping it opens
//! the box beside it; Escape, going on or another tap closes it. Whoever hears the page gets the
//! same text as the button's description, from the glossary.

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventTarget, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use crate::app::geometry::beside::{Anchor, Beside, beside};
use crate::app::glossary::{Shown, Term};
use crate::app::places::Place;
use crate::app::view::memo::View;

/// A word with its explanation.
pub fn explain(term: impl Into<Term>, word: impl Into<AttrValue>) -> Html {
    let (term, word): (Term, AttrValue) = (term.into(), word.into());
    html! {
        <button
            key={term.key()}
            type="button"
            class="term"
            data-term={term.key()}
            aria-describedby={term.id()}
        >
            { word }
        </button>
    }
}

/// A line of words that stand under a picture, each with its explanation.
pub fn terms(shown: &[Shown]) -> Html {
    html! {
        <p class="terms">
            { for shown.iter().map(|&shown| explain(shown, Term::from(shown).name())) }
        </p>
    }
}

/// All explanations, which the words' descriptions refer to.
#[derive(PartialEq)]
pub struct Glossary;

impl View for Glossary {
    fn draw(&self) -> Html {
        html! {
            <dl class="glossary">
                { for Term::all().map(|term| html! {
                    <div key={term.key()}>
                        <dt>{ term.name() }</dt>
                        <dd id={term.id()}>{ term.text() }</dd>
                    </div>
                }) }
            </dl>
        }
    }
}

/// Properties of [`Explanation`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is looked at: with another place, the word is gone.
    pub place: Place,
}

/// Why the box is open, which decides what closes it.
#[derive(Clone, Copy, PartialEq)]
enum Why {
    Pointed,
    Focused,
    Pressed,
}

/// Milliseconds in which a mouse gets from a word to its explanation.
const LEAVE_MS: u32 = 250;
/// Milliseconds after which the page has drawn what a change of the focus brings.
const SETTLED_MS: u32 = 100;

struct Open {
    term: Term,
    word: Element,
    why: Why,
}

/// The box; it hears the whole page, so that a word costs nothing but its button.
pub struct Explanation {
    open: Option<Open>,
    /// Closes the box after a moment, in which a mouse can come over it.
    leaves: Option<Timeout>,
    _listens: Vec<EventListener>,
}

/// What happens on the page.
pub enum Msg {
    /// A mouse came over something.
    Over(EventTarget),
    /// The focus went somewhere.
    Focus(EventTarget),
    /// Something was pressed or tapped.
    Click(EventTarget),
    /// The mouse has been away from word and box for a moment.
    Left,
    /// The word may stand elsewhere now.
    Moved,
    /// Escape.
    Close,
}

impl Component for Explanation {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        Self { open: None, leaves: None, _listens: listen(ctx) }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        ctx.props().place != old.place && self.open.take().is_some()
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Over(target) => match (word(&target), self.why()) {
                (Some(word), why) if why != Some(Why::Pressed) => {
                    self.leaves = None;
                    self.show(word, Why::Pointed)
                }
                (None, Some(Why::Pointed)) if !within(&target, "#explanation") => {
                    let link = ctx.link().clone();
                    self.leaves.get_or_insert_with(|| {
                        Timeout::new(LEAVE_MS, move || link.send_message(Msg::Left))
                    });
                    false
                }
                _ => {
                    self.leaves = None;
                    false
                }
            },
            Msg::Left => {
                self.leaves = None;
                self.why() == Some(Why::Pointed) && self.hide()
            }
            Msg::Focus(target) => match word(&target) {
                Some(word) if word.matches(":focus-visible").unwrap_or(false) => {
                    // What was typed before may bring an error that moves the word.
                    let link = ctx.link().clone();
                    Timeout::new(SETTLED_MS, move || link.send_message(Msg::Moved)).forget();
                    self.show(word, Why::Focused)
                }
                None if self.why() == Some(Why::Focused) => self.hide(),
                _ => false,
            },
            Msg::Click(target) => match word(&target) {
                Some(word) => {
                    let same = self.open.as_ref().is_some_and(|open| open.word == word);
                    match self.why() {
                        Some(Why::Focused | Why::Pressed) if same => self.hide(),
                        _ => self.show(word, Why::Pressed),
                    }
                }
                None if !within(&target, "#explanation") => self.hide(),
                None => false,
            },
            Msg::Moved => {
                if self.open.as_ref().is_some_and(|open| !open.word.is_connected()) {
                    self.open = None;
                }
                true
            }
            Msg::Close => self.hide(),
        }
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let Some((open, place)) = self.open.as_ref().and_then(|o| Some((o, place(&o.word)?)))
        else {
            return html! {};
        };
        // Whoever hears the page has heard it as the button's description.
        html! {
            <div id="explanation" class="explanation" role="tooltip" aria-hidden="true" ~style={style(place)}>
                <p><b>{ open.term.name() }</b></p>
                <p>{ open.term.text() }</p>
            </div>
        }
    }
}

impl Explanation {
    fn why(&self) -> Option<Why> {
        self.open.as_ref().map(|open| open.why)
    }

    fn show(&mut self, word: Element, why: Why) -> bool {
        let key = word.get_attribute("data-term").unwrap_or_default();
        let same = self.open.as_ref().is_some_and(|open| open.word == word && open.why == why);
        let Some(term) = Term::named(&key).filter(|_| !same) else { return false };
        self.open = Some(Open { term, word, why });
        true
    }

    fn hide(&mut self) -> bool {
        self.open.take().is_some()
    }
}

fn listen(ctx: &Context<Explanation>) -> Vec<EventListener> {
    let Some(window) = web_sys::window() else { return Vec::new() };
    let Some(document) = window.document() else { return Vec::new() };
    let target = |on: Callback<Msg>, message: fn(EventTarget) -> Msg| {
        move |event: &Event| {
            if let Some(target) = event.target() {
                on.emit(message(target));
            }
        }
    };
    let on = ctx.link().callback(|message| message);
    let over = target(on.clone(), Msg::Over);
    let mouse_over = move |event: &Event| {
        // A finger taps; what it passes over while it scrolls means nothing.
        if event.dyn_ref::<PointerEvent>().is_none_or(|e| e.pointer_type() != "touch") {
            over(event);
        }
    };
    let close = on.clone();
    let escape = move |event: &Event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
            close.emit(Msg::Close);
        }
    };
    let (scrolled, resized) = (on.clone(), on.clone());
    let capture = EventListenerOptions::run_in_capture_phase();
    vec![
        EventListener::new(&document, "pointerover", mouse_over),
        EventListener::new(&document, "focusin", target(on.clone(), Msg::Focus)),
        EventListener::new(&document, "click", target(on, Msg::Click)),
        EventListener::new(&document, "keydown", escape),
        // Regions scroll as well as the page.
        EventListener::new_with_options(&document, "scroll", capture, move |_| {
            scrolled.emit(Msg::Moved);
        }),
        EventListener::new(&window, "resize", move |_| resized.emit(Msg::Moved)),
    ]
}

/// The word that `target` belongs to.
fn word(target: &EventTarget) -> Option<Element> {
    target.dyn_ref::<Element>()?.closest(".term").ok().flatten()
}

fn within(target: &EventTarget, selector: &str) -> bool {
    let found = target.dyn_ref::<Element>().map(|element| element.closest(selector));
    found.is_some_and(|found| found.ok().flatten().is_some())
}

/// Beside what `word` stands for: a setting with its control and its error, a number, a column.
fn place(word: &Element) -> Option<Beside> {
    let window = web_sys::window()?;
    let size = |value: Result<wasm_bindgen::JsValue, _>| value.ok()?.as_f64();
    let around = |selector| word.closest(selector).ok().flatten();
    let named = around(".field,.numbers>div");
    let rect = named.as_ref().unwrap_or(word).get_bounding_client_rect();
    let column = around(".settings").map(|column| column.get_bounding_client_rect());
    let anchor = Anchor {
        left: word.get_bounding_client_rect().left(),
        top: rect.top(),
        bottom: rect.bottom(),
        column: column.map(|column| (column.left(), column.right())),
        is_head: around("th").is_some(),
    };
    Some(beside(anchor, size(window.inner_width())?, size(window.inner_height())?))
}

fn style(Beside { left, width, room, top, bottom }: Beside) -> String {
    let edge = match top {
        Some(top) => format!("top:{top:.0}px"),
        None => format!("bottom:{bottom:.0}px"),
    };
    format!("left:{left:.0}px;width:{width:.0}px;max-height:{room:.0}px;{edge}")
}
