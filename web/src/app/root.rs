//! The component that owns the state, and carries out what it asks of the world outside.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::EventListener;
use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use plan::message;
use yew::prelude::*;

use crate::app::browser::{lessons, picture, store};
use crate::app::cursor::{Act, Spot};
use crate::app::engine::{Order, Phase};
use crate::app::gradual::Gradual;
use crate::app::language::{Language, fetched};
use crate::app::last_run::{self, LastRun};
use crate::app::pace::{Pace, Progress};
use crate::app::places::Place;
use crate::app::share::{File, Format, Picture, curve_svg};
use crate::app::state::{Action, Effect, Kept, State};
use crate::app::{address, browser, doctor, keys, lesson, view};
use crate::cluster::{self, Cluster, ClusterEvent, Course, Failure};
use crate::diagnosis::Doctor;
use crate::reference::{Reference, ReferenceEvent};

/// The page.
pub struct App {
    state: State,
    on: Callback<Action>,
    /// Where orders to the ranks of a launch go.
    tell: Callback<(u32, Order)>,
    cluster: Option<Cluster>,
    reference: Option<Reference>,
    doctor: Option<Doctor>,
    /// What to do once the page has been painted.
    waiting: Vec<Effect>,
    /// What the tables show.
    figures: Gradual,
    pace: Pace,
    /// When the run was kept last.
    remembered_ms: f64,
    /// When its state was asked for last, for that.
    asked_ms: f64,
    /// What the pointer is over, until the next frame lights it.
    pointed: Option<(Spot, AnimationFrame)>,
    _address: Option<EventListener>,
    _other_build: Option<EventListener>,
    /// Where single keys are heard.
    heard_at: Rc<Cell<Option<Place>>>,
    _keys: Option<EventListener>,
}

/// Milliseconds between two times that a running run is kept.
const REMEMBER_MS: f64 = 2000.0;
/// The largest state that is asked for that often; a larger one is kept when it comes by itself.
const SMALL: usize = 4 << 20;

/// How the page begins.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Why it cannot speak the language that it is to speak.
    pub mute: Option<String>,
}

/// What happens to the page.
pub enum Msg {
    /// Something changes the state.
    Act(Action),
    /// It is time to draw what has changed, once the ranks rest.
    Due,
    /// They do: the next frame draws.
    Rested,
    /// It is time to draw what has changed.
    Redraw,
    /// That has been painted.
    Painted,
    /// The ranks of that launch are to do this.
    Tell(u32, Order),
    /// It is time to light what the pointer is over.
    Light,
}

