//! The ring view: replays the newest step in slow motion, in order of cause.

use std::collections::BTreeMap;

use crate::t;
use gloo_render::{AnimationFrame, request_animation_frame};
use plan::fold::beats::Beats;
use plan::{RunPlan, StrategyKind};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::cursor::Cursor;
use crate::app::glossary::Shown;
use crate::app::pace::Cost;
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::parts::section;
use crate::app::view::ring_drawing::RingDrawing;
use crate::app::view::ring_table::RingTable;
use crate::app::view::slices::Slices;
use crate::app::view::term::terms;
use crate::app::{beat_text, browser};

/// Properties of [`Ring`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// The step that is looked at: the newest, unless the user chose another.
    pub newest: Option<Shared<WholeStep>>,
    /// Whether it takes the place of one that is still shown in slow motion.
    pub at_once: bool,
    /// Each rank's slice of its newest step's first sequence.
    pub tokens: Shared<BTreeMap<u16, Vec<u8>>>,
    /// What is lit.
    pub cursor: Cursor,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view; it owns the moment that is shown.
pub struct Ring {
    shown: Shared<Beats>,
    /// The step that it shows; `None` before the first.
    step: Option<Shared<WholeStep>>,
    /// Beats gone by, with a fraction.
    at: f64,
    moves: bool,
    last_ms: Option<f64>,
    cost: Cost,
    frame: Option<AnimationFrame>,
}

/// Milliseconds from one moment of the slow motion to the next, where drawing is cheap.
const FRAME_MS: f64 = 30.0;
/// The longest time that the slow motion makes up for at once.
const LONGEST_MS: f64 = 400.0;

/// What happens to the view.
pub enum Msg {
    /// A frame at this time.
    Frame(f64),
    /// The user chose a moment.
    Moment(usize),
    /// The user turned the motion on or off.
    Moves(bool),
}

impl Component for Ring {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let mut ring = Self {
            shown: at_rest(&ctx.props().plan),
            step: None,
            at: 0.0,
            moves: !browser::reduced_motion(),
            last_ms: None,
            cost: Cost::default(),
            frame: None,
        };
        ring.show_newest(ctx);
        ring
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let props = ctx.props();
        if props.newest.is_none() && (old.newest.is_some() || props.plan != old.plan) {
            (self.shown, self.step) = (at_rest(&props.plan), None);
            (self.at, self.frame, self.last_ms) = (0.0, None, None);
        } else if !self.moves || props.at_once || old.newest.is_none() || self.at >= self.end() {
            return self.show_newest(ctx) || is_other(props, old);
        } else {
            // While it moves, frames of its own redraw it.
            return is_other(props, old);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Frame(now) => {
                self.frame = None;
                let passed = now - self.last_ms.unwrap_or(now - FRAME_MS);
                if passed < self.cost.rest(FRAME_MS) {
                    self.ask_for_frame(ctx);
                    return false;
                }
                self.last_ms = Some(now);
                self.cost.measure();
                // A long gap is a tab that was hidden, not time to catch up with.
                self.at = (self.at + passed.min(LONGEST_MS) / self.beat_ms()).min(self.end());
                if self.at >= self.end() {
                    self.show_newest(ctx);
                }
                self.ask_for_frame(ctx);
            }
            Msg::Moment(beat) => {
                self.moves = false;
                self.show_newest(ctx);
                self.at = (beat as f64).min(self.end());
            }
            Msg::Moves(moves) => {
                self.moves = moves;
                self.last_ms = None;
                if moves && self.at >= self.end() {
                    self.at = 0.0;
                }
                self.at = self.at.floor();
                self.ask_for_frame(ctx);
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let plan = &ctx.props().plan;
        let last = self.shown.beats.len().saturating_sub(1);
        let index = (self.at as usize).min(last);
        let Some(beat) = self.shown.beats.get(index) else { return html! {} };
        let seen = ctx.props().newest.is_some();
        // Standing still, a message is drawn half-way, so that its direction shows.
        let progress = if self.moves { (self.at - index as f64).min(1.0) } else { 0.5 };
        let (layers, steps) = (plan.model().layers, plan.attention().steps());
        let words = beat_text::describe(beat, layers, steps);
        let caption = if seen {
            let step = self.shown.step + 1;
            match self.moves {
                true => t!("ring.slow_motion", step = step),
                false => t!("ring.by_moment", step = step),
            }
        } else {
            t!("ring.before")
        };
        let words = if seen { words } else { t!("ring.own_blocks").into_owned() };
        let spot = ctx.props().cursor.spot();
        let link = ctx.link();
        let moment = link.callback(|event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            Msg::Moment(input.value_as_number() as usize)
        });
        let moves = link.callback(|event: Event| {
            Msg::Moves(event.target_unchecked_into::<HtmlInputElement>().checked())
        });
        section(
            "ring",
            t!("ring.title"),
            lead(plan.config().strategy),
            html! {
                <>
                    <RingDrawing
                        dp={plan.config().dp}
                        cp={plan.config().cp}
                        beats={self.shown.clone()}
                        {index}
                        {progress}
                        {seen}
                        {spot}
                        on={ctx.props().on.clone()}
                    />
                    <div class="player">
                        <p class="beat"><b>{ caption }</b><br />{ words }</p>
                        <label for="moment">{ t!("ring.moment") }</label>
                        <input
                            id="moment"
                            type="range"
                            min="0"
                            max={last.to_string()}
                            value={index.to_string()}
                            disabled={!seen}
                            oninput={moment}
                        />
                        <label class="check">
                            <input type="checkbox" checked={self.moves} onchange={moves} />
                            { t!("ring.animate") }
                        </label>
                    </div>
                    { terms(&[Shown::Rank, Shown::Block, Shown::RingStep]) }
                    <RingTable beats={self.shown.clone()} {seen} />
                    <Slices plan={plan.clone()} tokens={ctx.props().tokens.clone()} {spot} />
                </>
            },
        )
    }
}

