//! Open MPI with what its bindings need to be built.

use std::{env, fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};

use super::{Fetch, Tool, apt};
use crate::child;

/// mpirun, mpicc with the headers, and libclang, by which the bindings read those.
const PACKAGES: [&str; 3] = ["openmpi-bin", "libopenmpi-dev", "libclang-dev"];

/// Makes sure that programs with MPI can be built and started.
pub fn ensure(fetch: Fetch) -> Result<Tool> {
    let missing = missing();
    let installed = !missing.is_empty();
    if installed {
        let missing = missing.join(", ");
        if fetch == Fetch::Forbidden {
            bail!("{missing} missing and --offline forbids to install it");
        }
        if !apt::is_available() {
            bail!("{missing} missing: install Open MPI with its headers, and libclang");
        }
        apt::install(&PACKAGES).with_context(|| format!("{missing} missing"))?;
    }
    let place = which::which("mpirun").context("mpirun is still missing")?;
    let mut command = Command::new(&place);
    command.arg("--version");
    let answer = child::read(command)?;
    let name = answer.lines().next().unwrap_or("mpirun").trim().to_owned();
    Ok(Tool { name, place: place.display().to_string(), installed })
}

fn missing() -> Vec<&'static str> {
    let on_path = ["mpirun", "mpicc"].into_iter().filter(|name| which::which(name).is_err());
    on_path.chain((!has_libclang()).then_some("libclang")).collect()
}

/// Where Debian and others put it, or where LIBCLANG_PATH says.
fn has_libclang() -> bool {
    let named = env::var_os("LIBCLANG_PATH").map(PathBuf::from).into_iter();
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = versions
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"))
        .map(|entry| entry.path().join("lib"));
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
    named.chain(llvm).chain(usual).any(|folder| {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        files.into_iter().any(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            name.starts_with("libclang") && name.contains(".so")
        })
    })
}
