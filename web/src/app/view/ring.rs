//! The ring view: replays the newest step in slow motion, in order of cause.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::t;
use plan::fold::beats::Beats;
use plan::{AttentionPlan, RunPlan, StrategyKind};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::cursor::Cursor;
use crate::app::fields::Field;
use crate::app::glossary::Shown;
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::turn;
use crate::app::view::memo::View;
use crate::app::view::motion::{Motion, WITHOUT_DRAWING_MS};
use crate::app::view::parts::section;
use crate::app::view::ring_drawing::RingDrawing;
use crate::app::view::ring_table::RingTable;
use crate::app::view::slices::Slices;
use crate::app::view::term::terms;
use crate::app::{beat_text, browser};
use crate::cluster;

/// Properties of [`Ring`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// The step that is looked at: the newest, unless the user chose another.
    pub newest: Option<Shared<WholeStep>>,
    /// Whether that is the one that the user holds.
    pub held: bool,
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
    motion: Motion,
}

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
        let mut ring =
            Self { shown: at_rest(&ctx.props().plan), step: None, motion: Motion::new() };
        ring.show_newest(ctx);
        ring
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let props = ctx.props();
        if props.newest.is_none() && (old.newest.is_some() || props.plan != old.plan) {
            (self.shown, self.step) = (at_rest(&props.plan), None);
            self.motion.rewind();
        } else if !self.motion.moves()
            || props.at_once
            || old.newest.is_none()
            || self.motion.is_over(self.beats())
        {
            return self.show_newest(ctx) || is_other(props, old);
        } else {
            // While it moves, frames of its own redraw it, unless the ranks need the cores.
            let goes_on = keeps_pace(props) && self.goes_on(ctx, browser::now_ms(), Motion::drawn);
            return goes_on || is_other(props, old);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Frame(now) => {
                let rest = if keeps_pace(ctx.props()) { WITHOUT_DRAWING_MS } else { 0.0 };
                return self.goes_on(ctx, now, |motion, now, beats| motion.frame(now, beats, rest));
            }
            Msg::Moment(beat) => {
                self.motion.stand(beat);
                self.show_newest(ctx);
                self.motion.stand(beat.min(self.beats()));
            }
            Msg::Moves(moves) => {
                self.motion.turn(moves, self.beats());
                self.ask_for_frame(ctx);
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let plan = &ctx.props().plan;
        let last = self.shown.beats.len().saturating_sub(1);
        let index = self.motion.beat(self.beats());
        let beats = &self.shown.beats;
        if index >= beats.len() {
            return html! {};
        }
        let seen = ctx.props().newest.is_some();
        let progress = self.motion.progress(self.beats());
        let (layers, attention) = (plan.model().layers, plan.attention());
        let is_ring = turn::is_ring(attention);
        let words = beat_text::describe(beats, index, layers, is_ring, attention.steps());
        let caption = if seen {
            let step = self.shown.step + 1;
            match self.motion.moves() {
                true => t!("ring.slow_motion", step = step),
                false => t!("ring.by_moment", step = step),
            }
        } else {
            t!("ring.before")
        };
        let held = ctx.props().held.then(|| t!("ring.held"));
        let words = if seen { words } else { t!("ring.own_blocks").into_owned() };
        let spot = ctx.props().cursor.spot();
        let terms_of_it = [Shown::Rank, Shown::Block, Shown::RingStep];
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
            title(plan),
            lead(attention),
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
                        blocks={has_blocks(attention)}
                        on={ctx.props().on.clone()}
                    />
                    { legend(attention) }
                    <div class="player">
                        <p class="beat"><b>{ caption }{ held }</b><br />{ words }</p>
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
                            <input type="checkbox" checked={self.motion.moves()} onchange={moves} />
                            { t!("ring.animate") }
                        </label>
                    </div>
                    { terms(&terms_of_it[..2 + usize::from(is_ring)]) }
                    <RingTable beats={self.shown.clone()} {seen} blocks={has_blocks(attention)} />
                    { Slices {
                        plan: plan.clone(),
                        tokens: ctx.props().tokens.clone(),
                        spot,
                    }.part() }
                </>
            },
        )
    }
}

impl Ring {
    fn beats(&self) -> usize {
        self.shown.beats.len()
    }

