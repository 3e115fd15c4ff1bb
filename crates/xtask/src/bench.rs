//! `cargo xtask bench`: the native bench, the page's, and a peer's beside them.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    child,
    setup::{self, Fetch, Need},
    site::{self, Site},
    test,
    toolbox::{Toolbox, as_named},
};

/// Flags of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Measures only one side
    #[arg(long, value_enum, value_name = "SIDE")]
    only: Option<Side>,
    /// A Python interpreter that has PyTorch, to time --peer with one thread
    #[arg(long, value_name = "PYTHON", requires = "peer")]
    torch: Option<PathBuf>,
    /// A Python script that times PyTorch on our shapes and takes the number of threads
    #[arg(long, value_name = "SCRIPT", requires = "torch")]
    peer: Option<PathBuf>,
    /// Uses the network for nothing: works, or names the tool and version that is missing
    #[arg(long)]
    offline: bool,
}

/// Where the core runs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    /// `ringside bench`
    Native,
    /// The page in Chromium
    Page,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.only != Some(Side::Page) {
        native()?;
    }
    if let (Some(python), Some(script)) = (&args.torch, &args.peer) {
        println!("\n== PyTorch, 1 thread");
        let mut command = Toolbox::default().native(&as_named(python)?);
        command.arg(std::path::absolute(script)?).arg("1");
        child::visible(command).context("the peer's bench failed")?;
    }
    if args.only != Some(Side::Native) {
        page(Fetch::unless(args.offline))?;
    }
    Ok(())
}

fn native() -> Result<()> {
    println!("== native");
    let mut command = Toolbox::default().native("cargo");
    command.args(["run", "--quiet", "--release", "--package", "cli", "--", "bench"]);
    child::visible(command).context("the native bench failed")
}

fn page(fetch: Fetch) -> Result<()> {
    println!("\n== page");
    let toolbox = setup::ensure(&[Need::Page, Need::Browser], fetch)?;
    let dist = site::default_dist();
    site::build(&toolbox, &Site { dist: &dist, public_url: "./", fetch })?;
    let mut command = test::browser_tests(&toolbox, &dist);
    command.args(["--ignored", "--nocapture", "bench_page"]);
    child::visible(command).context("the page's bench failed")
}
