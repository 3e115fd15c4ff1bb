//! `ringside inspect targets`: what each rank's tokens have to predict.

use anyhow::Result;
use plan::{Refusal, targets};

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

/// Runs the view.
pub fn run(ids: &[i64], shape: &Shape, style: Style) -> Result<()> {
    if let Some(seq_len) = shape.seq_len.filter(|&seq_len| seq_len != ids.len()) {
        return Err(Refusal::new(
            "seq_len",
            seq_len,
            format!("--ids has {} tokens", ids.len()),
            "leave it out",
        )
        .into());
    }
    let shape = Shape { seq_len: Some(ids.len()), ..shape.clone() };
    let view = targets::view(ids, &shape::sequence(&shape::config(&shape))?);
    if style == Style::Json {
        return output::json(&view);
    }
    let mut rows = table::new(["rank", "ids", "targets"]);
    for rank in &view.ranks {
        rows.add_row([table::right(rank.rank), list(&rank.ids), list(&rank.targets)]);
    }
    output::line(rows)?;
    output::line(format!("{} targets count in the loss; -100 does not", view.valid))
}

fn list(values: &[i64]) -> comfy_table::Cell {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(" ").into()
}
