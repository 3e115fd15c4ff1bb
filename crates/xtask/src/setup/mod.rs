//! `cargo xtask setup`: finds the tools that the other commands need, gets those that are missing.

mod apt;
mod axe;
mod browser;
mod cargo_tool;
mod components;
pub mod cuda_toolkit;
mod debian_rust;
mod driver_stub;
mod mpi;
mod wasm_std;

use anyhow::Result;

use crate::{child, toolbox::Toolbox, workspace};
use cargo_tool::CargoTool;

/// Flags of `cargo xtask setup`.
#[derive(clap::Args)]
pub struct Args {
    /// Also gets Chromium, its WebDriver and axe-core, which `test` needs
    #[arg(long)]
    browser: bool,
    /// Also gets Open MPI, which `test` needs
    #[arg(long)]
    mpi: bool,
    /// Installs nothing: names the first tool that is missing, and fails
    #[arg(long)]
    offline: bool,
}

/// What a command is about to do, and so what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Formatting and linting: rustfmt and clippy.
    Lints,
    /// Building the page: the wasm32 standard library, Trunk, wasm-bindgen.
    Page,
    /// Driving the page: Chromium and chromedriver.
    Browser,
    /// Judging the page's accessibility: axe-core.
    Axe,
    /// Ranks that are processes: Open MPI and libclang.
    Mpi,
}

/// Whether missing tools may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// Missing tools are installed.
    Allowed,
    /// A missing tool is an error.
    Forbidden,
}

impl Fetch {
    /// The mode that an `--offline` flag stands for.
    pub fn unless(offline: bool) -> Self {
        if offline { Self::Forbidden } else { Self::Allowed }
    }
}

/// One tool that set-up looked for, found or installed.
#[derive(Debug)]
pub struct Tool {
    /// The tool's name and version.
    pub name: String,
    /// Where it is.
    pub place: String,
    /// Whether this run installed it.
    pub installed: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let mut needs = vec![Need::Lints, Need::Page];
    if args.browser {
        needs.extend([Need::Browser, Need::Axe]);
    }
    if args.mpi {
        needs.push(Need::Mpi);
    }
    let fetch = Fetch::unless(args.offline);
    let (_, tools) = look(&needs, fetch)?;
    for tool in &tools {
        let state = if tool.installed { "installed" } else { "present" };
        println!("{:<34} {state:<9} {}", tool.name, tool.place);
    }
    match tools.iter().filter(|tool| tool.installed).count() {
        0 => println!("Everything was there: nothing installed."),
        count => println!("{count} installed."),
    }
    Ok(())
}

/// Makes sure of everything in `needs` and returns it as an environment for child processes.
pub fn ensure(needs: &[Need], fetch: Fetch) -> Result<Toolbox> {
    Ok(look(needs, fetch)?.0)
}

fn look(needs: &[Need], fetch: Fetch) -> Result<(Toolbox, Vec<Tool>)> {
    let mut toolbox = Toolbox::default();
    let mut tools = Vec::new();
    for need in needs {
        match need {
            Need::Lints => tools.extend(components::ensure(fetch)?),
            Need::Page => {
                tools.push(wasm_std::ensure(&mut toolbox, fetch)?);
                tools.push(CargoTool::trunk().ensure(&mut toolbox, fetch)?);
                ensure_lock(&toolbox, fetch)?;
                let version = workspace::locked_version("wasm-bindgen")?;
                tools.push(CargoTool::wasm_bindgen(version).ensure(&mut toolbox, fetch)?);
            }
            Need::Browser => tools.extend(browser::ensure(&mut toolbox, fetch)?),
            Need::Axe => tools.push(axe::ensure(&mut toolbox, fetch)?),
            Need::Mpi => tools.push(mpi::ensure(fetch)?),
        }
    }
    Ok((toolbox, tools))
}

/// A library's checkout may come without Cargo.lock; wasm-bindgen's version is read from it.
fn ensure_lock(toolbox: &Toolbox, fetch: Fetch) -> Result<()> {
    if workspace::root().join("Cargo.lock").is_file() || fetch == Fetch::Forbidden {
        return Ok(());
    }
    let mut command = toolbox.native("cargo");
    command.arg("generate-lockfile");
    child::condensed("Writing Cargo.lock", command)
}
