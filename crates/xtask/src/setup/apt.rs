//! Installs Debian packages, as root or through sudo.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::child;

/// Whether this machine installs its packages with apt-get.
pub fn is_available() -> bool {
    which::which("apt-get").is_ok()
}

/// Installs `packages`, fetching apt's package lists first where they are missing or too old.
pub fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    let label = format!("Installing Debian's {names}");
    if child::condensed(&label, install_command(packages)?).is_ok() {
        return Ok(());
    }
    // A fresh container has no package lists, an old machine lists that name vanished versions.
    let update = apt_get(&["update"])?;
    child::condensed("Updating apt's package lists", update)
        .context("could not update apt's package lists: try `apt-get update` by hand")?;
    child::condensed(&label, install_command(packages)?).with_context(|| {
        format!("could not install {names}: try `apt-get install {names}` by hand")
    })
}

fn install_command(packages: &[&str]) -> Result<Command> {
    let mut command = apt_get(&["install", "--yes", "--no-install-recommends"])?;
    command.args(packages);
    Ok(command)
}

fn apt_get(arguments: &[&str]) -> Result<Command> {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else if which::which("sudo").is_ok() {
        // Sudo asks on the terminal, where the spinner would write over its question.
        let granted = Command::new("sudo").arg("--validate").stdin(Stdio::inherit()).status();
        if !granted.is_ok_and(|status| status.success()) {
            bail!(
                "apt-get needs root and sudo refused: run `apt-get {}` as root",
                arguments.join(" ")
            );
        }
        let mut command = Command::new("sudo");
        command.args(["--non-interactive", "apt-get"]);
        command
    } else {
        bail!(
            "apt-get needs root and there is no sudo: run `apt-get {}` as root",
            arguments.join(" ")
        );
    };
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

fn is_root() -> bool {
    let mut command = Command::new("id");
    command.arg("-u");
    child::read(command).is_ok_and(|id| id == "0")
}
