//! What goes to stdout: tables for people, a line of JSON for machines.

pub mod file;
pub mod table;

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Tables.
    Table,
    /// JSON, one object a line.
    Json,
}

/// Prints a line.
pub fn line(text: impl std::fmt::Display) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Prints `value` as one line of JSON.
pub fn json(value: &impl Serialize) -> Result<()> {
    line(serde_json::to_string(value)?)
}
