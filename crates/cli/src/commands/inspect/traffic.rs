//! `ringside inspect traffic`: what a rank sends for one layer, in f32.

use anyhow::Result;
use plan::traffic;

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

/// Runs the view.
pub fn run(shape: &Shape, style: Style) -> Result<()> {
    let plan = shape::attention(&shape::config(shape))?;
    let view = traffic::attention(&plan, shape::attention_shape(shape)?);
    if style == Style::Json {
        return output::json(&view);
    }
    output::line(format!("strategy {}, per rank and layer", plan.strategy().kind()))?;
    let mut rows = table::new(["pass", "messages", "bytes", ""]);
    let sum = view.forward + view.backward;
    for (pass, flow) in [("forward", view.forward), ("backward", view.backward), ("both", sum)] {
        rows.add_row([
            pass.into(),
            table::right(flow.messages),
            table::right(table::grouped(flow.bytes)),
            table::right(table::bytes(flow.bytes)),
        ]);
    }
    output::line(rows)
}
