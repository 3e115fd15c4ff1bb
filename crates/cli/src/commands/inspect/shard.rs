//! `ringside inspect shard`: which positions each rank holds.

use anyhow::Result;
use plan::sequence::ShardView;
use serde::Serialize;

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

#[derive(Serialize)]
struct View {
    padded_len: usize,
    ranks: Vec<ShardView>,
}

/// Runs the view.
pub fn run(shape: &Shape, style: Style) -> Result<()> {
    let sequence = shape::sequence(&shape::config(shape))?;
    let view = View { padded_len: sequence.padded_len(), ranks: sequence.view() };
    if style == Style::Json {
        return output::json(&view);
    }
    let padding = view.padded_len - sequence.seq_len();
    output::line(format!(
        "{} tokens and {padding} of padding, {}",
        sequence.seq_len(),
        sequence.layout()
    ))?;
    let mut rows = table::new(["rank", "positions", "tokens"]);
    for rank in &view.ranks {
        rows.add_row([
            table::right(rank.rank),
            table::positions(&rank.positions).into(),
            table::right(rank.valid),
        ]);
    }
    output::line(rows)
}
