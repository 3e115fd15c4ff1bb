//! `ringside inspect memory`: what each rank holds while it trains.

use anyhow::Result;
use plan::RunPlan;
use plan::memory::{RankMemory, memory};
use serde::Serialize;

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

#[derive(Serialize)]
struct View {
    ranks: Vec<RankMemory>,
}

/// Runs the view.
pub fn run(shape: &Shape, style: Style) -> Result<()> {
    let view = View { ranks: memory(&RunPlan::new(shape::config(shape))?) };
    if style == Style::Json {
        return output::json(&view);
    }
    let mut rows = table::new([
        "rank",
        "parameters",
        "gradients",
        "optimizer",
        "activations",
        "keys/values",
        "total",
    ]);
    for rank in &view.ranks {
        let bytes = |value| table::right(table::bytes(value));
        rows.add_row([
            table::right(rank.rank),
            bytes(rank.parameters),
            bytes(rank.gradients),
            bytes(rank.optimizer),
            bytes(rank.activations),
            bytes(rank.kv),
            bytes(rank.total()),
        ]);
    }
    output::line(rows)
}
