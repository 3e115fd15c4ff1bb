//! `ringside inspect mesh`: each rank's place and its groups.

use anyhow::Result;
use plan::Mesh;

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

/// Runs the view.
pub fn run(shape: &Shape, style: Style) -> Result<()> {
    let config = shape::config(shape);
    let view = Mesh::new(config.dp, shape::strategy(&config)?)?.view();
    if style == Style::Json {
        return output::json(&view);
    }
    let axes: Vec<_> = view.axes.iter().map(|(axis, size)| format!("{axis} {size}")).collect();
    output::line(axes.join(", "))?;
    let mut rows = table::new(["rank", "coordinate", "groups"]);
    for rank in &view.ranks {
        let place: Vec<_> =
            rank.coordinate.iter().map(|(axis, place)| format!("{axis} {place}")).collect();
        let groups = rank.groups.iter().map(|(axis, members)| {
            let members: Vec<u32> = members.iter().map(|&member| member as u32).collect();
            format!("{axis} [{}]", table::positions(&members))
        });
        rows.add_row([
            table::right(rank.rank),
            place.join(", ").into(),
            groups.collect::<Vec<_>>().join("  ").into(),
        ]);
    }
    output::line(rows)
}