impl Component for App {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let (mut state, mut waiting) = State::open(&browser::address(), browser::language());
        state.single_keys = browser::single_keys();
        state.lessons.make_mut().done = lessons::progress();
        if let Some(why) = &ctx.props().mute {
            // The texts would be English all the same.
            let asked = state.language;
            let effects = state.apply(Action::Speak(Language::default()));
            // The choice of the user is kept as it is.
            waiting.extend(effects.into_iter().filter(|e| matches!(e, Effect::Fetch(_))));
            state.apply(Action::Mute(asked, why.clone()));
        }
        browser::speak(state.language);
        let on = ctx.link().callback(Msg::Act);
        let open = on.clone();
        let address = web_sys::window().map(|window| {
            EventListener::new(&window, "hashchange", move |_| {
                let address = browser::address();
                open.emit(match browser::is_own_entry() {
                    true => Action::Return(address),
                    false => Action::Open(address),
                });
            })
        });
        let heard_at = Rc::new(Cell::new(keys::heard_at(&state)));
        let keys = browser::on_keys(
            heard_at.clone(),
            on.reform(|command| Action::Press(command, browser::random_seed())),
        );
        let tell = on.reform(|()| Action::OtherBuild);
        if browser::has_other_build() {
            tell.emit(());
        }
        let other_build = web_sys::window().map(|window| {
            EventListener::new(&window, browser::OTHER_BUILD, move |_| tell.emit(()))
        });
        Self {
            state,
            on,
            tell: ctx.link().callback(|(launch, order)| Msg::Tell(launch, order)),
            cluster: None,
            reference: None,
            doctor: None,
            waiting,
            figures: Gradual::default(),
            pace: Pace::default(),
            remembered_ms: f64::NEG_INFINITY,
            asked_ms: f64::NEG_INFINITY,
            pointed: None,
            _address: address,
            _other_build: other_build,
            heard_at,
            _keys: keys,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Due => {
                let rested = ctx.link().callback(|()| Msg::Rested);
                match &self.cluster {
                    Some(cluster) => cluster.rest(rested),
                    None => rested.emit(()),
                }
                false
            }
            Msg::Rested => {
                self.pace.frame(ctx.link().callback(|()| Msg::Redraw));
                false
            }
            Msg::Redraw => {
                self.draw_now(ctx);
                self.act(Action::Lesson(lesson::Act::Look));
                true
            }
            Msg::Painted => {
                if self.figures.is_filling() {
                    self.pace.frame(ctx.link().callback(|()| Msg::Redraw));
                } else if let Some(cluster) = &self.cluster {
                    cluster.go_on();
                }
                false
            }
            Msg::Tell(launch, order) => {
                if launch == self.state.launch {
                    self.tell(order);
                }
                false
            }
            // Training goes on whether or not anything is drawn, so reports are taken at once and
            // drawn together, when a step is whole.
            Msg::Act(action) if action.is_report() => {
                self.act(action);
                self.ask_for_state();
                let due = ctx.link().callback(|()| Msg::Due);
                self.pace.ask(self.progress(), browser::now_ms(), due);
                false
            }
            // A pointer may pass over many things in a frame: the last one is lit.
            Msg::Act(Action::Cursor(Act::Hover(spot))) => {
                let link = ctx.link().clone();
                let frame = self.pointed.take().map_or_else(
                    || request_animation_frame(move |_| link.send_message(Msg::Light)),
                    |(_, frame)| frame,
                );
                self.pointed = Some((spot, frame));
                false
            }
            Msg::Light => {
                let was = self.state.cursor;
                if let Some((spot, _)) = self.pointed.take() {
                    self.act(Action::Cursor(Act::Hover(spot)));
                }
                let is_news = self.state.cursor != was;
                // The page is drawn now, and need not be again so soon.
                if is_news {
                    self.draw_now(ctx);
                }
                is_news
            }
            // The tables keep their pace: nothing of them has changed but what is lit.
            Msg::Act(action @ Action::Cursor(_)) => {
                self.pointed = None;
                let was = self.state.cursor;
                self.act(action);
                self.state.cursor != was
            }
            // A language comes with the first word of it.
            Msg::Act(action) if language(&action).is_some_and(|asked| !fetched::is_here(asked)) => {
                let on = self.on.clone();
                yew::platform::spawn_local(async move {
                    let asked = language(&action).unwrap_or_default();
                    on.emit(match browser::fetch_language(asked).await {
                        Ok(()) => action,
                        Err(why) => Action::Mute(asked, why),
                    });
                });
                false
            }
            Msg::Act(action) => {
                self.act(action);
                self.heard_at.set(keys::heard_at(&self.state));
                self.figures.bring_all(&self.state.record.figures);
                // An address that was opened may have asked for another language.
                browser::speak(self.state.language);
                true
            }
        }
    }

    fn rendered(&mut self, _ctx: &Context<Self>, first: bool) {
        if first {
            let (on, key) = (self.on.clone(), last_run::key(&self.state));
            yew::platform::spawn_local(async move {
                if let Some(bytes) = store::kept(&key).await {
                    on.emit(Action::Recall(LastRun::unpack(&bytes).map(Box::new)));
                }
            });
            for effect in std::mem::take(&mut self.waiting) {
                self.carry_out(effect);
            }
        }
        lessons::mark(self.state.lessons.shown());
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        view::page(&self.state, &self.figures, &self.on)
    }
}

