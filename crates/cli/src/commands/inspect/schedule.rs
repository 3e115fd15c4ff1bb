//! `ringside inspect schedule`: who computes which tile, and how even the work is.

use anyhow::Result;
use plan::schedule::{RankSchedule, ScheduleView};
use plan::{AttentionPlan, TileKind};

use super::shape;
use crate::args::Shape;
use crate::output::{self, Style, table};

/// Wider matrices do not fit a terminal.
const WIDEST: usize = 32;

/// Runs the view.
pub fn run(shape: &Shape, style: Style) -> Result<()> {
    let plan = shape::attention(&shape::config(shape))?;
    let view = plan.view();
    if style == Style::Json {
        return output::json(&view);
    }
    print_work(&view)?;
    if view.ranks.len() <= WIDEST {
        print_matrix(&plan, &view)?;
    }
    output::line(format!(
        "efficiency {:.1} %: the mean of the ranks' pairs by the largest",
        100.0 * view.efficiency
    ))
}

fn print_work(view: &ScheduleView) -> Result<()> {
    let largest = view.ranks.iter().map(|rank| rank.pairs).max().unwrap_or(0).max(1);
    let mut rows = table::new(["rank", "pairs", "work", "tiles by step"]);
    for rank in &view.ranks {
        let bar = (20 * rank.pairs).div_ceil(largest) as usize;
        let tiles: Vec<_> = rank.steps.iter().take(WIDEST).map(|step| glyph(step.kind)).collect();
        rows.add_row([
            table::right(rank.rank),
            table::right(table::grouped(rank.pairs)),
            "█".repeat(bar).into(),
            tiles.join(" ").into(),
        ]);
    }
    output::line(rows)
}

/// Queries by key blocks: which step computes the tile, and how much of it is seen.
fn print_matrix(plan: &AttentionPlan, view: &ScheduleView) -> Result<()> {
    let world = view.ranks.len();
    let keys = (0..world).map(|key| format!("k{key}"));
    let mut rows = table::new(std::iter::once("".to_owned()).chain(keys));
    for rank in &view.ranks {
        let name = format!("q{}", rank.rank);
        rows.add_row(std::iter::once(name).chain((0..world).map(|key| tile(rank, key))));
    }
    output::line(rows)?;
    if plan.strategy().ulysses() > 1 {
        output::line(format!(
            "Ulysses: {} ranks bring their positions together and share out the heads; \
             k is the rank whose block of keys is in use",
            plan.strategy().ulysses()
        ))?;
    }
    output::line("■ full   ◪ partial   · skipped; a number is the step that computes the tile")
}

fn tile(rank: &RankSchedule, key: usize) -> String {
    let step = rank.steps.iter().find(|step| step.kv_from == key);
    step.map(|step| format!("{}{}", glyph(step.kind), step.step)).unwrap_or_default()
}

fn glyph(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Skip => "·",
        TileKind::Full => "■",
        TileKind::Partial => "◪",
    }
}
