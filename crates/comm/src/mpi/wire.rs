//! An arrival as the bytes of one MPI message: the length of its head, the head, the elements.

use serde::{Deserialize, Serialize};

use crate::inbox::{Arrival, Header};

#[derive(Serialize, Deserialize)]
enum Head {
    Message(Header),
    Stopped(String),
}

pub(super) fn write(arrival: &Arrival<Vec<u8>>) -> Vec<u8> {
    let (head, elements) = match arrival {
        Arrival::Message(header, elements) => (Head::Message(header.clone()), elements.as_slice()),
        Arrival::Stopped(why) => (Head::Stopped(why.clone()), &[][..]),
    };
    let head = postcard::to_allocvec(&head).expect("a head is numbers, names and text");
    let mut bytes = Vec::with_capacity(4 + head.len() + elements.len());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    bytes.extend(elements);
    bytes
}

/// What came; bytes that are no message end the conversation with their sender.
pub(super) fn read(bytes: Vec<u8>) -> Arrival<Vec<u8>> {
    split(bytes).unwrap_or_else(|| Arrival::Stopped("it sent what is no message".to_owned()))
}

fn split(mut bytes: Vec<u8>) -> Option<Arrival<Vec<u8>>> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let head = postcard::from_bytes(rest.get(..length)?).ok()?;
    Some(match head {
        Head::Message(header) => Arrival::Message(header, bytes.split_off(4 + length)),
        Head::Stopped(why) => Arrival::Stopped(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Axis, Op};

    #[test]
    fn what_is_written_is_read() {
        let tag = crate::Tag { axis: Axis::Cp, op: Op::RingKv, seq: 7, block: Some(2), lane: 3 };
        let header = Header { tag, dtype: "f32".to_owned(), dims: vec![1, 2] };
        let message = Arrival::Message(header.clone(), vec![1, 2, 3, 4, 5, 6, 7, 8]);
        match read(write(&message)) {
            Arrival::Message(got, elements) => {
                assert_eq!((got, elements), (header, vec![1, 2, 3, 4, 5, 6, 7, 8]));
            }
            Arrival::Stopped(why) => panic!("{why}"),
        }
        let why = |bytes| match read(bytes) {
            Arrival::Stopped(why) => why,
            Arrival::Message(..) => panic!("it is no message"),
        };
        assert_eq!(why(write(&Arrival::Stopped("out of cheese".to_owned()))), "out of cheese");
        for broken in [vec![], vec![1, 0], vec![200, 0, 0, 0, 1], vec![1, 0, 0, 0, 99]] {
            assert_eq!(why(broken), "it sent what is no message");
        }
    }
}
