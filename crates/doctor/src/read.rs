//! Reads a configuration: what can be used of it, and what is wrong with its keys and values.

mod value;

use plan::{Message, message};

use crate::correct::Edit;
use crate::document::{Document, Value, key_text};
use crate::finding::{Finding, Id, Severity, Stage};
use crate::keys::{self, Key, Shape};
use crate::nearest::nearest;
use crate::version::{BROKEN, REPAIRED, Version};
use crate::yaml::{self, Kind, Node, Place, Scalar};
use value::{expected, fault};

/// The largest number of processes or size that is taken seriously.
pub const MAX_COUNT: u64 = 1_000_000;

/// A flag that is easily taken for a key.
const USE_FLAG: &str = "use_parallelism_config";

/// A configuration as read.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Its keys and values, where the text could be read.
    pub document: Option<Document>,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}

/// Reads `text` as `accelerate` of that version would.
pub fn read(text: &str, accelerate: Version) -> Config {
    let unreadable = |finding| Config { document: None, findings: vec![finding] };
    match yaml::parse(text) {
        Err(error) => {
            let (why, fix) = match error {
                yaml::YamlError::Syntax { .. } => (
                    message!("Until it is YAML nothing else in it can be judged."),
                    message!("Correct it there; accelerate config writes one that is well formed."),
                ),
                yaml::YamlError::TooLarge { .. } | yaml::YamlError::TooComplex { .. } => (
                    message!("A configuration has some thirty keys, so this is something else."),
                    message!("Give the file that accelerate config wrote."),
                ),
            };
            unreadable(
                Finding::new(Id::BadYaml, Severity::Error, Stage::Read)
                    .says(
                        message!(
                            "The configuration cannot be read: {error}.",
                            error = error.message()
                        ),
                        why,
                        fix,
                    )
                    .at(error.place()),
            )
        }
        Ok(Some(Node { kind: Kind::Map(entries), place })) => {
            let mut reader = Reader { accelerate, findings: vec![] };
            let document = reader.top(&entries, place);
            Config { document: Some(document), findings: reader.findings }
        }
        Ok(other) => {
            let what = match other.as_ref().map(|node| &node.kind) {
                None | Some(Kind::Scalar(Scalar::Null)) => message!("is empty"),
                Some(Kind::List(_)) => message!("is a list"),
                Some(_) => message!("is a single value"),
            };
            unreadable(
                Finding::new(Id::BadYaml, Severity::Error, Stage::Read)
                    .says(
                        message!(
                            "The configuration {what}; accelerate expects keys and values.",
                            what
                        ),
                        message!("A configuration is a mapping such as `distributed_type: FSDP`."),
                        message!("Write one with accelerate config."),
                    )
                    .at(other.map(|node| node.place)),
            )
        }
    }
}

struct Reader {
    accelerate: Version,
    findings: Vec<Finding>,
}

impl Reader {
    fn top(&mut self, entries: &[(Node, Node)], start: Place) -> Document {
        let sagemaker = entries.iter().any(|(key, node)| {
            key_text(key) == "compute_environment"
                && matches!(&node.kind, Kind::Scalar(Scalar::Text(t)) if t == "AMAZON_SAGEMAKER")
        });
        let document = if sagemaker {
            self.keys(entries, None, &[keys::SAGEMAKER, keys::TOP].concat())
        } else {
            self.keys(entries, None, keys::TOP)
        };
        if is(&document, "compute_environment", "AMAZON_SAGEMAKER") {
            self.findings.push(
                Finding::new(Id::NotUnderstood, Severity::Warning, Stage::Read).says(
                    message!(
                        "This is a SageMaker configuration; only its common keys are examined."
                    ),
                    message!(
                        "SageMaker starts the processes itself, by rules that are not known here."
                    ),
                    message!(
                        "Check the mesh by hand, or give the configuration of a local machine."
                    ),
                ),
            );
        } else if !document.contains_key("distributed_type") {
            self.findings.push(
                Finding::new(Id::MissingKey, Severity::Error, Stage::Read)
                    .says(
                        message!("accelerate launch stops: distributed_type must be specified."),
                        message!("It is the one key without a default."),
                        message!(
                            "Add `distributed_type: FSDP` for CP, or NO for a single process."
                        ),
                    )
                    .at(Some(start))
                    .corrected_by([Edit::Put(
                        None,
                        "distributed_type",
                        Value::text(kind(&document)),
                    )]),
            );
        }
        document
    }

