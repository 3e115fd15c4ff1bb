//! The doctor: every known situation is found by its name, and nothing is found where all is well.

mod cases;
mod checklists;
mod correction;
mod errors;
mod given;
mod launcher;
mod laws;
mod lines;
mod machines;
mod mesh;
mod messages;
mod misplaced;
mod repair;
pub mod support;
mod values;
