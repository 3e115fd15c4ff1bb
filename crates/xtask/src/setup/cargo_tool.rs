//! A tool from crates.io at one exact version, kept in the user's cache folder.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use semver::Version;

use super::{Fetch, Tool};
use crate::{child, toolbox::Toolbox};

/// The Trunk that Trunk.toml and index.html are written for.
const TRUNK: Version = Version::new(0, 21, 14);

/// A crate that installs one binary we call.
pub struct CargoTool {
    package: &'static str,
    binary: &'static str,
    version: Version,
    locked: bool,
}

impl CargoTool {
    /// Trunk, which bundles the page.
    pub fn trunk() -> Self {
        Self { package: "trunk", binary: "trunk", version: TRUNK, locked: true }
    }

    /// wasm-bindgen's command, which must match the library's version exactly.
    pub fn wasm_bindgen(version: Version) -> Self {
        // Its package carries no lock file of its own that builds everywhere.
        Self { package: "wasm-bindgen-cli", binary: "wasm-bindgen", version, locked: false }
    }

    /// Finds the tool on PATH or in the cache, installs it there otherwise, and adds its folder to
    /// the toolbox.
    pub fn ensure(&self, toolbox: &mut Toolbox, fetch: Fetch) -> Result<Tool> {
        let (binary, installed) = match self.find()? {
            Some(binary) => (binary, false),
            None => (self.install(fetch)?, true),
        };
        // Always first: an older version may stand earlier on PATH than the one that fits.
        if let Some(folder) = binary.parent() {
            toolbox.add_folder(folder);
        }
        let name = format!("{} {}", self.binary, self.version);
        Ok(Tool { name, place: binary.display().to_string(), installed })
    }

    fn find(&self) -> Result<Option<PathBuf>> {
        let on_path = which::which_all(self.binary).into_iter().flatten();
        let cached = self.root()?.join("bin").join(self.file_name());
        Ok(on_path.chain([cached]).find(|path| version_of(path).as_ref() == Some(&self.version)))
    }

    fn install(&self, fetch: Fetch) -> Result<PathBuf> {
        let Self { package, version, .. } = self;
        let root = self.root()?;
        let mut command = Command::new("cargo");
        command.arg("install").arg(package).arg("--version").arg(format!("={version}"));
        if self.locked {
            command.arg("--locked");
        }
        command.arg("--root").arg(&root);
        // Away from the workspace, whose .cargo/config.toml is not meant for it.
        command.current_dir(env::temp_dir());
        let line = child::command_line(&command);
        if fetch == Fetch::Forbidden {
            bail!(
                "{package} {version} is missing and --offline forbids to install it: while online, run `cargo xtask setup`, or `{line}`"
            );
        }
        child::condensed(&format!("Installing {package} {version} (some minutes)"), command)
            .with_context(|| {
                format!("could not install {package} {version}: check the network and try `{line}`")
            })?;
        let binary = root.join("bin").join(self.file_name());
        match version_of(&binary) {
            Some(found) if found == *version => Ok(binary),
            Some(found) => {
                bail!("{} says it is version {found}, expected {version}", binary.display())
            }
            None => bail!("{} does not answer to --version", binary.display()),
        }
    }

    fn root(&self) -> Result<PathBuf> {
        Ok(cache()?.join("tools").join(format!("{}-{}", self.package, self.version)))
    }

    fn file_name(&self) -> String {
        format!("{}{}", self.binary, env::consts::EXE_SUFFIX)
    }
}

/// Our folder in the user's cache.
pub fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => directories::BaseDirs::new()
            .context("no home folder to keep tools in: set XDG_CACHE_HOME or HOME")?
            .cache_dir()
            .to_path_buf(),
    };
    Ok(base.join("ringside"))
}

fn version_of(binary: &Path) -> Option<Version> {
    if !binary.is_file() {
        return None;
    }
    let mut command = Command::new(binary);
    command.arg("--version").env_remove("NO_COLOR");
    parse_version(&child::read(command).ok()?)
}

/// The version in an answer like `wasm-bindgen 0.2.100` or `trunk 0.21.14 (abcdef)`.
fn parse_version(answer: &str) -> Option<Version> {
    answer.split_whitespace().find_map(|word| Version::parse(word).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_stands_anywhere_in_the_answer() {
        assert_eq!(parse_version("wasm-bindgen 0.2.100"), Some(Version::new(0, 2, 100)));
        assert_eq!(parse_version("trunk 0.21.14 (abc)\n"), Some(TRUNK));
        assert_eq!(parse_version("command not found"), None);
    }

    #[test]
    fn offline_error_names_tool_version_and_command() {
        let tool = CargoTool { version: Version::new(9, 8, 7), ..CargoTool::trunk() };
        let error = tool.ensure(&mut Toolbox::default(), Fetch::Forbidden).unwrap_err().to_string();
        assert!(error.contains("trunk 9.8.7 is missing"), "{error}");
        assert!(error.contains("cargo install trunk --version =9.8.7 --locked"), "{error}");
    }
}
