//! What the doctor is given.

use std::collections::BTreeMap;

pub use plan::runtime::practice::Machine;
use plan::{Refusal, message};

use crate::misplaced::Misplaced;

/// What the doctor is given; everything may be left out, but not all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// The text of a configuration file as `accelerate config` writes it.
    pub config: Option<String>,
    /// The words typed after `accelerate launch`.
    pub launch: Option<Vec<String>>,
    /// Environment variables, and facts about the script (see [`crate::Fact`]), by name.
    pub settings: BTreeMap<String, String>,
    /// Names of settings that were given more than once; the last value counts.
    pub repeated: Vec<String>,
    /// The text of an error in which a run ended.
    pub error: Option<String>,
    /// Texts that were given as what they are not; each is read for what it is.
    pub misplaced: Vec<Misplaced>,
    /// The version of accelerate, as `pip` prints it.
    pub accelerate: Option<String>,
    /// The version of torch.
    pub torch: Option<String>,
    /// The version of TRL.
    pub trl: Option<String>,
    /// The machine that the run is meant for; left out, it is taken to have what is asked for.
    pub machine: Option<Machine>,
}

impl Input {
    /// Refuses an input that holds nothing to diagnose.
    pub fn check(&self) -> Result<(), Refusal> {
        if *self != Self::default() {
            return Ok(());
        }
        Err(Refusal::new(
            "doctor",
            message!("nothing"),
            message!("there is nothing to diagnose"),
            message!(
                "give a configuration, launch flags after --, an error, a version, a setting or a machine"
            ),
        ))
    }
}
