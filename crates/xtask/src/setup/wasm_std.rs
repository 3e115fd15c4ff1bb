//! The standard library for wasm32: rustup's, or built from Debian's source where rustup cannot.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use super::{Fetch, Tool, apt, debian_rust};
use crate::{child, toolbox::Toolbox};

/// The page's target.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure that cargo can build for wasm32, with variables in the toolbox where it needs them.
pub fn ensure(toolbox: &mut Toolbox, fetch: Fetch) -> Result<Tool> {
    if let Some(folder) = precompiled() {
        return Ok(tool(folder.display().to_string(), false));
    }
    // Before rustup is tried again: where Debian's parts are, rustup has failed already.
    if debian_rust::is_installed() {
        let installed = debian_rust::use_it(toolbox, fetch)?;
        return Ok(tool(debian_rust::place(), installed));
    }
    if fetch == Fetch::Forbidden {
        bail!(
            "the standard library for {TARGET} is missing and --offline forbids to install it: \
             run `rustup target add {TARGET}` while online"
        );
    }
    let refused = match add_with_rustup() {
        Ok(folder) => return Ok(tool(folder.display().to_string(), true)),
        Err(refused) => refused,
    };
    if !apt::is_available() {
        return Err(refused.context(format!(
            "the standard library for {TARGET} is missing: install rustup and run \
             `rustup target add {TARGET}`"
        )));
    }
    let reason = refused.to_string();
    let reason = reason.lines().next().unwrap_or_default();
    eprintln!("{reason}; taking Debian's source of the standard library instead.");
    debian_rust::install()
        .map_err(|error| error.context(format!("and before that rustup failed: {refused:#}")))?;
    debian_rust::use_it(toolbox, fetch)?;
    Ok(tool(debian_rust::place(), true))
}

fn tool(place: String, installed: bool) -> Tool {
    Tool { name: format!("std for {TARGET}"), place, installed }
}

fn add_with_rustup() -> Result<PathBuf> {
    let mut command = Command::new("rustup");
    command.args(["target", "add", TARGET]);
    child::condensed(&format!("Adding the target {TARGET}"), command)?;
    match precompiled() {
        Some(folder) => Ok(folder),
        None => bail!("rustup added {TARGET}, but not to the rustc that is on PATH"),
    }
}

/// The folder of the precompiled standard library, if the rustc in use has one.
fn precompiled() -> Option<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--print", "target-libdir", "--target", TARGET]);
    let folder = PathBuf::from(child::read(command).ok()?);
    holds_core(&folder).then_some(folder)
}

/// Rustc names the folder whether or not it is there, so what counts is a compiled `core`.
fn holds_core(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_compiled_core_counts() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!holds_core(&folder.path().join("absent")));
        assert!(!holds_core(folder.path()));
        fs::write(folder.path().join("libcore-0123.rlib"), "").unwrap();
        assert!(holds_core(folder.path()));
    }
}
