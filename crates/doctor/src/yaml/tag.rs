//! What a tag makes of a value, as Python's `yaml.safe_load` has it.

use plan::{Message, message};
use saphyr_parser::{ScalarStyle, Tag};

use super::{Scalar, plain};

/// The handle behind `!!`.
const CORE: &str = "tag:yaml.org,2002:";

/// The value of a scalar under its tag; what is wrong with the tag where there is no such value.
pub(super) fn resolve(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Scalar, Message> {
    let Some(tag) = tag.map(name) else {
        let quoted = style != ScalarStyle::Plain;
        return Ok(if quoted { Scalar::Text(text.to_owned()) } else { plain(text) });
    };
    let read = plain(text);
    let fits = match tag.as_str() {
        "int" => matches!(read, Scalar::Int(_)),
        "bool" => matches!(read, Scalar::Bool(_)),
        "float" => matches!(read, Scalar::Float(_) | Scalar::Int(_)),
        "null" => return Ok(Scalar::Null),
        "!" | "str" | "binary" | "timestamp" => return Ok(Scalar::Text(text.to_owned())),
        other => return Err(unknown(other)),
    };
    match (fits, read) {
        (true, Scalar::Int(number)) if tag == "float" => Ok(Scalar::Float(format!("{number}.0"))),
        (true, read) => Ok(read),
        (false, _) => Err(message!("the value is no {tag}, and its tag says so", tag)),
    }
}

/// What is wrong with the tag of a collection, if anything.
pub(super) fn collection(tag: Option<&Tag>, own: &str) -> Result<(), Message> {
    match tag.map(name) {
        None => Ok(()),
        Some(tag) if tag == own || tag == "!" => Ok(()),
        Some(tag) => Err(unknown(&tag)),
    }
}

/// A core tag's own name; any other tag as it is written.
fn name(tag: &Tag) -> String {
    if tag.handle == CORE {
        return tag.suffix.clone();
    }
    match format!("{}{}", tag.handle, tag.suffix) {
        whole if whole.is_empty() => "!".to_owned(),
        whole => whole.strip_prefix(CORE).map_or(whole.clone(), str::to_owned),
    }
}

fn unknown(tag: &str) -> Message {
    let tag = crate::text::short(tag);
    message!("yaml.safe_load knows no tag {tag} and stops with a ConstructorError", tag)
}

#[cfg(test)]
mod tests {
    use crate::yaml::{Kind, Scalar, parse};

    #[test]
    fn tags_count_as_python_counts_them() {
        let read = |text: &str| match parse(text).map(|node| node.map(|node| node.kind)) {
            Ok(Some(Kind::Scalar(scalar))) => Ok(scalar),
            other => Err(format!("{other:?}")),
        };
        assert_eq!(read("!!int '8'"), Ok(Scalar::Int(8)));
        assert_eq!(read("!!str 8"), Ok(Scalar::Text("8".into())));
        assert_eq!(read("! 8"), Ok(Scalar::Text("8".into())));
        assert_eq!(read("!!float 2"), Ok(Scalar::Float("2.0".into())));
        for bad in ["!foo 8", "!!int two", "!!python/tuple [1]", "!foo {a: 1}", "!!map [1]"] {
            assert!(read(bad).expect_err(bad).contains("Syntax"), "{bad}");
        }
        assert!(parse("!!seq [1]").is_ok() && parse("!!map {a: 1}").is_ok());
    }
}