impl Ring {
    fn end(&self) -> f64 {
        self.shown.beats.len() as f64
    }

    /// Long steps go faster, so that none takes much more than ten seconds.
    fn beat_ms(&self) -> f64 {
        (9000.0 / self.end().max(1.0)).clamp(220.0, 800.0)
    }

    /// Puts the newest step on show; `false` where it is there already.
    fn show_newest(&mut self, ctx: &Context<Self>) -> bool {
        let Some(newest) = &ctx.props().newest else { return false };
        if self.step.as_ref() == Some(newest) {
            return false;
        }
        // More of the step that is on show: what was seen of it need not be seen again.
        let grows = self.step.as_ref().is_some_and(|shown| shown.step == newest.step);
        let seen = (self.end() - 1.0).max(0.0);
        self.shown = Shared::new(Beats::new(newest.step, &newest.events));
        self.step = Some(newest.clone());
        if self.moves {
            self.at = if grows { seen.min(self.end()) } else { 0.0 };
        } else {
            self.at = self.at.min(self.end() - 1.0).max(0.0);
        }
        self.ask_for_frame(ctx);
        true
    }

    fn ask_for_frame(&mut self, ctx: &Context<Self>) {
        if !self.moves || self.at >= self.end() || self.frame.is_some() {
            self.last_ms = self.last_ms.filter(|_| self.frame.is_some());
            return;
        }
        let link = ctx.link().clone();
        self.frame = Some(request_animation_frame(move |now| link.send_message(Msg::Frame(now))));
    }
}

/// Whether anything has changed that is drawn besides the moment.
fn is_other(props: &Props, old: &Props) -> bool {
    props.plan != old.plan || props.tokens != old.tokens || props.cursor != old.cursor
}

/// What is to be seen, by strategy.
fn lead(strategy: StrategyKind) -> Html {
    let words = match strategy {
        StrategyKind::Ring => t!("ring.lead_ring"),
        StrategyKind::AllGather => t!("ring.lead_gather"),
        StrategyKind::Ulysses => t!("ring.lead_ulysses"),
        StrategyKind::Usp => t!("ring.lead_usp"),
    };
    html! {
        <>
            { words }
            if strategy != StrategyKind::Ulysses {
                { " " }<b class="block-sample">{ "kv" }</b>
            }
        </>
    }
}

/// Every rank with its own block and nothing to do.
fn at_rest(plan: &RunPlan) -> Shared<Beats> {
    let nothing: Vec<Vec<plan::Event>> = vec![Vec::new(); plan.mesh().world().get()];
    Shared::new(Beats::new(0, &nothing))
}
