//! The timeline view: what each rank did in one step, by its own clock, to zoom into and to read.

pub mod lanes;
mod spans;

use crate::t;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use plan::RunPlan;
use wasm_bindgen::JsCast;
use web_sys::{Element, WheelEvent};
use yew::prelude::*;

use crate::app::cursor::{self, Cursor};
use crate::app::geometry::elementary::exp;
use crate::app::geometry::timeline::lanes;
use crate::app::glossary::Shown;
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::timeline::{Act, Timeline};
use crate::app::view::memo::View;
use crate::app::view::parts::section;
use crate::app::view::term::terms;
use crate::app::{browser, format, span_text};

use lanes::Lanes;
use spans::Spans;

/// Milliseconds between two steps on show: nobody reads faster, and the ranks need the cores.
const FOLLOW_MS: f64 = 1000.0;

/// Properties of [`TimelineView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// The newest step that all ranks have finished, a few times a second.
    pub newest: Option<Shared<WholeStep>>,
    /// The step that the user holds.
    pub held: Option<Shared<WholeStep>>,
    /// The step that would be shown if its events were kept.
    pub lost: Option<u32>,
    /// What is lit.
    pub cursor: Cursor,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view; it owns the stretch and the span that are looked at.
pub struct TimelineView {
    timeline: Timeline,
    shown: Option<Shared<WholeStep>>,
    plot: NodeRef,
    /// Microseconds that the browser's clock tells apart.
    clock: Option<f64>,
    opened: bool,
    /// When the step that is shown was put there.
    shown_ms: f64,
    /// Looks for a newer one, when that is due.
    later: Option<Timeout>,
    _listens: Vec<EventListener>,
}

/// What happens to the view.
pub enum Msg {
    /// The user did something to the drawing.
    Act(Act),
    /// The browser's clock was measured, and the drawing.
    Measured(Option<f64>),
    /// The page has another width.
    Resized,
    /// The user holds the step, or lets go.
    Hold(bool),
    /// The user opened or closed the table.
    Table(bool),
    /// A newer step is due.
    Follow,
}

impl Component for TimelineView {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let mut view = Self {
            timeline: Timeline::default(),
            shown: None,
            plot: NodeRef::default(),
            clock: None,
            opened: false,
            shown_ms: f64::NEG_INFINITY,
            later: None,
            _listens: Vec::new(),
        };
        view.follow(ctx);
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let props = ctx.props();
        let is_lit = props.cursor.spot() != old.cursor.spot();
        let is_empty = self.shown.is_none() && props.lost != old.lost;
        let is_other = props.held != old.held || props.plan != old.plan;
        self.follow(ctx) || is_other || is_empty || is_lit
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if !first {
            return;
        }
        self._listens = self.listen(ctx);
        let link = ctx.link();
        link.send_message(Msg::Resized);
        // After the first paint, which waits for nothing.
        let measured = link.callback(|()| Msg::Measured(browser::clock_step_us()));
        Timeout::new(500, move || measured.emit(())).forget();
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Act(act) => {
                let was = self.timeline.clone();
                if self.timeline.act(act) {
                    self.hold(ctx, true);
                }
                let picked = self.timeline.take_picked();
                let pointed = self.timeline.pointed();
                let hovers = (pointed != was.pointed()).then_some(cursor::Act::Hover(pointed));
                for act in hovers.into_iter().chain(picked) {
                    ctx.props().on.emit(Action::Cursor(act));
                }
                return self.timeline != was;
            }
            Msg::Measured(step) => self.clock = step,
            Msg::Resized => {
                let Some(plot) = self.plot.cast::<Element>() else { return false };
                self.timeline.act(Act::Width(plot.get_bounding_client_rect().width()));
            }
            Msg::Hold(held) => self.hold(ctx, held),
            Msg::Follow => {
                self.later = None;
                return self.follow(ctx);
            }
            Msg::Table(opened) => {
                self.opened = opened;
                if opened {
                    self.hold(ctx, true);
                }
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Props { plan, held, .. } = ctx.props();
        section(
            "timeline",
            t!("timeline.title"),
            self.lead(),
            html! {
                <>
                    { self.controls(ctx, held.is_some()) }
                    { self.plot(ctx) }
                    { legend() }
                    { terms(&[Shown::Tile, Shown::Waiting, Shown::AllReduce, Shown::Clock]) }
                    <Spans
                        step={self.shown.clone()}
                        lanes={self.timeline.lanes().clone()}
                        chosen={self.timeline.chosen()}
                        opened={self.opened}
                        plan={plan.clone()}
                        toggled={ctx.link().callback(Msg::Table)}
                    />
                </>
            },
        )
    }
}

