//! Ctrl-C, or a request to end: the run ends after its step and tidies up; a second Ctrl-C ends it
//! at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// As shells have it: 128 and the number of the signal.
const EXIT_CODE: i32 = 130;

/// Knows whether Ctrl-C was pressed.
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches from now on.
    pub fn watch() -> io::Result<Self> {
        let pressed = Arc::new(AtomicBool::new(false));
        // In this order: what the first one sets makes the second one end the process.
        flag::register_conditional_shutdown(SIGINT, EXIT_CODE, pressed.clone())?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register(signal, pressed.clone())?;
        }
        Ok(Self(pressed))
    }

    /// An error once it was pressed.
    pub fn check(&self, steps: u32) -> anyhow::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            anyhow::bail!("interrupted after {steps} steps");
        }
        Ok(())
    }
}
