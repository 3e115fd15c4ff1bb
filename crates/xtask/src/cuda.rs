//! `cargo xtask cuda`: builds the native program with CUDA, or only type-checks it.

mod stub;

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{
    child,
    setup::{
        Fetch,
        cuda_toolkit::{self, Source},
    },
    toolbox::Toolbox,
    workspace,
};

/// Flags of `cargo xtask cuda`.
#[derive(clap::Args)]
pub struct Args {
    /// Builds with one of the two features only
    #[arg(long, value_enum, value_name = "FEATURE")]
    only: Option<Feature>,
    /// Compute capability of the GPU to build for, as in 90 for Hopper [default:
    /// $CUDA_COMPUTE_CAP, else this machine's GPU, else 75: any GPU since Turing]
    #[arg(long, value_name = "CAP", value_parser = clap::value_parser!(u32).range(50..=999))]
    compute_cap: Option<u32>,
    /// Takes CUDA from PyPI even where the machine has a toolkit
    #[arg(long)]
    fetch: bool,
    /// Type-checks what the features switch on, without a toolkit and without kernels
    #[arg(long, conflicts_with_all = ["only", "compute_cap", "fetch"])]
    check: bool,
    /// Uses the network for nothing: works, or says what is missing
    #[arg(long, conflicts_with = "fetch")]
    offline: bool,
}

/// A cargo feature of the native program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Feature {
    /// Ranks share a GPU
    Cuda,
    /// One rank a GPU
    Nccl,
}

/// Built for this where nothing says otherwise: the driver compiles its PTX for any newer GPU.
const OLDEST_CAP: &str = "75";

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.check {
        return check();
    }
    let mut toolbox = Toolbox::default();
    let source = if args.fetch { Source::Packages } else { Source::Any };
    let toolkit = cuda_toolkit::ensure(&mut toolbox, source, Fetch::unless(args.offline))?;
    let state = if toolkit.installed { "installed" } else { "present" };
    println!("{:<34} {state:<9} {}", toolkit.name, toolkit.place);
    let cap = compute_cap(args.compute_cap);
    for feature in args.only.map_or_else(|| vec![Feature::Nccl, Feature::Cuda], |one| vec![one]) {
        build(&toolbox, feature, cap.as_deref(), args.offline)?;
    }
    starts()?;
    print_next(&toolbox, cap.as_deref());
    Ok(())
}

/// Type-checks both features with a stand-in for nvcc, whose kernels are empty.
pub fn check() -> Result<()> {
    let mut toolbox = Toolbox::default();
    // A folder of its own: a build must never take the empty kernels for its own.
    let folder = workspace::target().join("cuda-check");
    toolbox.add_cuda(&stub::toolkit(&folder)?);
    let mut command = toolbox.cuda("cargo");
    command.args(["clippy", "--package", "cli", "--package", "tests", "--all-targets"]);
    command.args(["--features", "cli/nccl,tests/nccl", "--target-dir"]).arg(folder.join("target"));
    command.args(["--", "-D", "warnings"]).env("CUDA_COMPUTE_CAP", OLDEST_CAP);
    child::visible(command).context("the code behind the features cuda and nccl does not check")
}

/// What to build for; `None` lets candle's build script ask the machine's GPU.
fn compute_cap(asked: Option<u32>) -> Option<String> {
    let named = asked.map(|cap| cap.to_string()).or_else(|| std::env::var("CUDA_COMPUTE_CAP").ok());
    if named.is_some() || which::which("nvidia-smi").is_ok() {
        return named;
    }
    println!("No GPU to ask: building for compute capability {OLDEST_CAP} and newer.");
    Some(OLDEST_CAP.to_owned())
}

fn build(toolbox: &Toolbox, feature: Feature, cap: Option<&str>, offline: bool) -> Result<()> {
    let name = feature.to_possible_value().expect("no feature is hidden").get_name().to_owned();
    let mut command = toolbox.cuda("cargo");
    command.args(["build", "--release", "--package", "cli", "--features", &name]);
    if offline {
        command.arg("--offline");
    }
    command.envs(cap.map(|cap| ("CUDA_COMPUTE_CAP", cap)));
    child::condensed(&format!("Building with --features {name}"), command).with_context(|| {
        match feature {
            Feature::Cuda => "the build with CUDA failed",
            Feature::Nccl => {
                "the build with NCCL failed; where libnccl is missing, `--only cuda` does without, \
                 and `--fetch` brings it"
            }
        }
    })
}

/// The program must start here, driver or not: it looks for one when a GPU is wanted.
fn starts() -> Result<()> {
    let program = workspace::target().join("release/ringside");
    let mut command = Command::new(&program);
    command.arg("--version");
    match child::read(command) {
        Ok(version) => println!("{version} is in {}", program.display()),
        Err(error) => bail!(
            "{error:#}\n{} was built but does not start: if libcuda.so.1 is missing, a function of \
             the driver is not in crates/cli/src/device/cuda/unsafe_driver.rs",
            program.display()
        ),
    }
    Ok(())
}

fn print_next(toolbox: &Toolbox, cap: Option<&str>) {
    println!("\nFor cargo by hand, as in `cargo run --release --features cuda`:");
    for (name, value) in toolbox.cuda_variables() {
        println!("  export {name}={}", value.display());
    }
    println!("  export PATH=$CUDA_HOME/bin:$PATH");
    if let Some(cap) = cap {
        println!("  export CUDA_COMPUTE_CAP={cap}");
    }
    println!("On a machine with a GPU, `tests/gpu.sh` checks the ranks against one on the CPU.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capability_that_is_asked_for_wins() {
        assert_eq!(compute_cap(Some(90)).as_deref(), Some("90"));
    }
}
