//! Both directions between the page and the reference, on one page.

use plan::RunConfig;
use serde::{Deserialize, Serialize};

/// From the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Prepare this run.
    Begin {
        /// The page's build, which must be the worker's.
        build: String,
        /// A run of one rank.
        config: Box<RunConfig>,
        /// The user's text; `None` is the built-in one.
        #[serde(with = "serde_bytes")]
        text: Option<Vec<u8>>,
        /// The checkpoint to begin from; `None` is the seed's state.
        #[serde(with = "serde_bytes")]
        from: Option<Vec<u8>>,
    },
    /// Train until this many steps are done.
    Advance {
        /// Steps.
        until: u32,
    },
}

/// From the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The run is prepared.
    Begun,
    /// A step is done.
    Loss {
        /// The step, from 0.
        step: u32,
        /// Its mean loss.
        loss: f64,
    },
    /// The run ended with an error.
    Failed(String),
}
