//! The doctor: every known situation is found by its name, and nothing is found where all is well.

mod cases;
mod correction;
mod given;
mod laws;
mod machines;
mod mesh;
mod messages;
pub mod support;
