//! What was given, while it is changed.

use std::collections::BTreeMap;

use plan::runtime::Launcher;

use super::Edit;
use crate::document::{Document, Value};
use crate::facts::Fact;
use crate::flags::Line;
use crate::input::Input;
use crate::script;
use crate::setup::Axis;

/// What was given, while it is changed.
pub(crate) struct Draft {
    pub(crate) document: Option<Document>,
    pub(crate) line: Option<Line>,
    pub(crate) input: Input,
}

impl Draft {
    /// Makes one change, where there is something to change.
    pub(crate) fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Put(section, key, value) => self.put(*section, key, value.clone()),
            Edit::PutNamed(section, key, value) => self.put(*section, key, value.clone()),
            Edit::Remove(section, key) => self.remove(*section, key),
            Edit::Rename(section, from, to) => self.rename(*section, from, to),
            Edit::Rewrite => {}
            Edit::PutFlag(name, value) => self.put_flag(name, value.clone()),
            Edit::RemoveFlag(name) => self.remove_flag(name),
            Edit::PutVariable(name, value) => {
                self.input.settings.insert((*name).to_owned(), (*value).to_owned());
            }
            Edit::RemoveVariable(name) => {
                self.input.settings.remove(name);
            }
            Edit::Script(fact, value) => self.script(*fact, value),
            Edit::Accelerate(version) => self.input.accelerate = Some((*version).to_owned()),
            Edit::Torch(version) => self.input.torch = Some((*version).to_owned()),
            Edit::Processes(number) => self.processes(*number),
            Edit::Size(axis, size) => self.size(*axis, *size),
            Edit::Strategy(name) => self.strategy(name),
            Edit::UseParallelism => self.use_parallelism(),
            Edit::UseFsdp2 => self.use_fsdp2(),
            Edit::LeaveCpu(_) => self.leave_cpu(),
            Edit::PlainCpu => self.plain_cpu(),
        }
    }

    fn put(&mut self, section: Option<&str>, key: &str, value: Value) {
        let Some(document) = &mut self.document else { return };
        let Some(section) = section else {
            document.insert(key.to_owned(), value);
            return;
        };
        let entry = document.entry(section.to_owned()).or_insert_with(empty);
        if !matches!(entry, Value::Map(_)) {
            *entry = empty();
        }
        if let Value::Map(map) = entry {
            map.insert(key.to_owned(), value);
        }
    }

    fn remove(&mut self, section: Option<&str>, key: &str) {
        let Some(document) = &mut self.document else { return };
        match section {
            None => {
                document.remove(key);
            }
            Some(section) => {
                if let Some(Value::Map(map)) = document.get_mut(section) {
                    map.remove(key);
                }
            }
        }
    }

    fn rename(&mut self, section: Option<&str>, from: &str, to: &str) {
        let Some(document) = &mut self.document else { return };
        let map = match section {
            None => Some(document),
            Some(section) => match document.get_mut(section) {
                Some(Value::Map(map)) => Some(map),
                _ => None,
            },
        };
        if let Some(map) = map
            && let Some(value) = map.remove(from)
        {
            map.entry(to.to_owned()).or_insert(value);
        }
    }

    fn put_flag(&mut self, name: &str, value: Option<String>) {
        self.line.get_or_insert_default().put(name, value);
    }

    fn remove_flag(&mut self, name: &str) {
        if let Some(line) = &mut self.line {
            line.remove(name);
        }
    }

    /// A fact is set anew where it was given: in the script's own arguments, by name, or in both.
    /// One that follows from others was given in neither, and is set by name.
    fn script(&mut self, fact: Fact, value: &str) {
        let stated =
            self.line.as_mut().is_some_and(|line| script::set(&mut line.script, fact, value));
        let settings = &mut self.input.settings;
        let before = settings.len();
        settings.retain(|name, _| Fact::named(name) != Some(fact));
        if !stated || settings.len() < before {
            settings.insert(fact.name().to_owned(), value.to_owned());
        }
    }

    fn processes(&mut self, number: u64) {
        self.remove_flag("num_processes");
        if self.document.is_some() {
            self.put(None, "num_processes", Value::int(number));
        } else if self.line.is_some() {
            self.put_flag("num_processes", Some(number.to_string()));
        }
        let set: Vec<String> = self
            .input
            .settings
            .keys()
            .filter(|name| {
                Fact::named(name) == Some(Fact::Processes)
                    || *name == "WORLD_SIZE"
                    || Launcher::ALL.iter().any(|l| l.variables()[0] == name.as_str())
            })
            .cloned()
            .collect();
        for name in set {
            self.input.settings.insert(name, number.to_string());
        }
    }

    fn size(&mut self, axis: Axis, size: u64) {
        self.remove_flag(axis.key());
        if self.document.is_some() {
            self.put(Some("parallelism_config"), axis.key(), Value::int(size));
        } else if self.line.is_some() {
            self.put_flag(axis.key(), Some(size.to_string()));
        }
        if let Some(value) = self.input.settings.get_mut(axis.variable()) {
            *value = size.to_string();
        }
    }

    fn strategy(&mut self, name: &str) {
        let key = "parallelism_config_cp_comm_strategy";
        self.remove_flag(key);
        if self.document.is_some() {
            self.put(Some("parallelism_config"), key, Value::text(name));
        } else if self.line.is_some() {
            self.put_flag(key, Some(name.to_owned()));
        }
        if let Some(value) = self.input.settings.get_mut("PARALLELISM_CONFIG_CP_COMM_STRATEGY") {
            *value = name.to_owned();
        }
    }

    fn use_parallelism(&mut self) {
        self.remove(Some("parallelism_config"), "use_parallelism_config");
        let kinds = ["multi_gpu", "tpu", "use_deepspeed", "use_fsdp", "use_megatron_lm"];
        let section = |document: &Document| document.contains_key("parallelism_config");
        let written = self.document.as_ref().is_some_and(section);
        // With its flag the launcher would set the variables of the sizes anew.
        let by_flag =
            |line: &Line| has_sizes(line) || (written && kinds.iter().any(|kind| line.has(kind)));
        if self.line.as_ref().is_some_and(by_flag) {
            self.put_flag("use_parallelism_config", None);
        } else if !written {
            let name = "ACCELERATE_USE_PARALLELISM_CONFIG".to_owned();
            self.input.settings.insert(name, "true".to_owned());
        }
        let other = self.input.settings.iter().any(|(name, value)| {
            let others = ["notebook", "notebook_launcher", "torchrun", "python"];
            Fact::named(name) == Some(Fact::Launcher) && others.contains(&value.as_str())
        });
        if other {
            self.script(Fact::Launcher, "accelerate");
        }
    }

    fn use_fsdp2(&mut self) {
        self.remove(Some("fsdp_config"), "version");
        if self.document.is_some() {
            self.put(None, "distributed_type", Value::text("FSDP"));
            self.put(Some("fsdp_config"), "fsdp_version", Value::int(2));
            self.remove(None, "deepspeed_config");
            self.remove(None, "megatron_lm_config");
        }
        let Some(line) = &mut self.line else {
            if self.document.is_none() {
                for (name, value) in [("ACCELERATE_USE_FSDP", "true"), ("FSDP_VERSION", "2")] {
                    self.input.settings.insert(name.to_owned(), value.to_owned());
                }
            }
            return;
        };
        let named = ["multi_gpu", "tpu", "use_deepspeed", "use_megatron_lm", "cpu", "use_fsdp"];
        let by_flag = has_sizes(line) || named.iter().any(|name| line.has(name));
        if by_flag || self.document.is_none() {
            named.iter().for_each(|name| line.remove(name));
            line.put("use_fsdp", None);
            line.put("fsdp_version", Some("2".to_owned()));
            if self.document.is_some() || has_sizes(line) {
                line.put("use_parallelism_config", None);
            }
        } else {
            line.remove("fsdp_version");
            line.remove("use_parallelism_config");
        }
    }

    fn leave_cpu(&mut self) {
        self.remove_flag("cpu");
        if self.document.as_ref().is_some_and(|d| d.contains_key("use_cpu")) {
            self.put(None, "use_cpu", Value::bool(false));
        }
        let settings = &mut self.input.settings;
        settings.remove("ACCELERATE_USE_CPU");
        if settings.get("ACCELERATE_TORCH_DEVICE").is_some_and(|device| device == "cpu") {
            settings.remove("ACCELERATE_TORCH_DEVICE");
        }
    }

    fn plain_cpu(&mut self) {
        if let Some(document) = &mut self.document {
            for key in ["fsdp_config", "deepspeed_config", "parallelism_config"] {
                document.remove(key);
            }
            document.remove("megatron_lm_config");
            document.remove("fp8_config");
            document.insert("distributed_type".to_owned(), Value::text("NO"));
            document.insert("use_cpu".to_owned(), Value::bool(true));
            if document.get("mixed_precision").is_some_and(needs_gpu) {
                document.insert("mixed_precision".to_owned(), Value::text("no"));
            }
        }
        if let Some(line) = &mut self.line {
            let gone = |name: &str| {
                ["multi_gpu", "tpu"].contains(&name)
                    || ["use_", "fsdp_", "deepspeed_", "parallelism_config_", "fp8_", "zero"]
                        .iter()
                        .any(|family| name.starts_with(family))
            };
            line.flags.retain(|flag| !gone(&flag.name));
            if ["fp8", "fp16"].map(Some).contains(&line.value("mixed_precision")) {
                line.put("mixed_precision", Some("no".to_owned()));
            }
            if self.document.is_none() {
                line.put("cpu", None);
            }
        }
        self.input.settings.retain(|name, _| {
            let family = name.starts_with("PARALLELISM_CONFIG_") || name.starts_with("FSDP_");
            let single = ["ACCELERATE_USE_FSDP", "ACCELERATE_USE_DEEPSPEED"];
            let switch = ["ACCELERATE_USE_PARALLELISM_CONFIG", "ACCELERATE_TORCH_DEVICE"];
            !family && !single.contains(&name.as_str()) && !switch.contains(&name.as_str())
        });
        self.processes(1);
    }

    /// What was given, changed.
    pub(crate) fn finish(self) -> Input {
        let mut input = self.input;
        if let Some(document) = &self.document {
            input.config = Some(crate::document::write(document));
        }
        if input.launch.is_some() || self.line.as_ref().is_some_and(|l| !l.flags.is_empty()) {
            input.launch = self.line.map(|line| line.words());
        }
        input
    }
}

/// Whether sizes of the mesh are given by flags.
fn has_sizes(line: &Line) -> bool {
    Axis::ALL.iter().any(|axis| line.has(axis.key()))
}

fn needs_gpu(value: &Value) -> bool {
    *value == Value::text("fp8") || *value == Value::text("fp16")
}

fn empty() -> Value {
    Value::Map(BTreeMap::new())
}
