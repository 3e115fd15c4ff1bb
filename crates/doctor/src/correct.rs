//! Changes to what was given, so that it becomes a run that works.

mod draft;

use std::collections::BTreeMap;

use crate::document::Value;
use crate::facts::Fact;
use crate::flags;
use crate::input::Input;
use crate::pasted;
use crate::setup::{Axis, CpuWish};

pub(crate) use draft::Draft;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets a key of the file, at the top or in a section.
    Put(Option<&'static str>, &'static str, Value),
    /// The same for a key as the user wrote it.
    PutNamed(Option<&'static str>, String, Value),
    /// Takes a key out of the file.
    Remove(Option<&'static str>, String),
    /// Gives a key of the file its right name.
    Rename(Option<&'static str>, String, &'static str),
    /// Nothing but to write the file again.
    Rewrite,
    /// Sets a flag of the launcher.
    PutFlag(&'static str, Option<String>),
    /// Takes a flag out.
    RemoveFlag(String),
    /// Sets a variable.
    PutVariable(&'static str, &'static str),
    /// Takes a variable out.
    RemoveVariable(String),
    /// Changes the script.
    Script(Fact, String),
    /// Asks for a version of accelerate.
    Accelerate(&'static str),
    /// Asks for a version of torch.
    Torch(&'static str),
    /// Asks for the number of processes.
    Processes(u64),
    /// Asks for a size of the mesh.
    Size(Axis, u64),
    /// Names how keys and values travel.
    Strategy(&'static str),
    /// Has the sizes acted on.
    UseParallelism,
    /// Makes it an FSDP2 run.
    UseFsdp2,
    /// Takes back the wish for the CPU.
    LeaveCpu(CpuWish),
    /// Makes it one plain process on the CPU.
    PlainCpu,
}

/// The corrected run, ready to copy.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Corrected {
    /// The configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The line for the launcher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<String>,
    /// The variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Packages to install, as pip takes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<String>,
    /// What to change in the script by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<String>,
}

impl Corrected {
    /// What changed from `before` to `after`, and the texts to copy.
    pub(crate) fn new(before: &Input, after: &Input) -> Self {
        let mut install = Vec::new();
        for (package, old, new) in [
            ("accelerate", &before.accelerate, &after.accelerate),
            ("torch", &before.torch, &after.torch),
        ] {
            if let Some(version) = new.as_ref().filter(|_| old != new) {
                install.push(format!("{package}>={version}"));
            }
        }
        let is_fact = |name: &str| Fact::named(name).is_some();
        let script = after
            .settings
            .iter()
            .filter(|(name, value)| is_fact(name) && before.settings.get(*name) != Some(value))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let environment = after
            .settings
            .iter()
            .filter(|(name, _)| !is_fact(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let launch = after.launch.as_ref().map(|words| {
            // What starts something else names it itself.
            let launch: &[&str] = match pasted::foreign(words) {
                Some(_) => &[],
                None => &["accelerate", "launch"],
            };
            let launch = launch.iter().map(|&word| word.to_owned());
            flags::join(&launch.chain(words.clone()).collect::<Vec<_>>())
        });
        Self { config: after.config.clone(), launch, environment, install, script }
    }
}