    fn keys(
        &mut self,
        entries: &[(Node, Node)],
        section: Option<&'static str>,
        known: &[Key],
    ) -> Document {
        let mut document = Document::new();
        for (key, node) in entries {
            let name = key_text(key);
            if document.insert(name.clone(), Value::of(node)).is_some() {
                self.duplicate(&name, key.place);
            }
        }
        for (key, node) in entries {
            let name = key_text(key);
            let ipex = section.is_none() && name == keys::IPEX && !self.accelerate.has(REPAIRED);
            match find(&name, section, known) {
                Some((full, shape)) => self.value(&name, full, shape, section, node),
                None if ipex => {}
                None => self.unknown(&name, key.place, section, known, &document),
            }
        }
        document
    }

    fn value(
        &mut self,
        name: &str,
        full: &'static str,
        shape: Shape,
        section: Option<&'static str>,
        node: &Node,
    ) {
        if section == Some("parallelism_config")
            && (full.contains("_sp_") || full.contains("cp_backend"))
            && !self.accelerate.has(BROKEN)
        {
            self.too_new(name, section, node.place);
            return;
        }
        match (&node.kind, shape) {
            (_, Shape::Any) => {}
            (Kind::Scalar(Scalar::Null), shape) if keys::may_be_empty(full, shape) => {}
            (Kind::Scalar(Scalar::Text(text)), Shape::Count)
                if keys::THROUGH_TEXT.contains(&full)
                    && text.trim().parse().is_ok_and(|n| (1..=MAX_COUNT).contains(&n)) => {}
            (Kind::Map(entries), Shape::Section) => {
                if let Some(known) = keys::section(full) {
                    self.keys(entries, Some(full), known);
                }
            }
            (Kind::Scalar(scalar), shape) => {
                if let Some((why, better)) = fault(scalar, shape) {
                    let shown = match scalar {
                        Scalar::Text(text) => format!("\"{}\"", crate::text::short(text)),
                        other => other.to_string(),
                    };
                    let shown = crate::text::short(&shown).into();
                    self.bad((name, shape), shown, why, section, node.place, better);
                }
            }
            (Kind::List(_), _) => {
                let why = expected(shape);
                self.bad((name, shape), message!("a list"), why, section, node.place, None);
            }
            (Kind::Map(_), _) => {
                let why = expected(shape);
                self.bad((name, shape), message!("a section"), why, section, node.place, None);
            }
        }
    }

    fn bad(
        &mut self,
        (name, shape): (&str, Shape),
        shown: Message,
        why: Message,
        section: Option<&'static str>,
        place: Place,
        better: Option<Value>,
    ) {
        let left_out = keys::may_be_left_out(shape);
        // Without a size or a kind of run it would be another run, so that stays open.
        let edit = match &better {
            Some(value) => Some(Edit::PutNamed(section, name.to_owned(), value.clone())),
            None => left_out.then(|| Edit::Remove(section, name.to_owned())),
        };
        let fix = match &better {
            Some(Value::Scalar(Scalar::Text(text))) => {
                message!("Write {name}: {value}.", name, value = format!("\"{text}\""))
            }
            Some(Value::Scalar(scalar)) => {
                message!("Write {name}: {value}.", name, value = scalar.to_string())
            }
            _ if left_out => message!("Correct {name}, or leave it out to get the default.", name),
            _ if section.is_some() && shape == Shape::Count => {
                message!("Write the size that is meant; 1 leaves the axis out.")
            }
            _ => {
                message!(
                    "Write the value that is meant for {name}; without it this is another run.",
                    name
                )
            }
        };
        self.findings.push(
            Finding::new(Id::BadValue, Severity::Error, Stage::Read)
                .says(message!("{name} = {value} cannot be used.", name, value = shown), why, fix)
                .at(Some(place))
                .corrected_by(edit),
        );
    }