impl TimelineView {
    /// Puts the held step on show, or the newest unless the user's pointer is on another; whether
    /// that changes anything.
    fn follow(&mut self, ctx: &Context<Self>) -> bool {
        let props = ctx.props();
        let wanted = match (&props.held, &props.newest) {
            (Some(held), _) => Some(held),
            (None, Some(_)) if self.timeline.is_touched() && self.shown.is_some() => return false,
            (None, newest) => newest.as_ref(),
        };
        if wanted == self.shown.as_ref() {
            return false;
        }
        let rest = FOLLOW_MS - (browser::now_ms() - self.shown_ms);
        if props.held.is_none() && wanted.is_some() && self.shown.is_some() && rest > 0.0 {
            let link = ctx.link().clone();
            self.later.get_or_insert_with(|| {
                Timeout::new(rest.ceil() as u32, move || link.send_message(Msg::Follow))
            });
            return false;
        }
        self.shown_ms = browser::now_ms();
        self.timeline.show(wanted.map_or_else(Default::default, |step| lanes(&step.events)));
        self.shown = wanted.cloned();
        true
    }

    fn hold(&self, ctx: &Context<Self>, held: bool) {
        let props = ctx.props();
        if held != props.held.is_some() && self.shown.is_some() {
            props.on.emit(Action::Hold(self.shown.clone().filter(|_| held)));
        }
    }

    /// The wheel must be listened to by hand: only so may it be kept from scrolling the page.
    fn listen(&self, ctx: &Context<Self>) -> Vec<EventListener> {
        let mut listens = Vec::new();
        if let Some(window) = web_sys::window() {
            let resized = ctx.link().callback(|()| Msg::Resized);
            listens.push(EventListener::new(&window, "resize", move |_| resized.emit(())));
        }
        if let Some(plot) = self.plot.cast::<Element>() {
            let (act, host) = (ctx.link().callback(Msg::Act), plot.clone());
            let options = EventListenerOptions::enable_prevent_default();
            let wheel = move |event: &web_sys::Event| {
                let Some(event) = event.dyn_ref::<WheelEvent>() else { return };
                if let Some(wanted) = turned(event, &host) {
                    event.prevent_default();
                    act.emit(wanted);
                }
            };
            listens.push(EventListener::new_with_options(&plot, "wheel", options, wheel));
        }
        listens
    }

    fn lead(&self) -> Html {
        let clock = match self.clock {
            Some(step) => t!("timeline.clock", step = format::count(step as u64)),
            None => t!("timeline.no_clock"),
        };
        html! { { t!("timeline.lead", clock = clock) } }
    }

    fn controls(&self, ctx: &Context<Self>, held: bool) -> Html {
        let act = |act: Act| ctx.link().callback(move |_: MouseEvent| Msg::Act(act));
        let hold = ctx.link().callback(move |_| Msg::Hold(!held));
        let step = match &self.shown {
            None => match ctx.props().lost {
                Some(step) => t!("timeline.not_kept", step = step),
                None => t!("timeline.no_step"),
            },
            Some(step) => {
                let length = format::micros(self.timeline.lanes().length_us as f64);
                match held {
                    true => t!("timeline.step_held", step = step.step + 1, length = length),
                    false => t!("timeline.step", step = step.step + 1, length = length),
                }
            }
        };
        let nothing = self.shown.is_none();
        let button = |name: AttrValue, words: AttrValue, enabled: bool, on| {
            let label = (name.len() < 4).then(|| words.clone());
            html! {
                <button type="button" title={words} aria-label={label}
                    aria-disabled={(!enabled).to_string()} onclick={on}>{ name }</button>
            }
        };
        let (whole, some) = (self.timeline.is_whole(), !nothing);
        html! {
            <div class="row timeline-controls">
                <b role="status" aria-label={t!("timeline.status")} aria-live="off">{ step }</b>
                <button type="button" aria-pressed={held.to_string()}
                    aria-disabled={nothing.to_string()} onclick={hold}>{ t!("timeline.hold") }</button>
                <span class="row" role="group" aria-label={t!("timeline.zoom")}>
                    { button("−".into(), t!("timeline.zoom_out").into(), some && !whole, act(Act::Zoom(2.0, None))) }
                    { button("+".into(), t!("timeline.zoom_in").into(), some, act(Act::Zoom(0.5, None))) }
                    { button("◂".into(), t!("timeline.earlier").into(), some && !whole, act(Act::Pan(-0.5))) }
                    { button("▸".into(), t!("timeline.later").into(), some && !whole, act(Act::Pan(0.5))) }
                    { button(t!("timeline.whole").into(), t!("timeline.show_whole").into(), some && !whole, act(Act::Whole)) }
                </span>
            </div>
        }
    }

