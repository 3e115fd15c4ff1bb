//! The last run, packed so that it is there after a reload: its numbers, and the state it stood in.

use std::rc::Rc;

use plan::fold::times::Times;
use plan::fold::{Curve, Sent};
use serde::{Deserialize, Serialize};

use crate::app::origin::Origin;
use crate::app::shared::Shared;
use crate::app::state::{OwnText, State};

/// What is packed has this shape; another is not read.
const VERSION: u32 = 1;
/// The largest state that is kept.
const LARGEST: usize = 64 << 20;

/// A run as it stood.
#[derive(Debug, Serialize, Deserialize)]
pub struct LastRun {
    version: u32,
    address: String,
    text: Option<(Option<String>, Vec<u8>)>,
    origin: Option<(String, Vec<u8>)>,
    steps: u32,
    state: Vec<u8>,
    curve: Curve,
    sent: Sent,
    times: Times,
}

/// The part of an address that says which run it is.
fn run_of(address: &str) -> String {
    const BESIDE: [&str; 8] =
        ["view=", "embed=", "panels=", "lang=", "lesson=", "step=", "link_", "slow_"];
    let is_run = |part: &&str| !BESIDE.iter().any(|beside| part.starts_with(beside));
    address.trim_start_matches('#').split('&').filter(is_run).collect::<Vec<_>>().join("&")
}

impl LastRun {
    /// The run of `state` at its newest step whose state is kept; `None` while there is none.
    pub fn pack(state: &State) -> Option<Vec<u8>> {
        let (steps, bytes, (sent, times)) = state.record.newest_state()?;
        if bytes.len() > LARGEST || steps == 0 {
            return None;
        }
        let mut curve = (*state.record.curve).clone();
        curve.forget_from(steps);
        let run = Self {
            version: VERSION,
            address: run_of(&state.run_address(state.place)),
            text: state.text.as_ref().map(|text| (text.name.clone(), text.bytes.to_vec())),
            origin: state.origin.as_ref().map(|o| (o.name.clone(), o.bytes.to_vec())),
            steps,
            state: bytes.to_vec(),
            curve,
            sent: (**sent).clone(),
            times: (**times).clone(),
        };
        postcard::to_allocvec(&run).ok()
    }

    /// What [`Self::pack`] packed; `None` if it was another page's.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        // The version comes first, so that another shape is known before it is read.
        let (version, _) = postcard::take_from_bytes::<u32>(bytes).ok()?;
        (version == VERSION).then(|| postcard::from_bytes(bytes).ok()).flatten()
    }

    /// Whether it is the run that the address of `state` means; what an address cannot carry, a
    /// text or a checkpoint, is taken from here.
    pub fn is_of(&self, state: &State) -> bool {
        let plain = |address: &str| {
            let carried = |part: &&str| !part.starts_with("text=") && !part.starts_with("from=");
            address.split('&').filter(carried).collect::<Vec<_>>().join("&")
        };
        state.text.is_none()
            && plain(&self.address) == plain(&run_of(&state.run_address(state.place)))
    }

    /// Puts it into `state`, and says how many steps it had done.
    pub(super) fn take_up(self, state: &mut State) -> u32 {
        state.text = self.text.map(|(name, bytes)| OwnText { name, bytes: bytes.into() });
        state.used_text = state.text.clone();
        let origin = self.origin.and_then(|(name, bytes)| Origin::open(&name, bytes).ok());
        state.set_origin(origin);
        state.record = state.fresh_record();
        let bytes: Rc<[u8]> = self.state.into();
        state.record.take_up(
            self.steps,
            bytes,
            Shared::new(self.curve),
            (Shared::new(self.sent), Shared::new(self.times)),
        );
        self.steps
    }
}
