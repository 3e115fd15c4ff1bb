//! What is asked for, and by whom: a flag before the file, the file before a variable.

use std::collections::BTreeMap;

use plan::runtime::Launch;

use super::{
    Axis, CpuWish, FsdpVersion, GpuCount, GroupVariables, Ignored, Kind, Legible, Parallelism,
    Sizes, Starter,
};
use crate::document::{Document, Value};
use crate::facts::{Fact, Facts, truth};
use crate::flags::Line;
use crate::read::MAX_COUNT;
use crate::version::{FIRST_WITH_CP, Version};
use crate::yaml::Scalar;

/// Flags that name the kind of run; any of them keeps the file from naming it.
const KIND_FLAGS: [&str; 5] = ["multi_gpu", "tpu", "use_deepspeed", "use_fsdp", "use_megatron_lm"];

/// What can be asked, and where.
pub(super) struct Asked<'a> {
    pub(super) document: Option<&'a Document>,
    pub(super) line: &'a Line,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) gpus: GpuCount,
}

impl Asked<'_> {
    pub(super) fn scalar(&self, key: &str) -> Option<&Scalar> {
        match self.document?.get(key)? {
            Value::Scalar(scalar) => Some(scalar),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    pub(super) fn section(&self, name: &str) -> Option<&Document> {
        match self.document?.get(name)? {
            Value::Map(section) if !section.is_empty() => Some(section),
            _ => None,
        }
    }

    pub(super) fn in_section(&self, section: &str, key: &str) -> Option<&Scalar> {
        match self.section(section)?.get(key)? {
            Value::Scalar(scalar) => Some(scalar),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    pub(super) fn text(&self, flag: &str, key: &str) -> Option<String> {
        let written = || self.scalar(key).map(ToString::to_string);
        self.line.value(flag).map(str::to_owned).or_else(written)
    }

    pub(super) fn number(&self, flag: &str, key: &str) -> Option<u64> {
        self.line.value(flag).and_then(count).or_else(|| number(self.scalar(key)?))
    }

    pub(super) fn variable_holds(&self, name: &str) -> bool {
        self.variables.get(name).is_some_and(|value| truth(value) == Some(true))
    }

    pub(super) fn kind_flag(&self) -> bool {
        KIND_FLAGS.iter().any(|flag| self.line.has(flag))
    }

    pub(super) fn fsdp_version(&self) -> FsdpVersion {
        let written = || {
            let section = "fsdp_config";
            let value = self.in_section(section, "fsdp_version");
            value.or_else(|| self.in_section(section, "version")).map(ToString::to_string)
        };
        let version = self
            .line
            .value("fsdp_version")
            .map(str::to_owned)
            .or_else(written)
            .or_else(|| self.variables.get("FSDP_VERSION").cloned());
        match version.as_deref().map(str::trim) {
            None | Some("1") => FsdpVersion::One,
            // What is neither has a finding of its own, and nothing is to follow from it.
            Some(_) => FsdpVersion::Two,
        }
    }

    pub(super) fn kind(&self, starter: Starter) -> Kind {
        let read_by_launcher = heard(starter);
        let kind = if read_by_launcher { self.launched_kind() } else { Kind::Single };
        let by_variable = match kind {
            Kind::Single | Kind::MultiDevice if self.variable_holds("ACCELERATE_USE_FSDP") => {
                Kind::Fsdp(self.fsdp_version())
            }
            Kind::Single | Kind::MultiDevice if self.variable_holds("ACCELERATE_USE_DEEPSPEED") => {
                Kind::Deepspeed
            }
            kind => kind,
        };
        match (by_variable, starter) {
            (Kind::Single, Starter::Torchrun) => Kind::MultiDevice,
            (kind, _) => kind,
        }
    }

    pub(super) fn launched_kind(&self) -> Kind {
        let by_flag = |flag: &str| self.line.has(flag);
        if by_flag("use_deepspeed") {
            return Kind::Deepspeed;
        }
        if by_flag("use_fsdp") {
            return Kind::Fsdp(self.fsdp_version());
        }
        if by_flag("use_megatron_lm") {
            return Kind::Megatron;
        }
        if by_flag("multi_gpu") {
            return Kind::MultiDevice;
        }
        if by_flag("tpu") {
            return Kind::Xla;
        }
        let written = self.scalar("distributed_type").map(ToString::to_string);
        let meant = written.map(|name| crate::read::meant_kind(&name, self.document));
        let guessed = || self.document.map(crate::read::kind);
        match meant.or_else(guessed) {
            Some("FSDP") => Kind::Fsdp(self.fsdp_version()),
            Some("DEEPSPEED") => Kind::Deepspeed,
            Some("MEGATRON_LM") => Kind::Megatron,
            Some("XLA") => Kind::Xla,
            Some("MULTI_CPU") => Kind::MultiCpu,
            Some(other) if other.starts_with("MULTI_") => Kind::MultiDevice,
            Some(_) => Kind::Single,
            None => self.kind_without_file(),
        }
    }

    /// Without a file, several processes and several GPUs make it the multi-device kind.
    pub(super) fn kind_without_file(&self) -> Kind {
        let several = self.number("num_processes", "num_processes").is_some_and(|n| n > 1);
        let devices = self.gpus != GpuCount::Known(0) && !self.line.has("cpu");
        match (self.document, several, devices) {
            (None, true, true) => Kind::MultiDevice,
            _ => Kind::Single,
        }
    }

    pub(super) fn cpu(&self, kind: Kind, starter: Starter) -> Option<CpuWish> {
        let heard = heard(starter);
        if heard && self.line.has("cpu") {
            return Some(CpuWish::Flag);
        }
        let written = match self.scalar("use_cpu") {
            Some(Scalar::Bool(value)) => *value,
            Some(Scalar::Int(value)) => *value != 0,
            Some(Scalar::Text(text)) => !text.is_empty(),
            _ => false,
        };
        if heard && written {
            return Some(CpuWish::Config);
        }
        let device = self.variables.get("ACCELERATE_TORCH_DEVICE").map(String::as_str);
        if self.variable_holds("ACCELERATE_USE_CPU") || device == Some("cpu") {
            return Some(CpuWish::Environment);
        }
        (kind == Kind::MultiCpu).then_some(CpuWish::Kind)
    }

    /// Whether the launcher sets the variables of the sizes itself, whatever they were before.
    pub(super) fn handed_on(&self, starter: Starter) -> bool {
        if !heard(starter) {
            return false;
        }
        match self.in_section("parallelism_config", "use_parallelism_config") {
            Some(Scalar::Bool(on)) => *on,
            _ if self.line.has("use_parallelism_config") => true,
            _ => self.section("parallelism_config").is_some() && !self.kind_flag(),
        }
    }

    /// A variable of the mesh, unless the launcher sets it anew.
    fn mesh_variable(&self, name: &str, starter: Starter) -> Option<&String> {
        self.variables.get(name).filter(|_| !self.handed_on(starter))
    }

    pub(super) fn sizes(&self, starter: Starter) -> Sizes {
        let mut sizes = Sizes::ONES;
        for axis in Axis::ALL {
            let written = || number(self.in_section("parallelism_config", axis.key())?);
            let size = self
                .line
                .value(axis.key())
                .and_then(count)
                .or_else(written)
                .or_else(|| count(self.mesh_variable(axis.variable(), starter)?));
            sizes.set(axis, size.unwrap_or(1));
        }
        sizes
    }

    pub(super) fn legible(&self, starter: Starter) -> Legible {
        let keys = Axis::ALL.map(Axis::key);
        let flags = keys.iter().copied().chain(["num_processes"]);
        let good_flags = flags.filter_map(|key| self.line.value(key)).all(|v| count(v).is_some());
        let section = match self.document.and_then(|document| document.get("parallelism_config")) {
            Some(Value::Map(section)) => Some(section),
            _ => None,
        };
        let sizes = keys.iter().filter_map(|key| section?.get(*key));
        let processes = self.document.and_then(|document| document.get("num_processes"));
        let good = |value: &Value| matches!(value, Value::Scalar(s) if number(s).is_some());
        // Whoever starts the script by hand says by it how many there are.
        let by_hand = matches!(starter, Starter::Torchrun | Starter::Python);
        let world = self.variables.get("WORLD_SIZE").filter(|_| by_hand);
        let variables =
            Axis::ALL.into_iter().filter_map(|a| self.mesh_variable(a.variable(), starter));
        if good_flags
            && sizes.chain(processes).all(good)
            && variables.chain(world).all(|value| count(value).is_some())
        {
            Legible::Yes
        } else {
            Legible::No
        }
    }

    pub(super) fn parallelism(
        &self,
        starter: Starter,
        sizes: Sizes,
        accelerate: Version,
    ) -> Parallelism {
        let section = self.section("parallelism_config").is_some();
        let flags = Axis::ALL.iter().any(|axis| self.line.has(axis.key()));
        let variables = Axis::ALL.iter().any(|a| self.variables.contains_key(a.variable()));
        let use_flag = self.line.has("use_parallelism_config");
        let use_variable = self.variable_holds("ACCELERATE_USE_PARALLELISM_CONFIG");
        if !(section || flags || variables || use_flag || use_variable) {
            return Parallelism::Unasked;
        }
        if !accelerate.has(FIRST_WITH_CP) {
            return Parallelism::Unsupported;
        }
        let wanted = sizes.product() > 1;
        let ignored = |why| if wanted { Parallelism::Ignored(why) } else { Parallelism::Unasked };
        if use_variable {
            return Parallelism::On;
        }
        if starter == Starter::Notebook {
            return ignored(Ignored::Notebook);
        }
        if !heard(starter) && (section || flags || use_flag) {
            return ignored(Ignored::OtherStarter);
        }
        match self.in_section("parallelism_config", "use_parallelism_config") {
            // The launcher copies the section's keys over its own.
            Some(Scalar::Bool(false)) => return ignored(Ignored::SwitchedOff),
            Some(Scalar::Bool(true)) => return Parallelism::On,
            _ => {}
        }
        if use_flag {
            return Parallelism::On;
        }
        match (section, self.kind_flag()) {
            (true, false) => Parallelism::On,
            (true, true) => ignored(Ignored::KindFlag),
            (false, _) if flags => ignored(Ignored::NoUseFlag),
            (false, _) => ignored(Ignored::NoUseVariable),
        }
    }

    pub(super) fn strategy(&self, starter: Starter) -> Option<String> {
        let key = "parallelism_config_cp_comm_strategy";
        let written = || match self.in_section("parallelism_config", key)? {
            Scalar::Null => None,
            scalar => Some(scalar.to_string()),
        };
        self.line.value(key).map(str::to_owned).or_else(written).or_else(|| {
            let name = "PARALLELISM_CONFIG_CP_COMM_STRATEGY";
            self.mesh_variable(name, starter).cloned()
        })
    }

    pub(super) fn processes(&self, starter: Starter, facts: &Facts, launch: Launch) -> Option<u64> {
        let started = match launch {
            Launch::Mpi { size, .. } => u64::try_from(size).ok(),
            Launch::Alone => None,
        };
        let world = || count(self.variables.get("WORLD_SIZE")?);
        match starter {
            Starter::Notebook => facts
                .number(Fact::Processes)
                .or_else(|| self.number("num_processes", "num_processes")),
            Starter::Torchrun | Starter::Python => started.or_else(world),
            Starter::Launch | Starter::PerhapsNotebook => self
                .number("num_processes", "num_processes")
                .or_else(|| facts.number(Fact::Processes))
                .or(started)
                .or_else(world)
                .or_else(|| match self.scalar("distributed_type") {
                    Some(Scalar::Bool(false)) => Some(1),
                    Some(Scalar::Text(text)) if text == "NO" => Some(1),
                    _ => None,
                }),
        }
    }

    pub(super) fn group(&self, launch: Launch) -> GroupVariables {
        let number = |name: &str| self.variables.get(name).and_then(count);
        // A LOCAL_RANK of -1 counts as not set.
        let local = self.variables.get("LOCAL_RANK").is_some_and(|rank| rank.trim() != "-1");
        if local || number("WORLD_SIZE") > Some(1) {
            return GroupVariables::Present;
        }
        match launch {
            Launch::Mpi { size, .. } if size > 1 => GroupVariables::Mpi,
            Launch::Mpi { .. } | Launch::Alone => GroupVariables::Absent,
        }
    }

    pub(super) fn mpirun(&self) -> bool {
        self.line.has("mpirun_hostfile")
            || self.in_section("mpirun_config", "mpirun_hostfile").is_some()
    }
}

/// Whether the file and the flags are read at all.
fn heard(starter: Starter) -> bool {
    matches!(starter, Starter::Launch | Starter::PerhapsNotebook)
}

fn count(text: impl AsRef<str>) -> Option<u64> {
    text.as_ref().trim().parse().ok().filter(|&number| (1..=MAX_COUNT).contains(&number))
}

/// The number that is meant, in quotes or not.
fn number(scalar: &Scalar) -> Option<u64> {
    match scalar {
        Scalar::Int(number) => {
            u64::try_from(*number).ok().filter(|number| (1..=MAX_COUNT).contains(number))
        }
        Scalar::Text(text) => count(text),
        Scalar::Null | Scalar::Bool(_) | Scalar::Float(_) => None,
    }
}
