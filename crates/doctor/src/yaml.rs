//! YAML text into a tree whose every node knows its line and column.
//!
//! The text comes from anywhere, so size, depth and the number of nodes are bounded before they
//! can hurt; an alias counts as all the nodes that it stands for.

mod tag;

use plan::{Message, message};
use saphyr_parser::{Event, Parser, Span};

/// The most bytes that are read. `accelerate config` writes about one kilobyte.
pub const MAX_BYTES: usize = 1 << 20;
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;

/// A place in the text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A node and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A single value.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order written; a key may occur twice.
    Map(Vec<(Node, Node)>),
}

/// A single value as Python's `yaml.safe_load` understands it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Nothing.
    Null,
    /// `true`, `yes`, `on` and their opposites.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// Any other number, as written.
    Float(String),
    /// Text.
    Text(String),
}

/// Text that is no YAML, or more than is read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", self.message())]
pub enum YamlError {
    /// The text breaks YAML's rules.
    Syntax {
        /// Where.
        place: Place,
        /// What the parser said.
        what: Message,
    },
    /// The text is longer than is read.
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// Nesting or aliases go beyond what is read.
    TooComplex {
        /// Where the bound was met.
        place: Place,
        /// Which bound.
        what: Message,
    },
}

impl YamlError {
    /// What is wrong, and where.
    pub fn message(&self) -> Message {
        match self {
            Self::Syntax { place, what } | Self::TooComplex { place, what } => {
                let Place { line, column } = *place;
                message!("line {line}, column {column}: {what}", line, column, what)
            }
            Self::TooLarge { bytes } => {
                let most = MAX_BYTES;
                message!(
                    "the text has {bytes} bytes; at most {most} are read",
                    bytes = *bytes,
                    most
                )
            }
        }
    }

    /// Where it went wrong, if at one place.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Syntax { place, .. } | Self::TooComplex { place, .. } => Some(*place),
            Self::TooLarge { .. } => None,
        }
    }
}

/// Reads the first document; `None` where there is none.
pub fn parse(text: &str) -> Result<Option<Node>, YamlError> {
    if text.len() > MAX_BYTES {
        return Err(YamlError::TooLarge { bytes: text.len() });
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let met = Place { line: error.marker().line(), column: error.marker().col() + 1 };
            let place = if error.info().contains("tab") { tab_from(text, met) } else { met };
            YamlError::Syntax { place, what: error.info().into() }
        })?;
        builder.take(event, span)?;
    }
    Ok(builder.root)
}

/// The first tab in an indentation from `met` on: the parser names the value before it.
fn tab_from(text: &str, met: Place) -> Place {
    let indented = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        line.get(..indent).and_then(|indent| indent.find('\t'))
    };
    let mut lines = text.lines().enumerate().skip(met.line.saturating_sub(1));
    let found = lines.find_map(|(line, text)| indented(text).map(|column| (line, column)));
    found.map_or(met, |(line, column)| Place { line: line + 1, column: column + 1 })
}

/// A collection that is still open, its anchor, and a key that waits for its value.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<Node>,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: Vec<(usize, Node)>,
    nodes: usize,
    documents: usize,
    root: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let place = Place { line: span.start.line(), column: span.start.col() + 1 };
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let what = message!("a second document begins; one is expected");
                    return Err(YamlError::Syntax { place, what });
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = tag::resolve(&text, style, tag.as_deref())
                    .map_err(|what| YamlError::Syntax { place, what })?;
                self.finish(Node { place, kind: Kind::Scalar(scalar) }, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                tag::collection(tag.as_deref(), "seq")
                    .map_err(|what| YamlError::Syntax { place, what })?;
                self.begin(place, Kind::List(vec![]), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                tag::collection(tag.as_deref(), "map")
                    .map_err(|what| YamlError::Syntax { place, what })?;
                self.begin(place, Kind::Map(vec![]), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.finish(open.node, open.anchor),
                None => Ok(()),
            },
            Event::Alias(id) => {
                let known = self.anchors.iter().find(|(anchor, _)| *anchor == id);
                let Some((_, node)) = known else {
                    let what = message!("an alias stands for a node that is not complete");
                    return Err(YamlError::Syntax { place, what });
                };
                let node = Node { place, kind: node.kind.clone() };
                self.nodes += size(&node);
                self.finish(node, 0)
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, place: Place, kind: Kind, anchor: usize) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError::TooComplex { place, what: message!("it is nested too deeply") });
        }
        self.open.push(Open { node: Node { place, kind }, anchor, key: None });
        Ok(())
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let what =
                message!("it holds more values than any configuration, aliases counted in full");
            return Err(YamlError::TooComplex { place: node.place, what });
        }
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => match &mut open.node.kind {
                Kind::List(items) => items.push(node),
                Kind::Map(entries) => match open.key.take() {
                    None => open.key = Some(node),
                    Some(key) => entries.push((key, node)),
                },
                Kind::Scalar(_) => {}
            },
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match &node.kind {
        Kind::Scalar(_) => 1,
        Kind::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Kind::Map(entries) => 1 + entries.iter().map(|(k, v)| size(k) + size(v)).sum::<usize>(),
    }
}

/// YAML 1.1's rules for a value without quotes, as Python's loader applies them.
pub fn plain(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        _ => {}
    }
    if let Some(number) = whole(text) {
        return Scalar::Int(number);
    }
    let like_a_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "+-.eE_".contains(c));
    if like_a_number && text.contains('.') && text.replace('_', "").parse::<f64>().is_ok() {
        return Scalar::Float(text.to_owned());
    }
    Scalar::Text(text.to_owned())
}

fn whole(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let number = if let Some(hex) = digits.strip_prefix("0x") {
        i128::from_str_radix(hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i128::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    number.ok().map(|number| sign * number)
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(text) | Self::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_python_reads_them() {
        assert_eq!(plain("no"), Scalar::Bool(false));
        assert_eq!(plain("8"), Scalar::Int(8));
        assert_eq!(plain("-1"), Scalar::Int(-1));
        assert_eq!(plain("010"), Scalar::Int(8));
        assert_eq!(plain("1_000"), Scalar::Int(1000));
        assert_eq!(plain("2.5"), Scalar::Float("2.5".into()));
        assert_eq!(plain("1.13.0"), Scalar::Text("1.13.0".into()));
        assert_eq!(plain("bf16"), Scalar::Text("bf16".into()));
        assert_eq!(plain("127.0.0.1"), Scalar::Text("127.0.0.1".into()));
    }

    #[test]
    fn broken_text_has_a_place() {
        let error = parse("a: 1\nb: [1, 2\nc: 3\n").expect_err("the list is open");
        assert!(error.place().is_some_and(|place| place.line >= 2), "{error}");
        let error = parse("a: 1\n\tb: 2\n").expect_err("a tab");
        assert_eq!(error.place().map(|place| place.line), Some(2), "{error}");
    }

    #[test]
    fn bombs_do_not_go_off() {
        let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
        for (this, last) in ('b'..='j').zip('a'..='i') {
            let row = vec![format!("*{last}"); 9].join(", ");
            bomb.push_str(&format!("{this}: &{this} [{row}]\n"));
        }
        assert!(matches!(parse(&bomb), Err(YamlError::TooComplex { .. })));
        let deep = format!("a: {}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(parse(&deep).is_err());
        assert!(matches!(parse(&"a".repeat(10 << 20)), Err(YamlError::TooLarge { .. })));
        assert!(parse("a: &a [*a]").is_err());
    }
}
