//! Debian's Rust with the standard library's source, for machines where rustup cannot download.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::apt;
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

/// Has builds for wasm32 compile the standard library first.
pub fn use_it(toolbox: &mut Toolbox) -> Result<()> {
    let linker = linker()?;
    toolbox.add_wasm_variable("RUSTC", RUSTC);
    toolbox.add_wasm_variable("CARGO", CARGO);
    // Building the standard library is an unstable feature, so a stable compiler must be told.
    toolbox.add_wasm_variable("RUSTC_BOOTSTRAP", "1");
    toolbox.add_wasm_variable("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
    toolbox.add_wasm_variable("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    Ok(())
}

/// Debian's compiler brings no linker for wasm: the one of the Rust on PATH serves, or LLVM's.
fn linker() -> Result<PathBuf> {
    let beside_rustc = || -> Result<PathBuf> {
        let sysroot = rustc(&["--print", "sysroot"])?;
        let host = rustc(&["--print", "host-tuple"])?;
        Ok(Path::new(&sysroot).join("lib/rustlib").join(host).join("bin/rust-lld"))
    };
    beside_rustc()
        .ok()
        .filter(|path| path.is_file())
        .or_else(|| which::which("rust-lld").or_else(|_| which::which("wasm-ld")).ok())
        .context(
            "no linker for wasm32: neither rust-lld beside rustc nor rust-lld or wasm-ld on PATH; \
             try `apt-get install lld`",
        )
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("rustc");
    command.args(arguments);
    child::read(command)
}
