//! `cargo xtask bench`: the native bench, the page's, and peers beside them.

mod peers;
mod said;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;

use peers::Peers;

use crate::{
    child,
    setup::{self, Fetch, Need},
    site::{self, Site},
    test,
    toolbox::Toolbox,
};

/// Flags of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Measures only one side
    #[arg(long, value_enum, value_name = "SIDE")]
    only: Option<Side>,
    /// A folder with other programs that train the same step, to be timed beside ours
    #[arg(long, value_name = "FOLDER")]
    peers: Option<PathBuf>,
    /// A Python interpreter that has PyTorch, one of the peers
    #[arg(long, value_name = "PYTHON", requires = "peers", default_value = "python3")]
    torch: PathBuf,
    /// Writes what the page's workers measured, for `ringside bench --compare`
    #[arg(long, value_name = "FILE")]
    page_json: Option<PathBuf>,
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
    let peers = args.peers.as_deref().map(|folder| Peers::new(folder, &args.torch)).transpose()?;
    if args.only != Some(Side::Page) {
        native()?;
        peers.as_ref().map_or(Ok(()), Peers::native)?;
    }
    if args.only != Some(Side::Native) {
        let said = page(Fetch::unless(args.offline), args.page_json.as_deref())?;
        peers.map_or(Ok(()), |peers| peers.page(&said))?;
    }
    Ok(())
}

fn native() -> Result<()> {
    println!("== native");
    let mut command = Toolbox::default().native("cargo");
    command.args(["run", "--quiet", "--release", "--package", "cli", "--", "bench"]);
    child::visible(command).context("the native bench failed")
}

/// Returns what it printed.
fn page(fetch: Fetch, json: Option<&Path>) -> Result<String> {
    println!("\n== page");
    let toolbox = setup::ensure(&[Need::Page, Need::Browser], fetch)?;
    let dist = site::default_dist();
    site::build(&toolbox, &Site { dist: &dist, public_url: "./", fetch })?;
    let mut command = test::browser_tests(&toolbox, &dist);
    command.args(["--ignored", "--nocapture", "bench_page"]);
    if let Some(json) = json {
        // The test runs in its package's folder.
        command.env("RINGSIDE_BENCH_JSON", std::path::absolute(json)?);
    }
    let said = child::read(command).context("the page's bench failed")?;
    println!("{said}");
    Ok(said)
}