    /// Puts the newest step on show; `false` where it is there already.
    fn show_newest(&mut self, ctx: &Context<Self>) -> bool {
        let Some(newest) = &ctx.props().newest else { return false };
        if self.step.as_ref() == Some(newest) {
            return false;
        }
        // More of the step that is on show: what was seen of it need not be seen again.
        let grows = self.step.as_ref().is_some_and(|shown| shown.step == newest.step);
        let seen = self.beats().saturating_sub(1) as f64;
        self.shown = Shared::new(Beats::new(newest.step, &newest.events));
        self.step = Some(newest.clone());
        let last = self.beats().saturating_sub(1) as f64;
        self.motion.at = match (self.motion.moves(), grows) {
            (true, true) => seen.min(self.beats() as f64),
            (true, false) => 0.0,
            (false, _) => self.motion.at.min(last),
        };
        self.ask_for_frame(ctx);
        true
    }

    /// Whether the moment goes on at `now`, as `go_on` says; after the last one is the newest step.
    fn goes_on(
        &mut self,
        ctx: &Context<Self>,
        now: f64,
        go_on: impl FnOnce(&mut Motion, f64, usize) -> bool,
    ) -> bool {
        let beats = self.beats();
        let is_drawn = go_on(&mut self.motion, now, beats);
        if is_drawn && self.motion.is_over(beats) {
            self.show_newest(ctx);
        }
        self.ask_for_frame(ctx);
        is_drawn
    }

    fn ask_for_frame(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.motion.ask(self.beats(), move |now| link.send_message(Msg::Frame(now)));
    }
}

/// Whether the moment goes on as the page is drawn: the ranks leave it no core, and rest for that.
fn keeps_pace(props: &Props) -> bool {
    !props.at_once && !props.held && cluster::fill_the_cores(props.plan.mesh().world().get())
}

/// Whether anything has changed that is drawn besides the moment.
fn is_other(props: &Props, old: &Props) -> bool {
    props.plan != old.plan
        || props.tokens != old.tokens
        || props.cursor != old.cursor
        || props.held != old.held
}

/// What the ranks do with keys and values, as the heading.
pub fn title(plan: &RunPlan) -> Cow<'static, str> {
    let attention = plan.attention();
    match (plan.config().cp, plan.config().dp) {
        (1, 1) => return t!("ring.alone"),
        (1, _) => return Field::Dp.label(),
        _ => {}
    }
    match attention.strategy().kind() {
        StrategyKind::Ring | StrategyKind::Usp => t!("ring.title"),
        StrategyKind::AllGather => t!("ring.gather"),
        StrategyKind::Ulysses => t!("ring.all_to_all"),
    }
}

/// What is to be seen, by strategy.
fn lead(attention: &AttentionPlan) -> Html {
    let strategy = attention.strategy().kind();
    if attention.sequence().world().get() == 1 {
        return html! { { t!("turn.alone") } };
    }
    let words = match strategy {
        StrategyKind::Ring => t!("ring.lead_ring"),
        StrategyKind::AllGather => t!("ring.lead_gather"),
        StrategyKind::Ulysses => t!("ring.lead_ulysses"),
        StrategyKind::Usp => t!("ring.lead_usp", degree = attention.strategy().ulysses()),
    };
    html! { { words } }
}

/// What the marks are that stand beside the ranks and move between them.
fn legend(attention: &AttentionPlan) -> Html {
    let key = |class: &'static str, mark: &'static str, words: Cow<'static, str>| {
        html! { <span><b class={classes!("mark-key", class)}>{ mark }</b>{ words }</span> }
    };
    html! {
        <p class="legend">
            if has_blocks(attention) {
                { key("kv", "kv n", t!("ring.kv")) }
            }
            if turn::is_ring(attention) {
                { key("grad", "∇ n", t!("ring.grad")) }
            }
            { key("dot", "", t!("ring.dot")) }
            { key("pale", "", t!("ring.pale")) }
        </p>
    }
}

/// Whether a rank holds one block of keys and values at a time, and not its heads of all of them.
fn has_blocks(attention: &AttentionPlan) -> bool {
    attention.strategy().kind() != StrategyKind::Ulysses
}

/// Every rank with its own block and nothing to do.
fn at_rest(plan: &RunPlan) -> Shared<Beats> {
    let nothing: Vec<Vec<plan::Event>> = vec![Vec::new(); plan.mesh().world().get()];
    Shared::new(Beats::new(0, &nothing))
}
