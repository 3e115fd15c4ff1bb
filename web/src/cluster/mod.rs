//! The page's side of a run: the ranks' workers, what they are told, and what they say.

mod address;
mod code;
mod grants;
mod handle;
mod limits;
mod mesh;
mod probe;
mod rest;
mod verdicts;
mod watch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use plan::command::{Command, Report, RunId};
use plan::event::EventKind;
use plan::{Message, RunConfig, message};
use yew::Callback;

use crate::build_id::BUILD_ID;
use grants::Grants;
use handle::{Handle, Heard};
use verdicts::Verdicts;
use watch::Watch;

pub use address::Role;
pub(crate) use address::{file, loader, part};
pub use limits::{Limits, Stop};
#[cfg(feature = "worker")]
pub(crate) use mesh::ports;
pub(crate) use probe::find_bad_file;
pub use rest::{fill_the_cores, is_hidden};

/// A world of workers, one a rank; they end when this is dropped.
pub struct Cluster(Rc<Inner>);

/// What the workers say.
#[derive(Clone, Debug, PartialEq)]
pub enum ClusterEvent {
    /// A worker listens, and is of the page's own build.
    Ready {
        /// Its rank.
        rank: u16,
    },
    /// A rank reports.
    Report {
        /// The rank.
        rank: u16,
        /// What it reports.
        report: Report,
    },
    /// A limit was reached: no more steps are granted.
    Stopped(RunId, Stop),
    /// A worker could not be loaded, or broke outside any run.
    Failure(Failure),
}

/// Why a worker cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rank, if it is not all of them.
    pub rank: Option<u16>,
    /// What kind of error a rank's own is, as one word; empty for what befell a worker.
    pub kind: String,
    /// The file that is to blame, or empty.
    pub url: String,
    /// What is wrong, and what may help.
    pub message: Message,
}

impl Failure {
    /// What a rank says of itself.
    pub fn of_rank(rank: u16, kind: String, message: Message) -> Self {
        Self { rank: Some(rank), kind, url: String::new(), message }
    }
}

/// Where a run begins, and how far it goes at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Steps done, and the checkpoint that holds the state after them; `None` is the seed's state.
    pub from: Option<(u32, Rc<[u8]>)>,
    /// Trains up to this step and rests; `None` trains on.
    pub until: Option<u32>,
}

struct Inner {
    url: String,
    workers: RefCell<Vec<Handle>>,
    grants: RefCell<Option<(RunId, Grants)>>,
    limits: Cell<Limits>,
    /// Seconds that the run has trained since it began or went on.
    trained_s: Cell<f64>,
    /// The next grant, where the user wants to watch.
    later: RefCell<Option<Timeout>>,
    granted_ms: Cell<f64>,
    /// Who hears when the ranks rest.
    on_rest: RefCell<Option<Callback<()>>>,
    /// Ends a rest that nobody ends.
    rest_ends: RefCell<Option<Timeout>>,
    /// The first run's time zero, which later ones share.
    epoch_ms: Cell<Option<f64>>,
    verdicts: RefCell<Verdicts>,
    watch: Watch,
    /// Has the browser compile what a step needs, until the ranks are wired.
    warm_up: RefCell<Option<Handle>>,
    wired: Cell<bool>,
    on_event: Callback<ClusterEvent>,
}

