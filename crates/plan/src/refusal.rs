//! The one error of this crate: a request that cannot be met.

use serde::{Deserialize, Serialize};

use crate::{Message, message};

/// A request that cannot be met: the field, its value, why not, and what would work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{field} = {value}: {reason}; {works}")]
pub struct Refusal {
    /// The field as the user knows it, for example `cp` or `seq_len`.
    pub field: String,
    /// The value that was asked for.
    pub value: Message,
    /// Why it cannot be had.
    pub reason: Message,
    /// What would work instead.
    pub works: Message,
}

impl Refusal {
    /// Builds a refusal. What is to be told in other languages too is made by `message!`.
    pub fn new(
        field: &str,
        value: impl Into<Message>,
        reason: impl Into<Message>,
        works: impl Into<Message>,
    ) -> Self {
        Self {
            field: field.to_owned(),
            value: value.into(),
            reason: reason.into(),
            works: works.into(),
        }
    }
}

/// Refuses `value` unless it lies in `range` (both ends included).
pub fn require_range<T: PartialOrd + ToString + Copy>(
    field: &str,
    value: T,
    low: T,
    high: T,
) -> Result<(), Refusal> {
    if value >= low && value <= high {
        return Ok(());
    }
    let (value, low, high) = (value.to_string(), low.to_string(), high.to_string());
    let nearer = if value.starts_with('-') || value == "0" { &low } else { &high };
    let works = message!("try {number}", number = nearer);
    Err(Refusal::new(
        field,
        value,
        message!("it must lie between {low} and {high}", low, high),
        works,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_one_sentence() {
        let refusal = Refusal::new("cp", 0, "a run needs at least one rank", "try 1");
        assert_eq!(refusal.to_string(), "cp = 0: a run needs at least one rank; try 1");
    }

    #[test]
    fn the_range_names_the_nearer_end() {
        assert!(require_range("batch", 3, 1, 8).is_ok());
        let low = require_range("batch", 0, 1, 8).expect_err("0 is out of range");
        assert_eq!(low.works, "try 1");
        let high = require_range("batch", 9, 1, 8).expect_err("9 is out of range");
        assert_eq!(high.works, "try 8");
    }
}
