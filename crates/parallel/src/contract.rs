//! Which version of the context a caller was written for.

/// What this crate offers.
///
/// - 1.0: attention under the plan's mask, forward and backward, with the log-sum-exp; the rank,
///   its positions and the split of the sequence.
pub const CONTRACT: Contract = Contract::new(1, 0);

/// A version of what a context does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    major: u16,
    minor: u16,
}

impl Contract {
    /// Another `major` breaks callers, a higher `minor` only adds.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// Whether a caller that was written for `wanted` can work with this.
    pub const fn serves(self, wanted: Self) -> bool {
        self.major == wanted.major && self.minor >= wanted.minor
    }
}

impl std::fmt::Display for Contract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_serve_older_callers_and_breaks_serve_nobody_else() {
        let offered = Contract::new(2, 3);
        assert!(offered.serves(offered) && offered.serves(Contract::new(2, 0)));
        for wanted in [Contract::new(2, 4), Contract::new(1, 3), Contract::new(3, 0)] {
            assert!(!offered.serves(wanted), "{wanted}");
        }
    }
}
