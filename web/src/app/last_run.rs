//! The last run, packed so that it is there after a reload: its numbers, the state it stood in, and
//! the run that is kept beside it.

use std::rc::Rc;

use plan::fold::times::Times;
use plan::fold::{Curve, Sent};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::app::address;
use crate::app::beside::{Beside, Source};
use crate::app::cost::Costs;
use crate::app::notice::Notice;
use crate::app::origin::Origin;
use crate::app::places::Place;
use crate::app::record::Counted;
use crate::app::shared::Shared;
use crate::app::state::{OwnText, State};

/// What is packed has this shape; another is not read.
const VERSION: u32 = 3;
/// The largest state that is kept.
const LARGEST: usize = 64 << 20;

/// A run as it stood; before its first step it is no more than the user's text and what is kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct LastRun {
    version: u32,
    address: String,
    text: Option<(Option<String>, ByteBuf)>,
    origin: Option<(String, ByteBuf)>,
    steps: u32,
    #[serde(with = "serde_bytes")]
    state: Vec<u8>,
    numbers: Numbers,
    sent: Sent,
    times: Times,
    /// The run that is kept to compare with.
    beside: Option<Kept>,
}

/// A run that is kept to compare with.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    address: String,
    numbers: Numbers,
    text: Option<(Option<String>, ByteBuf)>,
    origin: Option<(String, ByteBuf)>,
}

/// A run's numbers step by step.
#[derive(Debug, Serialize, Deserialize)]
struct Numbers {
    curve: Curve,
    costs: Costs,
}

/// What says which run `state` means: its settings, that it reads an own text, and the step of the
/// checkpoint that it begins from. Of those an address has no more than the words, and the page may
/// not have them yet.
pub fn key(state: &State) -> String {
    let has_text = state.text.is_some() || state.notices.contains(&Notice::OwnText);
    let named = state.notices.iter().find_map(|notice| match notice {
        Notice::Checkpoint(steps) => steps.parse().ok(),
        _ => None,
    });
    let from = state.origin.as_ref().map(|origin| origin.steps()).or(named);
    run_of(&state.address_of(state.place, has_text, from))
}

/// The part of an address that says which run it is.
fn run_of(address: &str) -> String {
    const BESIDE: [&str; 8] =
        ["view=", "embed=", "panels=", "lang=", "lesson=", "step=", "link_", "slow_"];
    let is_run = |part: &&str| !BESIDE.iter().any(|beside| part.starts_with(beside));
    address.trim_start_matches('#').split('&').filter(is_run).collect::<Vec<_>>().join("&")
}

fn of_text(text: &OwnText) -> (Option<String>, ByteBuf) {
    (text.name.clone(), ByteBuf::from(&*text.bytes))
}

fn to_text((name, bytes): (Option<String>, ByteBuf)) -> OwnText {
    OwnText { name, bytes: bytes.into_vec().into() }
}

fn of_origin(origin: &Origin) -> (String, ByteBuf) {
    (origin.name.clone(), ByteBuf::from(&*origin.bytes))
}

impl LastRun {
    /// The run of `state` at its newest step whose state is kept; `None` while there is none. Of a
    /// run that has not begun it is the text, even one that its settings refuse, and what is kept.
    pub fn pack(state: &State) -> Option<Vec<u8>> {
        let nothing = (Rc::default(), Counted::default());
        let newest = state.record.newest_state().filter(|(steps, ..)| *steps > 0);
        let is_new = state.record.furthest() == 0;
        let (steps, bytes, (sent, times)) =
            newest.or_else(|| is_new.then_some((0, &nothing.0, &nothing.1)))?;
        if bytes.len() > LARGEST {
            return None;
        }
        let mut curve = (*state.record.curve).clone();
        let mut costs = (*state.record.figures.costs).clone();
        curve.forget_from(steps);
        costs.forget_from(steps);
        let kept = |beside: &Shared<Beside>| {
            let address = address::write(Place::default(), &beside.form, false, false, None);
            let (curve, costs) = ((*beside.curve).clone(), (*beside.costs).clone());
            let Source { text, origin } = &beside.source;
            let numbers = Numbers { curve, costs };
            let (text, origin) = (text.as_ref().map(of_text), origin.as_deref().map(of_origin));
            Kept { address, numbers, text, origin }
        };
        let run = Self {
            version: VERSION,
            address: run_of(&state.run_address(state.place)),
            text: state.text.as_ref().map(of_text),
            origin: state.origin.as_deref().map(of_origin),
            steps,
            state: bytes.to_vec(),
            numbers: Numbers { curve, costs },
            sent: (**sent).clone(),
            times: (**times).clone(),
            beside: state.beside.as_ref().map(kept),
        };
        postcard::to_allocvec(&run).ok()
    }

    /// What [`Self::pack`] packed; `None` if it was another page's.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        // The version comes first, so that another shape is known before it is read.
        let (version, _) = postcard::take_from_bytes::<u32>(bytes).ok()?;
        (version == VERSION).then(|| postcard::from_bytes(bytes).ok()).flatten()
    }

    /// Whether it is the run that the address of `state` means; what that can only name, a text or a
    /// checkpoint, is here.
    pub fn is_of(&self, state: &State) -> bool {
        state.text.is_none() && self.address == key(state)
    }

    /// Steps that it had done.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// The text that it reads, if that is the user's own.
    pub(super) fn text(&mut self) -> Option<OwnText> {
        self.text.take().map(to_text)
    }

    /// The run that was kept to compare with.
    pub(super) fn beside(&mut self) -> Option<Shared<Beside>> {
        let Kept { address, numbers: Numbers { curve, costs }, text, origin } =
            self.beside.take()?;
        let form = address::read(&address).form;
        let plan = form.plan(None).ok()?;
        let (curve, costs) = (Shared::new(curve), Shared::new(costs));
        let origin = origin.and_then(|(name, bytes)| Origin::open(&name, bytes.into_vec()).ok());
        let source = Source { text: text.map(to_text), origin: origin.map(Rc::new) };
        Some(Shared::new(Beside { form, plan, source, curve, costs }))
    }

    /// Puts it into `state`.
    pub(super) fn take_up(mut self, state: &mut State) {
        state.text = self.text();
        state.used_text = state.text.clone();
        let origin = self.origin.and_then(|(name, bytes)| {
            let mut origin = Origin::open(&name, bytes.into_vec()).ok()?;
            let mut before = self.numbers.curve.clone();
            before.forget_from(origin.steps());
            origin.before = Shared::new(before);
            Some(origin)
        });
        state.set_origin(origin);
        state.record = state.fresh_record();
        let bytes: Rc<[u8]> = self.state.into();
        state.record.curve = Shared::new(self.numbers.curve);
        state.record.figures.costs = Shared::new(self.numbers.costs);
        let counted = (Shared::new(self.sent), Shared::new(self.times));
        state.record.take_up(self.steps, bytes, counted);
    }
}
