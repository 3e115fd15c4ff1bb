//! rustfmt and clippy, which a minimal Rust installation lacks.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Fetch, Tool};
use crate::child;

/// Makes sure that `cargo fmt` and `cargo clippy` work.
pub fn ensure(fetch: Fetch) -> Result<Vec<Tool>> {
    ["rustfmt", "clippy"].into_iter().map(|name| ensure_one(name, fetch)).collect()
}

fn ensure_one(component: &str, fetch: Fetch) -> Result<Tool> {
    if let Some(version) = version(component) {
        return Ok(Tool { name: version, place: "cargo".to_owned(), installed: false });
    }
    let advice = format!("try `rustup component add {component}`");
    if fetch == Fetch::Forbidden {
        bail!("{component} is missing and --offline forbids to install it: {advice}");
    }
    let mut command = Command::new("rustup");
    command.args(["component", "add", component]);
    child::condensed(&format!("Installing {component}"), command)
        .with_context(|| format!("{component} is missing and rustup could not add it: {advice}"))?;
    let name = version(component)
        .with_context(|| format!("{component} was added but does not answer: {advice}"))?;
    Ok(Tool { name, place: "cargo".to_owned(), installed: true })
}

fn version(component: &str) -> Option<String> {
    let mut command = Command::new("cargo");
    command.args([component.trim_start_matches("rust"), "--version"]);
    let answer = child::read(command).ok()?;
    // "clippy 0.1.95 (59807616e1 2026-04-14)": the first two words say enough.
    Some(answer.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}
