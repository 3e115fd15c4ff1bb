//! The self-test of the links, and what the ranks found.

use plan::command::RunId;

use crate::app::shared::Shared;

/// The self-test of the links.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SelfTest {
    /// Nobody asked.
    #[default]
    Idle,
    /// Asked, not answered by every rank.
    Running(RunId),
    /// What the ranks found.
    Done(Shared<TestResult>),
}

/// What the ranks' self-test found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestResult {
    /// Laws that held.
    pub passed: Vec<String>,
    /// Laws that did not.
    pub failed: Vec<String>,
    /// (bytes, microseconds) of a round trip.
    pub round_trips: Vec<(u64, f64)>,
}
