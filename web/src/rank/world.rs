//! This rank's seat among the others, and how a panic lets them know.

use std::cell::RefCell;
use std::rc::Rc;

use comm::ProcessGroup;
use comm::workers::{DEFAULT_TIMEOUT, WorkerGroup};
use plan::WorldSize;
use web_sys::MessagePort;

thread_local! {
    static WORLD: RefCell<Option<Rc<dyn ProcessGroup>>> = const { RefCell::new(None) };
}

/// What the page gave this rank to find the others with.
pub struct Seat {
    /// This rank.
    pub rank: u16,
    /// Ports to the others, by rank.
    pub ports: Vec<Option<MessagePort>>,
}

impl Seat {
    /// The group of all ranks, if the run has `size` of them.
    pub fn take(self, size: WorldSize) -> Result<WorkerGroup, String> {
        if self.ports.len() != size.get() {
            let given = self.ports.len();
            return Err(format!("the run has {size} ranks and the page started {given} workers"));
        }
        let rank = size.rank(usize::from(self.rank)).map_err(|refusal| refusal.to_string())?;
        WorkerGroup::new(rank, size, self.ports, DEFAULT_TIMEOUT).map_err(|error| error.to_string())
    }
}

/// This rank's part in a world; while it lasts, a panic tells the other ranks.
pub struct Entered(Rc<dyn ProcessGroup>);

impl Entered {
    /// Takes part in `group`.
    pub fn new(group: Rc<dyn ProcessGroup>) -> Self {
        WORLD.set(Some(Rc::clone(&group)));
        Self(group)
    }

    /// The world's group.
    pub fn group(&self) -> &Rc<dyn ProcessGroup> {
        &self.0
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let is_mine = |world: &Rc<dyn ProcessGroup>| Rc::ptr_eq(world, &self.0);
        // A later run may have taken its place.
        if WORLD.with_borrow(|world| world.as_ref().is_some_and(is_mine)) {
            WORLD.set(None);
        }
    }
}

/// Tells the other ranks why this one panicked.
pub fn abort(why: &str) {
    WORLD.with(|world| {
        if let Ok(world) = world.try_borrow()
            && let Some(world) = &*world
        {
            world.abort(why);
        }
    });
}
