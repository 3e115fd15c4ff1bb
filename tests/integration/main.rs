//! Every integration test; this list is the table of contents.

mod support;

mod parity;
