//! Keeps what a rank did as events, until somebody takes them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use plan::{Event, EventKind};

/// One rank's event log. The clock comes from outside: microseconds since the run began.
pub struct Recorder {
    rank: u16,
    step: Cell<u32>,
    clock: Box<dyn Fn() -> u64>,
    events: RefCell<Vec<Event>>,
    /// When the last event was recorded.
    last_us: Cell<u64>,
}

impl Recorder {
    /// A log for world rank `rank`.
    pub fn new(rank: usize, clock: impl Fn() -> u64 + 'static) -> Rc<Self> {
        Rc::new(Self {
            rank: rank as u16,
            step: Cell::new(0),
            clock: Box::new(clock),
            events: RefCell::default(),
            last_us: Cell::new(0),
        })
    }

    /// A log whose clock counts from now.
    pub fn from_now(rank: usize) -> Rc<Self> {
        let start = web_time::Instant::now();
        Self::new(rank, move || start.elapsed().as_micros() as u64)
    }

    /// Microseconds since the run began.
    pub fn now_us(&self) -> u64 {
        (self.clock)()
    }

    /// When the last event was recorded: what a rank stands still for began later.
    pub(crate) fn last_us(&self) -> u64 {
        self.last_us.get()
    }

    /// The training step that later events belong to.
    pub fn set_step(&self, step: u32) {
        self.step.set(step);
    }

    /// Adds an event that ends now.
    pub fn record(&self, kind: EventKind) {
        let event = Event { rank: self.rank, step: self.step.get(), at_us: self.now_us(), kind };
        self.last_us.set(event.at_us);
        self.events.borrow_mut().push(event);
    }

    /// Runs `work` and records what `kind` makes of its duration in microseconds.
    pub fn time<T>(&self, work: impl FnOnce() -> T, kind: impl FnOnce(u64) -> EventKind) -> T {
        let start = self.now_us();
        let value = work();
        self.record(kind(self.now_us() - start));
        value
    }

    /// Takes all events so far.
    pub fn drain(&self) -> Vec<Event> {
        self.events.take()
    }
}