impl Cluster {
    /// Starts `world` workers; `on_event` hears when each is ready, and all that follows.
    pub fn launch(world: u16, on_event: Callback<ClusterEvent>) -> Result<Self, Failure> {
        let inner = Rc::new(Inner {
            url: loader(Role::Rank),
            workers: RefCell::default(),
            grants: RefCell::default(),
            limits: Cell::default(),
            trained_s: Cell::default(),
            later: RefCell::default(),
            granted_ms: Cell::default(),
            on_rest: RefCell::default(),
            rest_ends: RefCell::default(),
            epoch_ms: Cell::default(),
            verdicts: RefCell::default(),
            watch: Watch::new(usize::from(world)),
            warm_up: RefCell::default(),
            wired: Cell::default(),
            on_event,
        });
        for rank in 0..world {
            let weak = Rc::downgrade(&inner);
            let hear = move |heard| {
                if let Some(inner) = weak.upgrade() {
                    inner.hear(rank, heard);
                }
            };
            let worker = Handle::start(&inner.url, hear).map_err(|error| Failure {
                rank: Some(rank),
                kind: String::new(),
                url: inner.url.clone(),
                message: message!(
                    "the browser starts no worker: {error}",
                    error = format!("{error:?}")
                ),
            })?;
            inner.workers.borrow_mut().push(worker);
        }
        let weak = Rc::downgrade(&inner);
        inner.watch.begin(move |failure| {
            if let Some(inner) = weak.upgrade() {
                inner.fail(failure);
            }
        });
        Ok(Self(inner))
    }

    /// Begins a run on all ranks, with fresh links between them; an earlier one ends.
    pub fn start(&self, run: RunId, config: &RunConfig, text: Option<&[u8]>, course: &Course) {
        let inner = &self.0;
        let steps = course.from.as_ref().map_or(0, |(steps, _)| *steps);
        let mut grants = Grants::new(inner.workers.borrow().len(), steps);
        grants.set_close(inner.limits.get().are_close());
        *inner.on_rest.borrow_mut() = None;
        *inner.rest_ends.borrow_mut() = None;
        // The first step fills the whole page.
        if inner.is_crowded() && course.until.is_none() {
            grants.rest();
        }
        let until = match course.until {
            Some(until) => grants.advance(until),
            None => grants.resume(),
        };
        *inner.grants.borrow_mut() = Some((run, grants));
        *inner.later.borrow_mut() = None;
        inner.begin_again();
        let epoch_ms = inner.epoch_ms.get().unwrap_or_else(now_ms);
        inner.epoch_ms.set(Some(epoch_ms));
        self.wire(|rank| Command::Start {
            run,
            rank,
            config: Box::new(config.clone()),
            text: text.map(<[u8]>::to_vec),
            from: course.from.as_ref().map(|(_, bytes)| bytes.to_vec()),
            until,
            epoch_ms,
        });
        if course.until.is_some() {
            inner.tell_all(&Command::Pause { run });
        }
    }

    /// Lets the run go on.
    pub fn resume(&self, run: RunId) {
        self.0.begin_again();
        self.0.grant(run, |grants| {
            let until = grants.resume();
            Command::Resume { run, until }
        });
    }

    /// Grants no more steps: the ranks say [`Report::Paused`] once they stand after the same one.
    pub fn pause(&self, run: RunId) {
        *self.0.later.borrow_mut() = None;
        self.0.grant(run, |grants| {
            grants.pause();
            Command::Pause { run }
        });
    }

    /// Grants the steps up to `until`, and no more.
    pub fn advance(&self, run: RunId, until: u32) {
        self.0.grant(run, |grants| {
            let until = grants.advance(until);
            Command::Step { run, until }
        });
    }

    /// Grants one ring step of the steps up to `until`.
    pub fn hop(&self, run: RunId, until: u32) {
        self.0.grant(run, |grants| {
            let until = grants.advance(until);
            Command::Hop { run, until }
        });
    }

    /// Asks rank 0 for the state: it says [`Report::Snapshot`].
    pub fn save(&self, run: RunId) {
        if let Some(worker) = self.0.workers.borrow().first() {
            worker.send(&Command::Save { run }, &[]);
        }
    }

    /// How fast the run may go and when it stops, from now on.
    pub fn set_limits(&self, limits: Limits) {
        self.0.limits.set(limits);
        if let Some((_, grants)) = &mut *self.0.grants.borrow_mut() {
            grants.set_close(limits.are_close());
        }
        // What waits for a slower pace is granted at the new one.
        *self.0.later.borrow_mut() = None;
        self.0.extend();
    }

