//! A condition of a step: what is looked at, how it is compared, and with what.

use serde::{Deserialize, Serialize};

/// `subject op value`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// What is looked at; one of [`crate::subject`].
    pub subject: String,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub value: String,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// They are equal.
    Is,
    /// They are not.
    IsNot,
    /// It is less.
    Below,
    /// It is no more.
    AtMost,
    /// It is more.
    Above,
    /// It is no less.
    AtLeast,
}

/// The value of a subject that has none yet.
pub const NONE: &str = "none";

impl Op {
    /// Every operator. Those of two letters come before those that they begin with.
    pub const ALL: [Self; 6] =
        [Self::IsNot, Self::AtMost, Self::AtLeast, Self::Is, Self::Below, Self::Above];

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Is => "=",
            Self::IsNot => "!=",
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Its key in the catalogues.
    pub fn key(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::IsNot => "is_not",
            Self::Below => "below",
            Self::AtMost => "at_most",
            Self::Above => "above",
            Self::AtLeast => "at_least",
        }
    }

    /// Whether it needs numbers.
    pub fn orders(self) -> bool {
        !matches!(self, Self::Is | Self::IsNot)
    }

    /// Whether it holds between two numbers.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Is => left == right,
            Self::IsNot => left != right,
            Self::Below => left < right,
            Self::AtMost => left <= right,
            Self::Above => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

impl Condition {
    /// Whether it holds of a number; of one that was not measured, only `= none` does.
    pub fn holds_of(&self, number: Option<f64>) -> bool {
        match (number, self.value.parse::<f64>()) {
            (Some(number), Ok(value)) => self.op.holds(number, value),
            (Some(_), Err(_)) => self.op == Op::IsNot,
            (None, _) => self.op == Op::Is && self.value == NONE,
        }
    }

    /// Whether it holds of a value that may be a word; numbers are compared as such.
    pub fn holds_of_word(&self, word: &str) -> bool {
        match (word.parse::<f64>(), self.value.parse::<f64>()) {
            (Ok(left), Ok(right)) => self.op.holds(left, right),
            _ => match self.op {
                Op::Is => word == self.value,
                Op::IsNot => word != self.value,
                _ => false,
            },
        }
    }

    /// Whether it holds of a list: `=` asks for one of its members, `!=` that none is it.
    pub fn holds_among<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> bool {
        let found = words.any(|word| word == self.value);
        if self.op == Op::IsNot { !found } else { found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(op: Op, value: &str) -> Condition {
        Condition { subject: "steps".into(), op, value: value.into() }
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        for (op, value, number, holds) in [
            (Op::AtLeast, "5", Some(5.0), true),
            (Op::AtLeast, "5", Some(4.0), false),
            (Op::AtLeast, "5", None, false),
            (Op::Is, "none", None, true),
            (Op::Is, "none", Some(3.0), false),
            (Op::IsNot, "none", Some(3.0), true),
            (Op::IsNot, "none", None, false),
            (Op::Below, "0.5", Some(0.25), true),
        ] {
            assert_eq!(condition(op, value).holds_of(number), holds, "{op:?} {value} {number:?}");
        }
    }

    #[test]
    fn words_are_compared_as_numbers_where_they_are_some() {
        assert!(condition(Op::AtLeast, "256").holds_of_word("1024"));
        assert!(condition(Op::Is, "zigzag").holds_of_word("zigzag"));
        assert!(!condition(Op::AtLeast, "2").holds_of_word("zigzag"));
        assert!(condition(Op::Is, "1e9").holds_of_word("1000000000"));
        let words = || ["one", "two"].into_iter();
        assert!(condition(Op::Is, "two").holds_among(words()));
        assert!(!condition(Op::IsNot, "two").holds_among(words()));
        assert!(condition(Op::IsNot, "three").holds_among(words()));
    }
}
