//! Whether a value has the shape that its key asks for, and what may have been meant.

use plan::{Message, message};

use super::MAX_COUNT;
use crate::document::Value;
use crate::facts::truth;
use crate::keys::Shape;
use crate::nearest::nearest;
use crate::yaml::Scalar;

/// Why the value cannot be used, and what may have been meant.
pub(super) fn fault(scalar: &Scalar, shape: Shape) -> Option<(Message, Option<Value>)> {
    let low = match shape {
        Shape::Count => 1,
        Shape::Index => 0,
        Shape::Switch => return switch_fault(scalar),
        Shape::Choice(names) => return choice_fault(scalar, names),
        Shape::Text => return text_fault(scalar),
        // YAML's empty value becomes the text "None".
        Shape::Single => {
            return matches!(scalar, Scalar::Null).then(|| (expected(shape), None));
        }
        Shape::Section | Shape::Any => {
            return matches!(shape, Shape::Section).then(|| (expected(shape), None));
        }
    };
    if let Scalar::Null = scalar {
        return Some((
            message!("Nothing is written after it. {expected}", expected = expected(shape)),
            None,
        ));
    }
    let Scalar::Int(number) = scalar else {
        let meant = scalar.to_string().trim().parse::<u64>().ok().filter(|&n| n >= low);
        let meant = meant.filter(|&number| number <= MAX_COUNT);
        let why = match (scalar, meant) {
            (Scalar::Text(_), Some(_)) => {
                message!("In quotes it is text, and text cannot be compared with a number.")
            }
            _ => expected(shape),
        };
        return Some((why, meant.map(Value::int)));
    };
    if *number < i128::from(low) {
        return Some((message!("It must be a whole number from {low}.", low), None));
    }
    if *number > i128::from(MAX_COUNT) {
        return Some((message!("Nobody has more than {most} of these.", most = MAX_COUNT), None));
    }
    None
}

fn switch_fault(scalar: &Scalar) -> Option<(Message, Option<Value>)> {
    match scalar {
        Scalar::Bool(_) => None,
        Scalar::Text(text) => match truth(text) {
            Some(meant) => Some((
                message!("In quotes it is text, and any text that is not empty counts as true."),
                Some(Value::bool(meant)),
            )),
            None => Some((expected(Shape::Switch), None)),
        },
        Scalar::Int(0 | 1) => None,
        Scalar::Int(_) | Scalar::Float(_) | Scalar::Null => Some((expected(Shape::Switch), None)),
    }
}

fn text_fault(scalar: &Scalar) -> Option<(Message, Option<Value>)> {
    match scalar {
        Scalar::Text(_) | Scalar::Null => None,
        Scalar::Int(_) | Scalar::Float(_) | Scalar::Bool(_) => Some((
            message!("Without quotes it is no text, and the launcher takes it apart as text."),
            Some(Value::text(&scalar.to_string())),
        )),
    }
}

fn choice_fault(
    scalar: &Scalar,
    names: &'static [&'static str],
) -> Option<(Message, Option<Value>)> {
    if let Scalar::Null = scalar {
        let why = message!(
            "Nothing is written after it. {expected}",
            expected = expected(Shape::Choice(names))
        );
        return Some((why, None));
    }
    let given = scalar.to_string();
    if names.contains(&given.as_str()) && !matches!(scalar, Scalar::Bool(_)) {
        return None;
    }
    // Without quotes NO is a truth value too, but distributed_type gets by with it.
    if *scalar == Scalar::Bool(false) && names.contains(&"NO") {
        return None;
    }
    if *scalar == Scalar::Bool(false) && names.contains(&"no") {
        let why =
            message!("Without quotes, no is a truth value in YAML, and the launcher needs text.");
        return Some((why, Some(Value::text("no"))));
    }
    let meant = names
        .iter()
        .copied()
        .find(|name| name.eq_ignore_ascii_case(&given))
        // Of one letter every other is a neighbour.
        .or_else(|| nearest(&given, names.iter().copied().filter(|name| name.len() > 1)));
    let meant = if names == ["1", "2"] { Some(Value::int(2)) } else { meant.map(Value::text) };
    Some((message!("It must be one of {names}.", names = names.join(", ")), meant))
}

pub(super) fn expected(shape: Shape) -> Message {
    match shape {
        Shape::Count => message!("It must be a whole number from {low}.", low = 1),
        Shape::Index => message!("It must be a whole number from {low}.", low = 0),
        Shape::Switch => message!("It must be true or false."),
        Shape::Choice(names) => message!("It must be one of {names}.", names = names.join(", ")),
        Shape::Text => message!("It must be text, in quotes where it is a number."),
        Shape::Single => message!("It must be a single value."),
        Shape::Section => message!("It must be a section with keys of its own."),
        Shape::Any => message!("It cannot be read."),
    }
}
