//! `ringside inspect`: what is known of a run before it begins, a file a view.

mod memory;
mod mesh;
mod runtime;
mod schedule;
mod shape;
mod shard;
mod targets;
mod traffic;

use anyhow::Result;

use crate::args::{InspectArgs, View};
use crate::output::Style;

/// Runs the command.
pub fn run(args: &InspectArgs, style: Style) -> Result<()> {
    match &args.view {
        View::Shard(shape) => shard::run(shape, style),
        View::Targets { ids, shape } => targets::run(ids, shape, style),
        View::Schedule(shape) => schedule::run(shape, style),
        View::Traffic(shape) => traffic::run(shape, style),
        View::Memory(shape) => memory::run(shape, style),
        View::Mesh(shape) => mesh::run(shape, style),
        View::Runtime(args) => runtime::run(args, style),
    }
}
