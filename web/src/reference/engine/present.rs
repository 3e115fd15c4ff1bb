//! One rank that trains on its own.

use std::rc::Rc;

use candle_core::Device;
use comm::{Recorder, Solo};
use futures::FutureExt;
use plan::{RunConfig, RunPlan};
use train::Trainer;

use crate::rank::causes;

/// A run of one rank.
pub struct Engine(Trainer);

impl Engine {
    /// Prepares the run; `from` is the checkpoint that it begins from instead of its seed.
    pub fn new(
        config: RunConfig,
        text: Option<&[u8]>,
        from: Option<&[u8]>,
    ) -> Result<Self, String> {
        let plan = RunPlan::new(config).map_err(|refusal| refusal.to_string())?;
        let recorder = Recorder::from_now(0);
        let mut trainer =
            Trainer::new(plan, text, Rc::new(Solo::default()), recorder, &Device::Cpu)
                .map_err(|error| causes(&error))?;
        if let Some(bytes) = from {
            trainer.resume(bytes).map_err(|error| causes(&error))?;
        }
        Ok(Self(trainer))
    }

    /// Steps done.
    pub fn steps_done(&self) -> u32 {
        self.0.steps_done()
    }

    /// Trains one step; its number and its loss.
    pub fn step(&mut self) -> Result<(u32, f64), String> {
        let step = self.0.steps_done();
        let report = self.0.step().now_or_never().expect("one rank waits for nobody");
        report.map(|report| (step, report.loss)).map_err(|error| causes(&error))
    }
}
