//! The one error of this crate: a request that cannot be met.

use serde::{Deserialize, Serialize};

/// A request that cannot be met: the field, its value, why not, and what would work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{field} = {value}: {reason}; {works}")]
pub struct Refusal {
    /// The field as the user knows it, for example `cp` or `seq_len`.
    pub field: String,
    /// The value that was asked for.
    pub value: String,
    /// Why it cannot be had.
    pub reason: String,
    /// What would work instead.
    pub works: String,
}

impl Refusal {
    /// Builds a refusal; the value may be anything that prints.
    pub fn new(
        field: &str,
        value: impl ToString,
        reason: impl Into<String>,
        works: impl Into<String>,
    ) -> Self {
        Self {
            field: field.to_owned(),
            value: value.to_string(),
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
    let (low, high) = (low.to_string(), high.to_string());
    Err(Refusal::new(
        field,
        value,
        format!("it must lie between {low} and {high}"),
        format!(
            "try {}",
            if value.to_string().starts_with('-') || value.to_string() == "0" { low } else { high }
        ),
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
