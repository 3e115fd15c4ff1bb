//! The page trains nothing: it only names the helper that does.

use plan::RunConfig;

/// There is none.
pub enum Engine {}

impl Engine {
    /// Refuses: this binary cannot train.
    pub fn new(
        _config: RunConfig,
        _text: Option<&[u8]>,
        _from: Option<&[u8]>,
    ) -> Result<Self, String> {
        Err("this binary carries no trainer; the reference runs in the worker's".to_owned())
    }

    /// Steps done.
    pub fn steps_done(&self) -> u32 {
        match *self {}
    }

    /// Trains one step.
    pub fn step(&mut self) -> Result<(u32, f64), String> {
        match *self {}
    }
}
