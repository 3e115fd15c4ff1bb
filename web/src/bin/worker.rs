//! A rank's worker.

fn main() {}
