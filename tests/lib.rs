//! Integration tests live in `integration/`; this crate has no code of its own.
