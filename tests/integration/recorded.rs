//! The event log that the page shows before any worker has loaded is one that ranks of this tree
//! write. `RINGSIDE_RECORDED=write` records it anew.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use plan::fold::beats::Beats;
use plan::{Event, Layout, RunConfig};

use crate::support::on_ranks;

/// The run of the picture: a ring of four, small enough to be seen through.
fn config() -> RunConfig {
    RunConfig { cp: 4, layers: 1, layout: Layout::Zigzag, ..RunConfig::default() }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../web/recorded/step.bin")
}

#[test]
fn the_recorded_step_is_what_four_ranks_do() -> Result<()> {
    let ranks = on_ranks(&config(), async |trainer| {
        trainer.step().await?;
        Ok(())
    })?;
    let events: Vec<Vec<Event>> = ranks.into_iter().map(|(_, events)| events).collect();
    if std::env::var("RINGSIDE_RECORDED").is_ok_and(|wish| wish == "write") {
        fs::write(path(), postcard::to_stdvec(&events)?)?;
    }
    let bytes = fs::read(path()).context("web/recorded/step.bin")?;
    let recorded: Vec<Vec<Event>> = postcard::from_bytes(&bytes)?;
    // When each thing happened is another in every run; what happened, and after what, is not.
    let (ours, theirs) = (Beats::new(0, &events), Beats::new(0, &recorded));
    ensure!(ours == theirs, "RINGSIDE_RECORDED=write records it anew: {ours:?}");
    Ok(())
}
