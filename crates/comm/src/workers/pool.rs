//! Buffers that have come in and are empty again, for what goes out next.
//!
//! A fresh buffer of 1 MiB costs a millisecond and more: the browser fetches the pages, clears
//! them, and collects them later. A ring sends what it receives, so its buffers fit again.

use std::cell::RefCell;
use std::collections::VecDeque;

use js_sys::ArrayBuffer;

/// Enough for keys, values and their gradients at once; more would only be memory held.
const MOST_BUFFERS: usize = 8;
const MOST_BYTES: u32 = 64 << 20;

#[derive(Default)]
pub(super) struct Pool(RefCell<VecDeque<(u32, ArrayBuffer)>>);

impl Pool {
    /// A buffer of exactly `bytes`, with anything in it.
    pub(super) fn take(&self, bytes: u32) -> ArrayBuffer {
        let mut kept = self.0.borrow_mut();
        let place = kept.iter().position(|(size, _)| *size == bytes);
        match place.and_then(|place| kept.remove(place)) {
            Some((_, buffer)) => buffer,
            None => ArrayBuffer::new(bytes),
        }
    }

    /// Keeps a buffer whose elements have been copied out of it; the oldest make room.
    pub(super) fn give(&self, buffer: ArrayBuffer) {
        let mut kept = self.0.borrow_mut();
        kept.push_back((buffer.byte_length(), buffer));
        while kept.len() > MOST_BUFFERS
            || kept.iter().map(|(size, _)| size).sum::<u32>() > MOST_BYTES
        {
            kept.pop_front();
        }
    }
}
