//! Every integration test; this list is the table of contents.

mod support;

mod attention;
#[cfg(feature = "browser")]
mod browser;
mod cli;
mod conformance;
mod context;
mod disagreement;
mod doctor;
mod faults;
mod golden;
mod mesh;
mod parity;
mod probes;
mod recorded;
mod reduction;
mod simulate;
mod tasks;
mod traffic;
