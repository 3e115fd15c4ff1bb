//! The start: what this is, a recorded step in slow motion, and three doors.

use crate::t;
use plan::fold::beats::Beats;
use web_sys::MouseEvent;
use yew::prelude::*;

use crate::app::cursor::Spot;
use crate::app::places::Place;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::motion::Motion;
use crate::app::view::parts::plain_click;
use crate::app::view::ring_drawing::RingDrawing;
use crate::app::{beat_text, recorded};

/// Properties of [`Welcome`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where each door leads, with its address.
    pub doors: Vec<(Place, String)>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view; it owns the moment that is shown.
pub struct Welcome {
    beats: Shared<Beats>,
    motion: Motion,
}

/// What happens to the view.
pub enum Msg {
    /// A frame at this time.
    Frame(f64),
    /// The user stops the motion, or lets it go on.
    Moves(bool),
    /// The user wants the next moment.
    Next,
}

impl Component for Welcome {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let mut welcome = Self { beats: Shared::new(recorded::beats()), motion: Motion::new() };
        welcome.ask_for_frame(ctx);
        welcome
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let beats = self.beats.beats.len();
        let mut is_drawn = true;
        match msg {
            Msg::Frame(now) => is_drawn = self.motion.frame(now, beats, 0.0),
            Msg::Moves(moves) => self.motion.turn(moves, beats),
            Msg::Next => self.motion.stand((self.motion.beat(beats) + 1) % beats.max(1)),
        }
        if self.motion.moves() && self.motion.is_over(beats) {
            self.motion.rewind();
        }
        self.ask_for_frame(ctx);
        is_drawn
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let beats = self.beats.beats.len();
        let index = self.motion.beat(beats);
        let link = ctx.link();
        let moves = self.motion.moves();
        let turn = link.callback(move |_: MouseEvent| Msg::Moves(!moves));
        html! {
            <section class="welcome" aria-labelledby="welcome-title">
                <div class="welcome-words">
                    <h2 id="welcome-title">{ t!("welcome.title") }</h2>
                    <p>{ t!("welcome.what") }</p>
                    <ul class="doors">
                        { for ctx.props().doors.iter().map(|(place, href)| door(*place, href, &ctx.props().on)) }
                    </ul>
                </div>
                <figure>
                    <RingDrawing
                        dp={1}
                        cp={recorded::RANKS}
                        beats={self.beats.clone()}
                        {index}
                        progress={self.motion.progress(beats)}
                        seen={true}
                        spot={Spot::default()}
                        picture={true}
                        on={ctx.props().on.clone()}
                    />
                    <figcaption>
                        <p class="beat">{ beat_text::describe(&self.beats.beats, index, 1, true, recorded::RING_STEPS) }</p>
                        <p class="hint">{ t!("welcome.recorded") }</p>
                        <span class="buttons">
                            <button type="button" class="quiet" aria-pressed={(!moves).to_string()} onclick={turn}>
                                { t!("welcome.still") }
                            </button>
                            <button type="button" class="quiet" onclick={link.callback(|_: MouseEvent| Msg::Next)}>
                                { t!("welcome.next") }
                            </button>
                        </span>
                    </figcaption>
                </figure>
            </section>
        }
    }
}

impl Welcome {
    fn ask_for_frame(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.motion.ask(self.beats.beats.len(), move |now| link.send_message(Msg::Frame(now)));
    }
}

fn door(place: Place, href: &str, on: &Callback<Action>) -> Html {
    let go = plain_click(on, move || Action::Enter(place));
    html! {
        <li key={place.key()}>
            <a class="door" href={href.to_owned()} onclick={go}>
                <b>{ t!(format!("welcome.doors.{}.name", place.key())) }</b>
                <span>{ t!(format!("welcome.doors.{}.why", place.key())) }</span>
            </a>
        </li>
    }
}
