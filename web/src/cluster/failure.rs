//! Why a worker cannot work, told in the language that is spoken.

use std::fmt::{self, Display, Formatter};

use rust_i18n::t;

use super::probe::Fault;
use crate::build_id::BUILD_ID;

/// What failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rank, if it is not all of them.
    pub rank: Option<u16>,
    /// The file that is to blame, or empty.
    pub url: String,
    /// What is wrong, and what may help.
    pub cause: Cause,
}

/// What is wrong. What a browser or a worker says of it stays in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A worker tells it itself.
    Told(String),
    /// The browser starts no worker.
    NoWorker(String),
    /// The browser gives no channel for messages.
    NoChannel(String),
    /// The worker's files did not load; what the browser says of it may be nothing.
    NotLoaded(String),
    /// A file of the worker is not what it should be.
    BadFile(Fault),
    /// The same, where nothing else names the file.
    BadFileAt(String, Fault),
    /// The worker is of another build.
    OtherBuild(String),
    /// Nothing came of the worker for so many seconds.
    Silent(u32),
    /// The worker threw this, and told nothing.
    Died(String),
    /// The worker sent what is no report.
    NoReport,
}

impl Display for Cause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Told(text) => return f.write_str(text),
            Self::NoWorker(error) => t!("failure.no_worker", error = error),
            Self::NoChannel(error) => t!("failure.no_channel", error = error),
            Self::NotLoaded(error) if error.is_empty() => t!("failure.not_loaded_unsaid"),
            Self::NotLoaded(error) => t!("failure.not_loaded", error = error),
            Self::BadFile(fault) => t!("failure.bad_file", fault = fault),
            Self::BadFileAt(url, fault) => return write!(f, "{url}: {fault}"),
            Self::OtherBuild(file) => t!("failure.other_build", page = BUILD_ID, file = file),
            Self::Silent(seconds) => t!("failure.silent", seconds = seconds),
            Self::Died(text) => t!("failure.died", text = text),
            Self::NoReport => t!("failure.died", text = t!("failure.no_report")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_with_what_was_heard() {
        let died = Cause::Died("RuntimeError: unreachable".into()).to_string();
        assert!(died.starts_with("RuntimeError: unreachable: the worker died"), "{died}");
        let silent = "the worker did not load, and the browser does not say why";
        assert_eq!(Cause::NotLoaded(String::new()).to_string(), silent);
        assert_eq!(Cause::Told("panicked".into()).to_string(), "panicked");
    }
}
