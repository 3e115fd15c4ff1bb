//! The workers backend passes the conformance suite between real workers, for every world.

use anyhow::{Result, ensure};
use plan::WorldSize;

use super::drive::open;
use super::site::Hosting;

fn laws_hold(world: usize) -> Result<()> {
    let world = WorldSize::new(world)?.get();
    open(Hosting::default(), &format!("v=1&cp={world}"), async |page, _| {
        page.until_ready(world).await?;
        page.press("Test the links").await?;
        page.until_status("Links", "laws").await?;
        let found = page.status("Links").await?;
        ensure!(found.contains("laws hold"), "{found}");
        for law in ["every element type", "an empty tensor", "all_to_all twice", "barrier"] {
            ensure!(found.contains(law), "{law} is not among them: {found}");
        }
        ensure!(found.contains("a sent buffer is transferred"), "{found}");
        let trips = page.table("Links").await?;
        let sizes = if world == 1 { 0 } else { 3 };
        ensure!(trips.len() == sizes, "64 KiB, 1 MiB and 4 MiB are timed: {trips:?}");
        // The same workers can still train.
        page.press("Step").await?;
        page.until_step(1).await
    })
}

#[test]
fn one_worker_keeps_every_law() -> Result<()> {
    laws_hold(1)
}

#[test]
fn two_workers_keep_every_law() -> Result<()> {
    laws_hold(2)
}

#[test]
fn four_workers_keep_every_law() -> Result<()> {
    laws_hold(4)
}

#[test]
fn eight_workers_keep_every_law() -> Result<()> {
    laws_hold(8)
}
