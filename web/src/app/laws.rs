//! The laws of the links' self-test, told in the language that is spoken.

use std::borrow::Cow;

use crate::t;

/// The laws as the workers tell them, with their keys in the catalogues.
const LAWS: [(&str, &str); 11] = [
    ("messages of one sender arrive in order", "order"),
    ("every element type arrives bit for bit", "types"),
    ("an empty tensor travels", "empty"),
    ("broadcast gives every rank the root's tensor", "broadcast"),
    ("all_reduce is the sum, for lengths that do not divide too", "all_reduce"),
    ("all_gather orders by rank", "all_gather"),
    ("reduce_scatter then all_gather is all_reduce, bit for bit", "reduce_scatter"),
    ("all_to_all twice is the identity", "all_to_all"),
    ("barrier returns on every rank", "barrier"),
    ("sums that run beside each other do not mix", "beside"),
    ("a sent buffer is transferred: the sender holds it no more", "transfer"),
];

/// A law in the language that is spoken; one that is not known here stays as it was told.
pub fn told(law: &str) -> Cow<'static, str> {
    match LAWS.iter().find(|(known, _)| *known == law) {
        Some((_, key)) => t!(format!("self_test.law.{key}")),
        None => law.to_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_of_the_workers_is_known() {
        let suite = include_str!("../../../crates/comm/src/conformance.rs");
        let links = include_str!("../rank/self_test.rs");
        let laws: Vec<&str> = suite
            .lines()
            .filter_map(|line| line.trim().strip_prefix("(\"")?.split_once("\", |g|"))
            .map(|(law, _)| law)
            .chain(links.lines().filter_map(|line| {
                line.strip_prefix("const TRANSFER: &str = \"")?.strip_suffix("\";")
            }))
            .collect();
        assert_eq!(laws, LAWS.map(|(law, _)| law));
        for law in laws {
            assert_eq!(told(law), law);
        }
    }
}
