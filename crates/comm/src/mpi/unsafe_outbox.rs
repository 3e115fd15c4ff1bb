//! Sends that are under way: MPI reads their bytes until it says that it has done so.

use std::cell::RefCell;

use mpi::point_to_point::Destination;
use mpi::request::{Request, StaticScope};

/// The sends of one rank that MPI has not ended yet.
#[derive(Default)]
pub(super) struct Outbox(RefCell<Vec<Sending>>);

struct Sending {
    request: Request<'static, [u8], StaticScope>,
    /// The allocation that the request reads.
    bytes: *mut [u8],
}

impl Outbox {
    /// Starts to send `bytes`.
    pub(super) fn send(&self, to: impl Destination, bytes: Vec<u8>) {
        let bytes = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the allocation is given up by the box and freed in `tidy` alone, after the
        // request that borrows it has ended; until then nobody writes to it. A send that never
        // ends keeps its bytes for as long as the process lives.
        #[allow(unsafe_code)]
        let borrowed: &'static [u8] = unsafe { &*bytes };
        let request = to.immediate_send(StaticScope, borrowed);
        self.0.borrow_mut().push(Sending { request, bytes });
    }

    /// Lets go of the sends that have ended.
    pub(super) fn tidy(&self) {
        let sending = self.0.take();
        let left = sending.into_iter().filter_map(|Sending { request, bytes }| {
            match request.test() {
                Ok(_) => {
                    // SAFETY: `send` took this allocation from a box, and the request, its only
                    // borrower, has ended and is gone.
                    #[allow(unsafe_code)]
                    drop(unsafe { Box::from_raw(bytes) });
                    None
                }
                Err(request) => Some(Sending { request, bytes }),
            }
        });
        let left = left.collect();
        self.0.replace(left);
    }

    /// Whether every send has ended.
    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        // A request that is dropped panics; those that nobody took end with the process.
        self.0.take().into_iter().for_each(|sending| std::mem::forget(sending.request));
    }
}
