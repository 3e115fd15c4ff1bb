//! `cargo xtask golden`: generates tests/golden again with PyTorch.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{
    child,
    toolbox::{Toolbox, as_named},
    workspace,
};

/// Flags of `cargo xtask golden`.
#[derive(clap::Args)]
pub struct Args {
    /// A Python interpreter that has torch, numpy and safetensors, instead of an own environment
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,
}

const SCRIPT: &str = "tests/golden/generate.py";
const PACKAGES: [&str; 3] = ["torch", "numpy", "safetensors"];

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if !workspace::root().join(SCRIPT).is_file() {
        bail!("{SCRIPT} is missing: it writes the golden tensors");
    }
    let python = match &args.python {
        Some(python) => PathBuf::from(as_named(python)?),
        None => own_python()?,
    };
    println!("Running {SCRIPT} with {}", python.display());
    let mut command = python_command(&python);
    command.arg(SCRIPT);
    child::visible(command).context("the golden tensors were not generated")?;
    println!("Done: `git diff --stat tests/golden` shows what changed.");
    Ok(())
}

/// The interpreter of a virtual environment below target, made and filled where it is missing.
fn own_python() -> Result<PathBuf> {
    let folder = workspace::target().join("golden-venv");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.is_file() {
        println!("Making a virtual environment in {}", folder.display());
        let mut command =
            Toolbox::default().native(if cfg!(windows) { "python" } else { "python3" });
        command.args(["-m", "venv"]).arg(&folder);
        child::condensed("Making a virtual environment", command)
            .context("could not make it: try `apt-get install python3-venv`")?;
    }
    let mut probe = python_command(&python);
    probe.args(["-c", &format!("import {}", PACKAGES.join(", "))]);
    if child::read(probe).is_err() {
        let packages = PACKAGES.join(" ");
        let mut command = python_command(&python);
        command.args(["-m", "pip", "install"]).args(PACKAGES);
        child::condensed(&format!("Installing {packages} (large)"), command).with_context(
            || {
                format!(
                    "could not install {packages}: name an interpreter that has them with --python"
                )
            },
        )?;
    }
    Ok(python)
}

fn python_command(python: &Path) -> std::process::Command {
    Toolbox::default().native(&python.to_string_lossy())
}