    /// Tests and times the links between the workers; one report brings the answer of all.
    pub fn self_test(&self, run: RunId) {
        let world_size = self.0.workers.borrow().len() as u16;
        self.wire(|rank| Command::SelfTest { run, rank, world_size });
    }

    /// Times steps that nobody watches, after some that warm up; every rank reports.
    pub fn measure(&self, run: RunId, config: &RunConfig, warm_up: u32, steps: u32) {
        self.wire(|rank| Command::Measure {
            run,
            rank,
            config: Box::new(config.clone()),
            warm_up,
            steps,
        });
    }

    /// Sends each rank its command, with a fresh port to every other rank.
    fn wire(&self, command: impl Fn(u16) -> Command) {
        self.0.wired.set(true);
        *self.0.warm_up.borrow_mut() = None;
        let workers = self.0.workers.borrow();
        match mesh::ports(workers.len()) {
            Ok(mesh) => {
                for (rank, (worker, ports)) in workers.iter().zip(mesh).enumerate() {
                    worker.send(&command(rank as u16), &ports);
                }
            }
            Err(error) => self.0.fail(Failure {
                rank: None,
                kind: String::new(),
                url: String::new(),
                message: message!(
                    "the browser gives no message channel: {error}",
                    error = format!("{error:?}")
                ),
            }),
        }
    }
}

impl Inner {
    fn tell_all(&self, command: &Command) {
        for worker in self.workers.borrow().iter() {
            worker.send(command, &[]);
        }
    }

    /// Changes the grants of `run`, if it is the current one, and tells all ranks.
    fn grant(&self, run: RunId, change: impl FnOnce(&mut Grants) -> Command) {
        let command = match &mut *self.grants.borrow_mut() {
            Some((current, grants)) if *current == run => change(grants),
            _ => return,
        };
        self.tell_all(&command);
    }

    fn hear(self: &Rc<Self>, rank: u16, heard: Heard) {
        match heard {
            Heard::Report(Report::Ready { build }) => self.greet(rank, &build),
            Heard::Report(report) => {
                if matches!(report, Report::Panicked { .. }) {
                    self.watch.set_dead(rank);
                }
                if matches!(report, Report::Panicked { .. } | Report::Failed { .. }) {
                    // Nobody will rest any more.
                    self.go_on();
                }
                if let Report::Finished { run } = report {
                    self.end(run);
                }
                self.follow(rank, &report);
                let world = self.workers.borrow().len();
                let report = self.verdicts.borrow_mut().add(world, rank, report);
                if let Some(report) = report {
                    self.on_event.emit(ClusterEvent::Report { rank, report });
                }
            }
            // What a dead worker throws is the echo of its panic.
            _ if self.watch.is_dead(rank) => {}
            Heard::NotLoaded { url, message } => {
                self.watch.set_dead(rank);
                self.watch.explain(Failure {
                    rank: Some(rank),
                    kind: String::new(),
                    url: url.unwrap_or_else(|| self.url.clone()),
                    message: if message.is_empty() {
                        message!("the worker did not load, and the browser does not say why")
                    } else {
                        message!("the worker did not load: {message}", message)
                    },
                });
            }
            Heard::Threw(text) => {
                // A panic would have told its text first.
                let message = message!(
                    "{text}: the worker died without a word of its own, perhaps for lack of \
                     memory; try fewer tokens or a smaller model",
                    text
                );
                self.watch.set_dead(rank);
                self.fail(Failure {
                    rank: Some(rank),
                    kind: String::new(),
                    url: self.url.clone(),
                    message,
                });
            }
        }
    }

