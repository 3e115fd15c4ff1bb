//! Both directions between the page and the doctor, on one page.

use serde::{Deserialize, Serialize};

use super::report::Outcome;
use crate::app::doctor::entered::Entered;
use crate::app::language::Language;

/// From the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Say whether you are there.
    Greet {
        /// The page's build, which must be the doctor's.
        build: String,
    },
    /// Diagnose this.
    Examine(Question),
}

/// What is to be diagnosed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its number, which its answer bears.
    pub number: u32,
    /// The language of the answer.
    pub language: Language,
    /// What is entered.
    pub entered: Entered,
}

/// From the doctor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// It is there, and of the page's build.
    Ready,
    /// What came of a question.
    Told {
        /// The question's number.
        number: u32,
        /// What came of it.
        outcome: Outcome,
    },
    /// Nothing more will come.
    Failed(String),
}