    fn too_new(&mut self, name: &str, section: Option<&'static str>, place: Place) {
        self.findings.push(
            Finding::new(Id::UnknownKey, Severity::Warning, Stage::Read)
                .says(
                    message!(
                        "{name} means nothing to accelerate {version}.",
                        name,
                        version = self.accelerate
                    ),
                    message!(
                        "The key came with 1.12.0; earlier versions read past it without a word."
                    ),
                    message!("Leave it out, or use accelerate 1.13.0 or later."),
                )
                .at(Some(place))
                .corrected_by([Edit::Remove(section, name.to_owned())]),
        );
    }

    fn duplicate(&mut self, name: &str, place: Place) {
        let shown = crate::text::short(name);
        self.findings.push(
            Finding::new(Id::DuplicateKey, Severity::Warning, Stage::Read)
                .says(
                    message!("{name} is written twice; the last one counts.", name = shown),
                    message!("Python's YAML loader takes the last value without a word."),
                    message!("Keep one of the two."),
                )
                .at(Some(place))
                // Writing the configuration again keeps one.
                .corrected_by([Edit::Rewrite]),
        );
    }

    fn unknown(
        &mut self,
        name: &str,
        place: Place,
        section: Option<&'static str>,
        known: &[Key],
        siblings: &Document,
    ) {
        let names = known.iter().map(|&(name, _)| name);
        // A size without its prefix is the likeliest slip in this section.
        let prefixed = names
            .clone()
            .find(|full| full.strip_prefix("parallelism_config_").is_some_and(|bare| bare == name));
        let flag = section.is_none() && name == USE_FLAG;
        let meant = prefixed.or_else(|| nearest(name, names)).filter(|_| !flag);
        let shown = crate::text::short(name);
        let (severity, message, why) = match section {
            None if flag => (
                Severity::Error,
                message!("accelerate launch stops: unknown keys ({names}).", names = USE_FLAG),
                message!(
                    "It is a flag of accelerate launch, not a key of the file: a file with a \
                 parallelism_config section has it switched on already."
                ),
            ),
            None => (
                Severity::Error,
                message!("accelerate launch stops: unknown keys ({names}).", names = shown),
                message!("A key at the top that accelerate does not know is refused."),
            ),
            Some(section) => (
                Severity::Warning,
                message!("{name} in {section} has no effect.", name = shown, section),
                message!(
                    "accelerate copies a section's keys without checking them, and nothing reads \
                 this one."
                ),
            ),
        };
        let free = meant.filter(|meant| !siblings.contains_key(*meant));
        let edit = match free {
            Some(meant) => Edit::Rename(section, name.to_owned(), meant),
            None => Edit::Remove(section, name.to_owned()),
        };
        let fix = match meant {
            Some(meant) => message!("Did you mean {meant}? Otherwise take it out.", meant),
            None => message!("Take it out."),
        };
        self.findings.push(
            Finding::new(Id::UnknownKey, severity, Stage::Read)
                .says(message, why, fix)
                .at(Some(place))
                .corrected_by([edit]),
        );
    }
}

fn find(name: &str, section: Option<&str>, known: &[Key]) -> Option<Key> {
    let exact = known.iter().find(|(known, _)| *known == name);
    let short = || match section {
        Some("fsdp_config") => {
            known.iter().find(|(known, _)| known.strip_prefix("fsdp_") == Some(name))
        }
        _ => None,
    };
    exact.or_else(short).copied()
}

fn is(document: &Document, key: &str, value: &str) -> bool {
    matches!(document.get(key), Some(Value::Scalar(Scalar::Text(text))) if text == value)
}

/// The kind of run that the rest of a file without `distributed_type` speaks of.
pub fn kind(document: &Document) -> &'static str {
    let has = |key: &str| matches!(document.get(key), Some(Value::Map(map)) if !map.is_empty());
    if has("deepspeed_config") {
        "DEEPSPEED"
    } else if has("fsdp_config") || has("parallelism_config") {
        "FSDP"
    } else {
        "NO"
    }
}

/// The kind of run that `name` means: its own, or where it is none, the one that was meant.
pub fn meant_kind(name: &str, document: Option<&Document>) -> &'static str {
    let kinds = keys::DISTRIBUTED_TYPES.iter().copied();
    // Without quotes NO is a truth value.
    let name = if name == "false" { "NO" } else { name };
    let same = kinds.clone().find(|kind| kind.eq_ignore_ascii_case(name));
    let meant = same.or_else(|| nearest(name, kinds));
    meant.unwrap_or_else(|| document.map_or("NO", kind))
}