    fn greet(self: &Rc<Self>, rank: u16, build: &str) {
        if build != BUILD_ID {
            self.watch.set_dead(rank);
            let message = message!(
                "version mismatch: the page is build {own} and this file is build {build}; reload \
                 the page",
                own = BUILD_ID,
                build
            );
            return self.fail(Failure {
                rank: Some(rank),
                kind: String::new(),
                url: self.url.clone(),
                message,
            });
        }
        self.watch.set_ready(rank);
        let workers = self.workers.borrow();
        if let Some(worker) = workers.get(usize::from(rank)) {
            worker.set_ready();
        }
        if workers.iter().all(Handle::is_ready) && !self.wired.get() {
            // Without it the first step takes a little longer; nothing else is lost.
            *self.warm_up.borrow_mut() = Handle::start(&loader(Role::WarmUp), |_| {}).ok();
        }
        self.on_event.emit(ClusterEvent::Ready { rank });
    }

    /// The run's time for its limits begins anew.
    fn begin_again(&self) {
        self.trained_s.set(0.0);
        self.granted_ms.set(f64::NEG_INFINITY);
    }

    /// Grants more as the ranks finish their steps, unless a limit was reached.
    fn follow(self: &Rc<Self>, rank: u16, report: &Report) {
        let Report::Events { run, events, .. } = report else { return };
        let ended = |event: &&plan::Event| matches!(event.kind, EventKind::StepEnd { .. });
        let Some(last) = events.iter().rev().find(ended) else { return };
        match &mut *self.grants.borrow_mut() {
            Some((current, grants)) if current == run => {
                grants.done(usize::from(rank), last.step + 1);
            }
            _ => return,
        }
        if rank == 0 {
            let took: u64 = events.iter().filter(ended).map(plan::Event::took_us).sum();
            self.trained_s.set(self.trained_s.get() + took as f64 * 1e-6);
            self.keep_close(last.took_us());
            self.stop_if_due(*run, events);
        }
        self.tell_of_rest();
        self.extend();
    }

    /// The last step is done: what was granted beyond it nobody will do.
    fn end(self: &Rc<Self>, run: RunId) {
        if let Some((_, grants)) = self.grants.borrow_mut().as_mut().filter(|(of, _)| *of == run) {
            grants.pause();
        }
        self.tell_of_rest();
    }

    fn stop_if_due(&self, run: RunId, events: &[plan::Event]) {
        let goes = self.grants.borrow().as_ref().is_some_and(|(_, grants)| grants.is_going());
        let stop = self.limits.get().stop(events, self.trained_s.get()).filter(|_| goes);
        if let Some(stop) = stop {
            self.grant(run, |grants| {
                grants.pause();
                Command::Pause { run }
            });
            self.on_event.emit(ClusterEvent::Stopped(run, stop));
        }
    }

    /// Grants what is due: at once, or when the user's pace allows it.
    fn extend(self: &Rc<Self>) {
        let is_due = self.grants.borrow().as_ref().is_some_and(|(_, grants)| grants.is_due());
        if !is_due || self.later.borrow().is_some() {
            return;
        }
        let paced = |step_ms| self.granted_ms.get() + step_ms - now_ms();
        let rest = self.limits.get().step_ms.map_or(0.0, paced);
        if rest > 0.0 {
            let weak = Rc::downgrade(self);
            let grant = move || {
                if let Some(inner) = weak.upgrade() {
                    inner.later.borrow_mut().take();
                    inner.extend_now();
                }
            };
            *self.later.borrow_mut() = Some(Timeout::new(rest.ceil() as u32, grant));
        } else {
            self.extend_now();
        }
    }

    fn extend_now(&self) {
        let extended = match &mut *self.grants.borrow_mut() {
            Some((run, grants)) => grants.extend().map(|until| (*run, until)),
            None => None,
        };
        if let Some((run, until)) = extended {
            self.granted_ms.set(now_ms());
            self.tell_all(&Command::Resume { run, until });
        }
    }

    fn fail(self: &Rc<Self>, failure: Failure) {
        // Nobody will rest any more.
        self.go_on();
        self.on_event.emit(ClusterEvent::Failure(failure));
    }
}

/// Milliseconds on the clock that page and workers share.
fn now_ms() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.time_origin() + performance.now())
}