impl App {
    /// Notes that the page is being drawn, with the ring and a part of the tables.
    fn draw_now(&mut self, ctx: &Context<Self>) {
        let painted = ctx.link().callback(|()| Msg::Painted);
        self.pace.drawn(self.progress(), browser::now_ms(), move || painted.emit(()));
        self.figures.bring(&self.state.record.figures);
    }

    /// Whole steps, and losses of the reference: what reports move on.
    fn progress(&self) -> Progress {
        (self.state.steps(), self.state.reference.losses.len())
    }

    fn act(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Launch => self.launch(),
            Effect::Tell(order) => self.tell_soon(order),
            Effect::Limit(limits) => {
                if let Some(cluster) = &self.cluster {
                    cluster.set_limits(limits);
                }
            }
            Effect::SaveState(run) => {
                if let Some(cluster) = &self.cluster {
                    cluster.save(run);
                }
            }
            Effect::Remember => self.remember(),
            Effect::SelfTest(run) => {
                if let Some(cluster) = &self.cluster {
                    cluster.self_test(run);
                }
            }
            Effect::LaunchReference => self.launch_reference(),
            Effect::AdvanceReference(until) => {
                if let Some(reference) = &self.reference {
                    reference.advance(until);
                }
            }
            Effect::DropReference => self.reference = None,
            Effect::Consult(order) => self.consult(order),
            Effect::Save(file) => {
                let outcome = picture::save(&file);
                self.act(Action::Kept(kept(outcome.is_ok(), file.name)));
            }
            Effect::Draw(drawn, format, name) => self.draw(drawn, format, name),
            Effect::Speak(language) => browser::keep_language(language),
            Effect::KeepSingleKeys(on) => browser::keep_single_keys(on),
            Effect::Fetch(file) => {
                let on = self.on.clone();
                yew::platform::spawn_local(async move {
                    let bytes = lessons::fetch(&file).await;
                    on.emit(Action::Lesson(lesson::Act::Came(file, bytes)));
                });
            }
            Effect::KeepProgress(done) => lessons::keep_progress(&done),
            Effect::ScrollUp => browser::scroll_up(),
            Effect::FocusHeading => browser::focus_heading(),
            Effect::Reveal(control) => lessons::reveal(control),
            Effect::WriteAddress(address) => browser::set_address(&address),
            Effect::PushAddress(address) => browser::push_address(&address),
        }
    }

    fn draw_curve(&self, title: &str) -> String {
        let state = &self.state;
        let alone: Vec<_> = state.reference.losses.iter().map(|(&at, &loss)| (at, loss)).collect();
        curve_svg::draw(
            &state.record.curve,
            state.record.first(),
            &alone,
            title,
            &picture::colours(),
        )
    }

    fn draw(&mut self, drawn: Picture, format: Format, name: String) {
        let title = name.rsplit_once('.').map_or(name.as_str(), |(title, _)| title);
        let svg = match drawn.selector() {
            Some(selector) => picture::svg(selector, title),
            None => Ok(self.draw_curve(title)),
        };
        let (on, mime) = (self.on.clone(), "image/svg+xml");
        match (svg, format) {
            (Err(_), _) => self.act(Action::Kept(Kept::Not(name))),
            (Ok(svg), Format::Svg) => {
                let file = File { name, mime, bytes: svg.into_bytes() };
                self.carry_out(Effect::Save(file));
            }
            (Ok(svg), Format::Png) => yew::platform::spawn_local(async move {
                let outcome = picture::save_png(svg, &name).await;
                on.emit(Action::Kept(kept(outcome.is_ok(), name)));
            }),
        }
    }

    fn launch(&mut self) {
        // The old workers end first: their memory is given back only then.
        self.cluster = None;
        let launch = self.state.launch;
        let on = self.on.reform(move |event| Action::Cluster(launch, event));
        match Cluster::launch(self.state.world() as u16, on) {
            Ok(cluster) => {
                cluster.set_limits(self.state.limits());
                self.cluster = Some(cluster);
            }
            Err(failure) => self.act(Action::Cluster(launch, ClusterEvent::Failure(failure))),
        }
    }

    /// Tells the ranks once what the user did has been dealt with: they would want the cores.
    fn tell_soon(&mut self, order: Order) {
        if matches!(order, Order::Begin { .. }) {
            self.pace.begin();
        }
        let (tell, launch) = (self.tell.clone(), self.state.launch);
        // Timers of a hidden page may be late.
        if cluster::is_hidden() {
            tell.emit((launch, order));
        } else {
            Timeout::new(0, move || tell.emit((launch, order))).forget();
        }
    }

    fn tell(&mut self, order: Order) {
        let Some(cluster) = &self.cluster else { return };
        let config = self.state.plan.config();
        let text = self.state.text.as_ref().map(|text| &*text.bytes);
        match order {
            // The settings may be others by now, and another run be about to begin.
            Order::Begin { run, .. } if run != self.state.engine.run_id() => {}
            Order::Begin { run, from, until } => {
                let state = |steps| self.state.record.state(steps).cloned();
                let from = from.and_then(|steps| Some((steps, state(steps)?)));
                cluster.start(run, config, text, &Course { from, until });
            }
            Order::Advance(run, until) => cluster.advance(run, until),
            Order::Hop(run, until) => cluster.hop(run, until),
            Order::Resume(run) => cluster.resume(run),
            Order::Pause(run) => cluster.pause(run),
            // Launching is an effect of its own.
            Order::Launch => {}
        }
    }

    /// Keeps the run for the next visit; not too often while it goes on.
    fn remember(&mut self) {
        let now = browser::now_ms();
        let goes = *self.state.engine.phase() == Phase::Running;
        if goes && now - self.remembered_ms < REMEMBER_MS {
            return;
        }
        self.remembered_ms = now;
        if let Some(run) = LastRun::pack(&self.state) {
            yew::platform::spawn_local(store::keep(last_run::key(&self.state), run));
        }
    }

    /// Asks for the state of a running run now and then, so that a reload loses little of it.
    fn ask_for_state(&mut self) {
        let (now, state) = (browser::now_ms(), &self.state);
        let goes = *state.engine.phase() == Phase::Running && state.embed.is_none();
        let is_small = state.record.newest_state().is_none_or(|(_, bytes, _)| bytes.len() <= SMALL);
        let since = now - self.asked_ms.max(self.remembered_ms);
        if goes && is_small && since >= REMEMBER_MS {
            self.asked_ms = now;
            self.carry_out(Effect::SaveState(state.engine.run_id()));
        }
    }

    /// Asks the doctor, who is called first if nobody is there.
    fn consult(&mut self, order: doctor::Order) {
        if self.doctor.as_ref().is_none_or(Doctor::is_gone) {
            let hear = |event| Action::Doctor(doctor::Act::Hear(event));
            self.doctor = Some(Doctor::call(self.on.reform(hear)));
        }
        if let (doctor::Order::Ask, Some(doctor)) = (order, &self.doctor) {
            doctor.ask(self.state.doctor.question(self.state.language));
        }
    }

    fn launch_reference(&mut self) {
        let launch = self.state.reference_launch;
        let on = self.on.reform(move |event| Action::Reference(launch, event));
        let text = self.state.text.as_ref().map(|text| &*text.bytes);
        let from = self.state.origin.as_ref().map(|origin| &*origin.bytes);
        match Reference::launch(self.state.plan.config(), text, from, on) {
            Ok(reference) => self.reference = Some(reference),
            Err(Failure { url, message, .. }) => {
                let failed = ReferenceEvent::Failed(message!("{message} {url}", message, url));
                self.act(Action::Reference(launch, failed));
            }
        }
    }
}

/// The language that `action` makes the page speak.
fn language(action: &Action) -> Option<Language> {
    match action {
        Action::Speak(language) => Some(*language),
        Action::Open(address) => address::read(address).language,
        _ => None,
    }
}

/// What became of a file.
fn kept(is_kept: bool, name: String) -> Kept {
    if is_kept { Kept::As(name) } else { Kept::Not(name) }
}
