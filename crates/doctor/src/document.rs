//! A configuration as a document that can be changed and written back.

use std::collections::BTreeMap;

use crate::yaml::{Kind, Node, Scalar, plain};

/// A value of a configuration; keys are sorted, as `accelerate config` writes them.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A single value.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Value>),
    /// A section.
    Map(BTreeMap<String, Value>),
}

/// A configuration's keys and values.
pub type Document = BTreeMap<String, Value>;

impl Value {
    /// The value of a node; where a key occurs twice the last one counts, as in Python.
    pub fn of(node: &Node) -> Self {
        match &node.kind {
            Kind::Scalar(scalar) => Self::Scalar(scalar.clone()),
            Kind::List(items) => Self::List(items.iter().map(Self::of).collect()),
            Kind::Map(entries) => Self::Map(
                entries.iter().map(|(key, value)| (key_text(key), Self::of(value))).collect(),
            ),
        }
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Scalar(Scalar::Text(text.to_owned()))
    }

    /// A whole number.
    pub fn int(number: u64) -> Self {
        Self::Scalar(Scalar::Int(i128::from(number)))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Self::Scalar(Scalar::Bool(value))
    }
}

/// A key as text, whatever it is.
pub fn key_text(key: &Node) -> String {
    match &key.kind {
        Kind::Scalar(scalar) => scalar.to_string(),
        Kind::List(_) => "[...]".to_owned(),
        Kind::Map(_) => "{...}".to_owned(),
    }
}

/// The document as YAML.
pub fn write(document: &Document) -> String {
    let mut text = String::new();
    write_map(document, 0, &mut text);
    text
}

fn write_map(map: &Document, indent: usize, text: &mut String) {
    for (key, value) in map {
        text.push_str(&" ".repeat(indent));
        text.push_str(&quoted(&Scalar::Text(key.clone())));
        text.push(':');
        match value {
            Value::Map(inner) if !inner.is_empty() => {
                text.push('\n');
                write_map(inner, indent + 2, text);
            }
            value => {
                text.push(' ');
                write_flow(value, text);
                text.push('\n');
            }
        }
    }
}

fn write_flow(value: &Value, text: &mut String) {
    match value {
        Value::Scalar(scalar) => text.push_str(&quoted(scalar)),
        Value::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_flow(item, text);
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                text.push_str(&quoted(&Scalar::Text(key.clone())));
                text.push_str(": ");
                write_flow(item, text);
            }
            text.push('}');
        }
    }
}

/// Quotes text that would be read as something else.
fn quoted(scalar: &Scalar) -> String {
    let Scalar::Text(text) = scalar else {
        return scalar.to_string();
    };
    let safe = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./,".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || "_./".contains(c))
        && !text.contains(", ")
        && matches!(plain(text), Scalar::Text(_));
    if safe && !text.contains(',') {
        return text.clone();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || c == '\u{feff}' => {
                quoted.push_str(&format!("\\U{:08X}", c as u32));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    #[test]
    fn what_is_written_reads_back() {
        let text =
            "a: 'no'\nb: no\nc: [1, 'x, y', {d: e}]\nf:\n  g: \"q\\\"\\n\"\n  h: {}\n  i: '8'\n";
        let read = |text: &str| match parse(text).expect("it is YAML").map(|n| Value::of(&n)) {
            Some(Value::Map(map)) => map,
            other => panic!("{other:?}"),
        };
        let document = read(text);
        assert_eq!(read(&write(&document)), document);
        assert!(write(&document).contains("a: \"no\"\nb: false\n"));
    }
}
