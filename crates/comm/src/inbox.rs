//! Messages that have arrived and who waits for them; what all backends share.

use std::collections::BTreeMap;

use candle_core::Tensor;
use plan::Rank;
use serde::{Deserialize, Serialize};

use crate::{CommError, Fault, Tag, Wanted};

/// What travels beside a message's elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The message's name.
    pub tag: Tag,
    /// Element type, by candle's name.
    pub dtype: String,
    /// Shape.
    pub dims: Vec<usize>,
}

impl Header {
    pub(crate) fn of(tag: Tag, tensor: &Tensor) -> Self {
        Self { tag, dtype: tensor.dtype().as_str().to_owned(), dims: tensor.dims().to_vec() }
    }

    /// The header in words.
    fn describe(&self) -> String {
        format!("{} with {} {:?}", self.tag, self.dtype, self.dims)
    }
}

/// A message, or the news that no more will come.
#[derive(Debug)]
pub(crate) enum Arrival<T> {
    Message(Header, T),
    Stopped(String),
}

/// The arrivals of one rank from all others. The n-th receive that is posted for a sender and a lane
/// gets the n-th message that this sender sent in it.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    rank: Rank,
    peers: Vec<Peer<T>>,
}

#[derive(Debug)]
struct Peer<T> {
    lanes: BTreeMap<u16, Queue<T>>,
    stopped: Option<String>,
}

#[derive(Debug)]
struct Queue<T> {
    posted: u64,
    arrived: u64,
    messages: BTreeMap<u64, (Header, T)>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { posted: 0, arrived: 0, messages: BTreeMap::new() }
    }
}

impl<T> Inbox<T> {
    pub(crate) fn new(rank: Rank, peers: usize) -> Self {
        let peer = || Peer { lanes: BTreeMap::new(), stopped: None };
        Self { rank, peers: (0..peers).map(|_| peer()).collect() }
    }

    /// Takes the next place in the queue of `from`'s messages in the lane of `wanted`.
    pub(crate) fn post(&mut self, from: Rank, wanted: &Wanted) -> u64 {
        let queue = self.queue(from, wanted.tag);
        queue.posted += 1;
        queue.posted - 1
    }

    fn queue(&mut self, from: Rank, tag: Tag) -> &mut Queue<T> {
        self.peers[from.index()].lanes.entry(tag.lane).or_default()
    }

    pub(crate) fn arrive(&mut self, from: Rank, arrival: Arrival<T>) {
        match arrival {
            Arrival::Message(header, payload) => {
                let queue = self.queue(from, header.tag);
                queue.messages.insert(queue.arrived, (header, payload));
                queue.arrived += 1;
            }
            // The first reason is the cause; later ones are its echoes.
            Arrival::Stopped(why) => {
                self.peers[from.index()].stopped.get_or_insert(why);
            }
        }
    }

    /// The message for a posted receive: `None` while it may still come.
    pub(crate) fn take(
        &mut self,
        from: Rank,
        ticket: u64,
        wanted: &Wanted,
    ) -> Option<Result<T, CommError>> {
        if let Some((header, payload)) = self.queue(from, wanted.tag).messages.remove(&ticket) {
            let expected = Header {
                tag: wanted.tag,
                dtype: wanted.dtype.as_str().to_owned(),
                dims: wanted.shape.dims().to_vec(),
            };
            return Some(if header == expected {
                Ok(payload)
            } else {
                Err(self.error(Fault::Mismatch, from, wanted, header.describe()))
            });
        }
        self.peers[from.index()].stopped.as_ref()?;
        Some(Err(self.sender_stopped(from, wanted)))
    }

    /// The error for a message that `from` no longer sends.
    pub(crate) fn sender_stopped(&self, from: Rank, wanted: &Wanted) -> CommError {
        let why = self.peers[from.index()].stopped.as_deref().unwrap_or("its program ended");
        let got = format!("the news that rank {from} stopped: {why}");
        self.error(Fault::PeerStopped, from, wanted, got)
    }

    /// Whether `peer` has said that it sends no more.
    #[cfg(any(feature = "workers", feature = "nccl", feature = "mpi"))]
    pub(crate) fn has_stopped(&self, peer: Rank) -> bool {
        self.peers[peer.index()].stopped.is_some()
    }

    /// The error for a message that `to` no longer takes.
    pub(crate) fn receiver_stopped(&self, to: Rank, sent: &Wanted) -> CommError {
        let why = self.peers[to.index()].stopped.as_deref().unwrap_or("its program ended");
        CommError::Exchange {
            fault: Fault::PeerStopped,
            rank: self.rank,
            tag: sent.tag,
            expected: format!("rank {to} to take {} {:?}", sent.dtype.as_str(), sent.shape.dims()),
            got: format!("the news that rank {to} stopped: {why}"),
        }
    }

    /// The error for a receive whose message did not come within `seconds`.
    pub(crate) fn timeout(&self, from: Rank, wanted: &Wanted, seconds: f64) -> CommError {
        let got = format!(
            "nothing for {seconds} s; rank {from} may be in another operation, stuck or dead"
        );
        self.error(Fault::Timeout, from, wanted, got)
    }

    fn error(&self, fault: Fault, from: Rank, wanted: &Wanted, got: String) -> CommError {
        let expected =
            format!("{} {:?} from rank {from}", wanted.dtype.as_str(), wanted.shape.dims());
        CommError::Exchange { fault, rank: self.rank, tag: wanted.tag, expected, got }
    }
}
