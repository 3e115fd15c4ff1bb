//! Stands between two ring steps while the page grants them one by one.

use std::rc::Rc;

use comm::{Gate, Recorder};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use plan::EventKind;
use plan::command::Report;

use super::desk;
use crate::control::Control;

/// The gate of one run.
pub struct Watched {
    /// What the page grants.
    pub control: Rc<Control>,
    /// Where the standing is recorded.
    pub recorder: Rc<Recorder>,
}

impl Gate for Watched {
    fn pass(&self) -> LocalBoxFuture<'_, ()> {
        // Most runs are watched by nobody.
        if self.control.take_hop() {
            return futures::future::ready(()).boxed_local();
        }
        self.stand().boxed_local()
    }
}

impl Watched {
    async fn stand(&self) {
        let run = self.control.run();
        // What has happened so far is what is to be watched.
        let events = self.recorder.drain();
        desk::report(&Report::Events { run, events, tokens: Vec::new(), memory: desk::memory() });
        desk::report(&Report::Held { run });
        let begun = self.recorder.now_us();
        self.control.change().await;
        while !self.control.take_hop() {
            if self.control.is_stopped() {
                // The run is over: nobody waits for this rank any more.
                futures::future::pending::<()>().await;
            }
            self.control.change().await;
        }
        let took_us = self.recorder.now_us() - begun;
        self.recorder.record(EventKind::Held { took_us });
    }
}
