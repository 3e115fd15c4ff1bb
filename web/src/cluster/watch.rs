//! Watches that the workers come up, and looks for the cause when they do not.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use plan::message;
use wasm_bindgen_futures::spawn_local;

use super::Failure;
use super::probe::{BadFile, find_bad_file};

/// A worker that is silent this long may have been given a broken file: time to look.
const LOOK_AFTER_MS: u32 = 3_000;
/// A worker that is silent this long will not come, whatever the server says.
const GIVE_UP_AFTER_MS: u32 = 60_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Loading,
    Ready,
    Dead,
}

/// Who is up, who is not, and who is told.
pub struct Watch(Rc<RefCell<Ranks>>);

struct Ranks {
    lives: Vec<Life>,
    report: Option<Rc<dyn Fn(Failure)>>,
    /// One missing file breaks every worker; it is named once.
    blamed: bool,
}

impl Watch {
    /// Nobody is up yet.
    pub fn new(world: usize) -> Self {
        let lives = vec![Life::Loading; world];
        Self(Rc::new(RefCell::new(Ranks { lives, report: None, blamed: false })))
    }

    /// Begins to watch; `report` hears of what went wrong, until this is dropped.
    pub fn begin(&self, report: impl Fn(Failure) + 'static) {
        self.0.borrow_mut().report = Some(Rc::new(report));
        let weak = Rc::downgrade(&self.0);
        spawn_local(async move {
            TimeoutFuture::new(LOOK_AFTER_MS).await;
            let silent = || weak.upgrade().and_then(|ranks| ranks.borrow().first_silent());
            if silent().is_some()
                && let Some(file) = find_bad_file(super::Role::Rank).await
                && let Some(ranks) = weak.upgrade()
            {
                return blame(&ranks, file);
            }
            TimeoutFuture::new(GIVE_UP_AFTER_MS - LOOK_AFTER_MS).await;
            if let (Some(rank), Some(ranks)) = (silent(), weak.upgrade()) {
                let seconds = GIVE_UP_AFTER_MS / 1000;
                let message = message!("the worker has not answered for {seconds} s", seconds);
                let url = super::loader(super::Role::Rank);
                tell(&ranks, Failure { rank: Some(rank), kind: String::new(), url, message });
            }
        });
    }

    /// `rank` listens.
    pub fn set_ready(&self, rank: u16) {
        self.set(rank, Life::Ready);
    }

    /// `rank` is beyond help.
    pub fn set_dead(&self, rank: u16) {
        self.set(rank, Life::Dead);
    }

    /// Whether `rank` is beyond help.
    pub fn is_dead(&self, rank: u16) -> bool {
        self.0.borrow().lives.get(usize::from(rank)) == Some(&Life::Dead)
    }

    /// Reports the file that is to blame for `failure`, or the failure itself if none is.
    pub fn explain(&self, failure: Failure) {
        let weak = Rc::downgrade(&self.0);
        spawn_local(async move {
            let file = find_bad_file(super::Role::Rank).await;
            match (weak.upgrade(), file) {
                (Some(ranks), Some(file)) => blame(&ranks, file),
                (Some(ranks), None) => tell(&ranks, failure),
                (None, _) => {}
            }
        });
    }

    fn set(&self, rank: u16, life: Life) {
        if let Some(entry) = self.0.borrow_mut().lives.get_mut(usize::from(rank)) {
            *entry = life;
        }
    }
}

impl Ranks {
    fn first_silent(&self) -> Option<u16> {
        self.lives.iter().position(|&life| life == Life::Loading).map(|rank| rank as u16)
    }
}

fn blame(ranks: &Rc<RefCell<Ranks>>, file: BadFile) {
    if !std::mem::replace(&mut ranks.borrow_mut().blamed, true) {
        let why = file.message;
        let message = message!("a file of the worker did not load: {why}", why);
        tell(ranks, Failure { rank: None, kind: String::new(), url: file.url, message });
    }
}

fn tell(ranks: &Rc<RefCell<Ranks>>, failure: Failure) {
    let report = ranks.borrow().report.clone();
    if let Some(report) = report {
        report(failure);
    }
}
