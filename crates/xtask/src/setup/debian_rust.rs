//! Debian's Rust with the standard library's source, for machines where rustup cannot download.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{Fetch, apt};
use crate::{child, toolbox::Toolbox};

const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
/// A file of the standard library's source, as cargo looks for it.
const SOURCE: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// Whether compiler, cargo and source are there.
pub fn is_installed() -> bool {
    [RUSTC, CARGO, SOURCE].iter().all(|path| Path::new(path).is_file())
}

/// Installs all three.
pub fn install() -> Result<()> {
    apt::install(&PACKAGES)?;
    if is_installed() {
        return Ok(());
    }
    bail!("{} are installed, but {RUSTC}, {CARGO} or {SOURCE} is missing", PACKAGES.join(", "))
}

/// Where it is, for the table of tools.
pub fn place() -> String {
    format!("{RUSTC}, built from its source")
}

/// Has builds for wasm32 compile the standard library first. Returns whether that took an
/// installation, that of a linker.
pub fn use_it(toolbox: &mut Toolbox, fetch: Fetch) -> Result<bool> {
    let (linker, installed) = linker(fetch)?;
    toolbox.add_wasm_variable("RUSTC", RUSTC);
    toolbox.add_wasm_variable("CARGO", CARGO);
    // Building the standard library is an unstable feature, so a stable compiler must be told.
    toolbox.add_wasm_variable("RUSTC_BOOTSTRAP", "1");
    toolbox.add_wasm_variable("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
    toolbox.add_wasm_variable("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    Ok(installed)
}

/// A linker for wasm, which Debian's compiler does not bring: the one of the Rust on PATH serves,
/// otherwise LLVM's, of the compiler's own LLVM version so that it knows the objects' format. Also
/// whether it had to be installed.
fn linker(fetch: Fetch) -> Result<(PathBuf, bool)> {
    let version = rustc(RUSTC, &["--version", "--verbose"])?;
    let llvm = llvm_major(&version)
        .with_context(|| format!("`{RUSTC} --version --verbose` names no LLVM version"))?;
    let package = format!("lld-{llvm}");
    let name = format!("wasm-ld-{llvm}");
    let find = || rust_lld().or_else(|| which::which(&name).ok());
    if let Some(linker) = find() {
        return Ok((linker, false));
    }
    let missing = format!("no linker for wasm32: neither rust-lld beside rustc nor {name} on PATH");
    if fetch == Fetch::Forbidden {
        bail!("{missing}, and --offline forbids to install {package}");
    }
    apt::install(&[&package]).with_context(|| missing.clone())?;
    let linker = find().with_context(|| format!("{missing}, though {package} is installed"))?;
    Ok((linker, true))
}

/// The linker that a rustup toolchain brings.
fn rust_lld() -> Option<PathBuf> {
    let sysroot = rustc("rustc", &["--print", "sysroot"]).ok()?;
    let host = rustc("rustc", &["--print", "host-tuple"]).ok()?;
    let beside = Path::new(&sysroot).join("lib/rustlib").join(host).join("bin/rust-lld");
    if beside.is_file() { Some(beside) } else { which::which("rust-lld").ok() }
}

/// The `22` of `LLVM version: 22.1.8`.
fn llvm_major(version: &str) -> Option<&str> {
    let llvm = version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    llvm.split('.').next()
}

fn rustc(program: &str, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    child::read(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llvm_version_is_read() {
        let version = "rustc 1.96.0 (ac68faa20)\nrelease: 1.96.0\nLLVM version: 22.1.8\n";
        assert_eq!(llvm_major(version), Some("22"));
        assert_eq!(llvm_major("rustc 1.96.0"), None);
    }
}
