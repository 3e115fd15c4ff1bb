//! `cargo xtask test`: the project's checks as a list of steps, cheapest first.

use std::{
    ffi::OsStr,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    child, cuda,
    setup::{self, Fetch, Need},
    site::{self, Site},
    tidy,
    toolbox::Toolbox,
    workspace,
};

/// Flags of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Args {
    /// Runs only these steps, comma-separated or repeated; `browser` builds the page first
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STEP")]
    only: Vec<Step>,
    /// Uses the network for nothing: works, or names the tool and version that is missing
    #[arg(long)]
    offline: bool,
}

/// One step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Step {
    /// Formatting
    Fmt,
    /// The project's own rules, as in `cargo xtask tidy`
    Tidy,
    /// Lints of everything that builds natively
    Clippy,
    /// Lints of what the features cuda and nccl switch on, with a stand-in for CUDA's toolkit
    Cuda,
    /// Documentation, whose links must hold
    Doc,
    /// Every test that needs no browser
    Native,
    /// The tests whose ranks are processes under a real mpirun
    Mpi,
    /// Lints of the page's code for wasm32
    Wasm,
    /// The page, into dist
    Build,
    /// The tests that drive the built page in Chromium
    Browser,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let steps = chosen(&args.only);
    let fetch = Fetch::unless(args.offline);
    let begun = Instant::now();
    let mut summary = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        println!("\n== {} ({} of {})", step.name(), index + 1, steps.len());
        let step_begun = Instant::now();
        let outcome = step.run(fetch);
        let took = step_begun.elapsed();
        summary.push((step.name(), outcome.is_ok(), took));
        if let Err(error) = outcome {
            println!("== {} FAILED after {}", step.name(), child::seconds(took));
            print_summary(&summary, steps.len(), begun.elapsed());
            return Err(error.context(format!("step `{}` failed", step.name())));
        }
        println!("== {} ok after {}", step.name(), child::seconds(took));
    }
    print_summary(&summary, steps.len(), begun.elapsed());
    Ok(())
}

/// The steps to run: all unless some are named, each once, and never the browser's without a page.
fn chosen(only: &[Step]) -> Vec<Step> {
    let mut steps = match only {
        [] => Step::value_variants().to_vec(),
        some => some.to_vec(),
    };
    if steps.contains(&Step::Browser) {
        steps.push(Step::Build);
    }
    steps.sort();
    steps.dedup();
    steps
}

fn print_summary(summary: &[(String, bool, Duration)], planned: usize, took: Duration) {
    println!("\nSummary");
    for (name, ok, took) in summary {
        let outcome = if *ok { "ok" } else { "FAILED" };
        println!("  {name:<8} {outcome:<7} {:>12}", child::seconds(*took));
    }
    match planned - summary.len() {
        0 => println!("  all {planned} steps ran, {}", child::seconds(took)),
        left => println!("  {left} not run, {}", child::seconds(took)),
    }
}

impl Step {
    /// What the step is called on the command line.
    fn name(self) -> String {
        self.to_possible_value().expect("no step is hidden").get_name().to_owned()
    }

    fn run(self, fetch: Fetch) -> Result<()> {
        let native = |need: &[Need]| setup::ensure(need, fetch);
        match self {
            Self::Fmt => {
                visible(native(&[Need::Lints])?.native("cargo"), ["fmt", "--all", "--check"])
                    .context("run `cargo fmt --all`")
            }
            Self::Tidy => tidy::run(),
            Self::Clippy => {
                let cargo = native(&[Need::Lints])?.native("cargo");
                visible(cargo, CLIPPY_NATIVE)
            }
            Self::Cuda => cuda::check(),
            Self::Doc => {
                let mut cargo = Toolbox::default().native("cargo");
                cargo.env("RUSTDOCFLAGS", "-D warnings");
                visible(cargo, DOC)
            }
            Self::Native => visible(Toolbox::default().native("cargo"), TEST_NATIVE),
            Self::Mpi => visible(native(&[Need::Mpi])?.native("cargo"), TEST_MPI),
            Self::Wasm => {
                let cargo = native(&[Need::Lints, Need::Page])?.wasm("cargo");
                visible(cargo, CLIPPY_WASM)
            }
            Self::Build => {
                let toolbox = native(&[Need::Page])?;
                let dist = site::default_dist();
                site::build(&toolbox, &Site { dist: &dist, public_url: "./", fetch })
            }
            Self::Browser => {
                let toolbox = native(&[Need::Page, Need::Browser, Need::Axe])?;
                visible(browser_tests(&toolbox, &site::default_dist()), ["browser"])
            }
        }
    }
}

// Release throughout: training in a debug build takes minutes, and one profile shares artefacts.
const CLIPPY_NATIVE: [&str; 7] =
    ["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"];
const DOC: [&str; 4] = ["doc", "--workspace", "--no-deps", "--release"];
// The page too: its state and its geometry are plain values, tested without a browser.
const TEST_NATIVE: [&str; 3] = ["test", "--release", "--workspace"];
// Of the whole workspace, as above: for one package alone cargo compiles most of it once more, with
// the features that this package asks for.
const TEST_MPI: [&str; 9] = [
    "test",
    "--release",
    "--workspace",
    "--test",
    "integration",
    "--features",
    "tests/mpi,cli/mpi,comm/mpi",
    "--",
    "cli::mpi",
];
// The worker's profile, so that the build of the page finds its build scripts and macros compiled.
const CLIPPY_WASM: [&str; 12] = [
    "clippy",
    "--package",
    "web",
    "--features",
    "worker,doctor",
    "--target",
    "wasm32-unknown-unknown",
    "--profile",
    "worker",
    "--",
    "-D",
    "warnings",
];

/// The integration tests' binary with its browser part on; what follows goes to the test harness.
pub fn browser_tests(toolbox: &Toolbox, dist: &Path) -> Command {
    let mut command = toolbox.browser("cargo");
    command
        .args(["test", "--release", "--workspace", "--test", "integration"])
        .args(["--features", "tests/browser", "--"])
        .env("RINGSIDE_DIST", workspace::root().join(dist));
    command
}

/// Runs `command` with more arguments and its output shown: CI reads the `test result` lines.
fn visible<S: AsRef<OsStr>>(
    mut command: Command,
    arguments: impl IntoIterator<Item = S>,
) -> Result<()> {
    command.args(arguments);
    child::visible(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_every_step_runs_cheapest_first() {
        assert_eq!(chosen(&[]), Step::value_variants());
    }

    #[test]
    fn named_steps_run_once_and_in_order() {
        assert_eq!(chosen(&[Step::Clippy, Step::Fmt, Step::Clippy]), [Step::Fmt, Step::Clippy]);
    }

    #[test]
    fn browser_brings_the_build() {
        assert_eq!(chosen(&[Step::Browser]), [Step::Build, Step::Browser]);
    }

    #[test]
    fn browser_tests_are_told_where_the_page_is() {
        let command = browser_tests(&Toolbox::default(), Path::new("dist"));
        let dist = command.get_envs().find(|(name, _)| *name == "RINGSIDE_DIST");
        assert!(Path::new(dist.unwrap().1.unwrap()).is_absolute());
    }
}