    fn plot(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let timeline = &self.timeline;
        let words = match timeline.read() {
            Some(span) => span_text::sentence(span, &ctx.props().plan),
            None if self.shown.is_none() => t!("timeline.nothing").into_owned(),
            None => t!("timeline.point").into_owned(),
        };
        let last = timeline.lanes().spans.iter().map(Vec::len).sum::<usize>().saturating_sub(1);
        let press = link.callback(|event: PointerEvent| {
            let (id, at) = (event.pointer_id(), place(&event));
            if let Some(plot) = plot_of(&event) {
                // Without capture, a drag ends at the edge: no harm.
                let _ = plot.set_pointer_capture(id);
            }
            Msg::Act(Act::Press(id, at.0))
        });
        let moves = link.callback(|e: PointerEvent| Msg::Act(Act::Move(e.pointer_id(), place(&e))));
        let release =
            link.callback(|e: PointerEvent| Msg::Act(Act::Release(e.pointer_id(), place(&e))));
        let leave = link.callback(|_: PointerEvent| Msg::Act(Act::Leave));
        let key = link.batch_callback(|event: KeyboardEvent| {
            let act = pressed(&event)?;
            event.prevent_default();
            Some(Msg::Act(act))
        });
        html! {
            <>
                <p class="reading">{ &words }</p>
                <div
                    ref={self.plot.clone()}
                    class="timeline-plot"
                    data-own=""
                    tabindex="0"
                    role="slider"
                    aria-label={t!("timeline.slider")}
                    aria-describedby="timeline-keys"
                    aria-valuemin="0"
                    aria-valuemax={last.to_string()}
                    aria-valuenow={timeline.number().unwrap_or(0).to_string()}
                    aria-valuetext={words.clone()}
                    onpointerdown={press}
                    onpointermove={moves}
                    onpointerup={release}
                    onpointercancel={leave.clone()}
                    onpointerleave={leave}
                    onkeydown={key}
                >
                    { Lanes {
                        drawing: timeline.drawing().clone(),
                        world: ctx.props().plan.mesh().world().get(),
                        outline: timeline.outline(),
                        spot: ctx.props().cursor.spot().place(),
                        pattern: "waiting",
                    }.part() }
                </div>
                <p id="timeline-keys" class="hint">
                    { t!("timeline.keys") }
                </p>
            </>
        }
    }
}

/// What a key means.
fn pressed(event: &KeyboardEvent) -> Option<Act> {
    // The browser's own zoom is not ours.
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    Some(match (event.key().as_str(), event.shift_key()) {
        ("+" | "=", _) => Act::Zoom(0.5, None),
        ("-" | "_" | "−", _) => Act::Zoom(2.0, None),
        ("0", _) => Act::Whole,
        ("ArrowLeft", true) => Act::Pan(-0.2),
        ("ArrowRight", true) => Act::Pan(0.2),
        ("ArrowLeft", false) => Act::Along(-1),
        ("ArrowRight", false) => Act::Along(1),
        ("ArrowUp", _) => Act::Across(-1),
        ("ArrowDown", _) => Act::Across(1),
        ("PageUp", _) => Act::Along(-10),
        ("PageDown", _) => Act::Along(10),
        ("Home", _) => Act::End(false),
        ("End", _) => Act::End(true),
        ("Escape", _) => Act::Forget,
        _ => return None,
    })
}

/// What a turn of the wheel means: sideways moves, with Ctrl it zooms, and in a timeline that has
/// the focus it zooms without; elsewhere it scrolls the page.
fn turned(event: &WheelEvent, plot: &Element) -> Option<Act> {
    let rect = plot.get_bounding_client_rect();
    let (across, down) = (event.delta_x(), event.delta_y());
    if across.abs() > down.abs() || event.shift_key() {
        let by = if across == 0.0 { down } else { across };
        return Some(Act::Pan(by / rect.width().max(1.0)));
    }
    let active = web_sys::window()?.document()?.active_element();
    let focused = active.is_some_and(|active| &active == plot);
    let at = f64::from(event.client_x()) - rect.left();
    let factor = exp((down * 0.004).clamp(-0.7, 0.7));
    (event.ctrl_key() || focused).then_some(Act::Zoom(factor, Some(at)))
}

fn plot_of(event: &PointerEvent) -> Option<Element> {
    event.target_dyn_into::<Element>()?.closest(".timeline-plot").ok().flatten()
}

/// Where a pointer is within the plot, in pixels.
fn place(event: &PointerEvent) -> (f64, f64) {
    let Some(plot) = plot_of(event) else { return (0.0, 0.0) };
    let rect = plot.get_bounding_client_rect();
    (f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top())
}

fn legend() -> Html {
    let key = |class: &'static str, words: std::borrow::Cow<'static, str>| {
        html! { <span><span class={classes!("span-key", class)}></span>{ words }</span> }
    };
    html! {
        <p class="legend">
            { key("tile-span", t!("timeline.attention")) }
            { key("compute-span", t!("timeline.other")) }
            { key("wait-span", t!("timeline.waiting")) }
            { key("collective-span", t!("timeline.collective")) }
            { key("send-span", t!("timeline.sent")) }
            { key("gap", t!("timeline.gap")) }
        </p>
    }
}
