//! The tools that set-up found, as an environment for child processes.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf, absolute},
    process::Command,
};

use anyhow::{Result, anyhow};

use crate::workspace;

/// Folders and variables that child processes need to find the right tools.
#[derive(Debug, Default)]
pub struct Toolbox {
    folders: Vec<PathBuf>,
    wasm_variables: Vec<(String, OsString)>,
    browser_variables: Vec<(String, OsString)>,
    cuda: Option<PathBuf>,
}

impl Toolbox {
    /// Puts `folder` before PATH.
    pub fn add_folder(&mut self, folder: &Path) {
        if !self.folders.iter().any(|known| known == folder) {
            self.folders.push(folder.to_path_buf());
        }
    }

    /// Adds a variable that only builds for wasm32 see.
    pub fn add_wasm_variable(&mut self, name: &str, value: impl Into<OsString>) {
        self.wasm_variables.push((name.to_owned(), value.into()));
    }

    /// Adds a variable that only browser tests see.
    pub fn add_browser_variable(&mut self, name: &str, value: impl Into<OsString>) {
        self.browser_variables.push((name.to_owned(), value.into()));
    }

    /// Puts the CUDA toolkit in `folder` before any other.
    pub fn add_cuda(&mut self, folder: &Path) {
        self.cuda = Some(folder.to_path_buf());
    }

    /// The variables that a build with CUDA needs, PATH apart.
    pub fn cuda_variables(&self) -> Vec<(&'static str, PathBuf)> {
        let Some(folder) = &self.cuda else { return Vec::new() };
        // candle's build scripts each look in another of these places.
        vec![
            ("CUDA_HOME", folder.clone()),
            ("CUDA_PATH", folder.clone()),
            ("LIBRARY_PATH", folder.join("lib64")),
        ]
    }

    /// A native command that builds with CUDA, nvcc first on PATH.
    pub fn cuda(&self, program: &str) -> Command {
        let mut command = self.native(program);
        if let Some(folder) = &self.cuda {
            let path = env::var_os("PATH").unwrap_or_default();
            let folders = [folder.join("bin")].into_iter().chain(env::split_paths(&path));
            command.env("PATH", env::join_paths(folders).unwrap_or(path));
        }
        command.envs(self.cuda_variables());
        command
    }

    /// A native command, run at the workspace's root.
    pub fn native(&self, program: &str) -> Command {
        let mut folders = self.folders.clone();
        folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path =
            env::join_paths(folders).unwrap_or_else(|_| env::var_os("PATH").unwrap_or_default());
        let found = which::which_in(program, Some(&path), workspace::root());
        let mut command = Command::new(found.unwrap_or_else(|_| program.into()));
        command.env("PATH", path).current_dir(workspace::root());
        command
    }

    /// A command that builds for wasm32.
    pub fn wasm(&self, program: &str) -> Command {
        let mut command = self.native(program);
        command.envs(self.wasm_variables.iter().map(|(name, value)| (name, value)));
        // These replace the flags of .cargo/config.toml: without simd128 the worker is several times
        // slower, and nothing would say why.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        // These are added to them.
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", without_registries());
        command
    }

    /// A native command that drives a browser.
    pub fn browser(&self, program: &str) -> Command {
        let mut command = self.native(program);
        command.envs(self.browser_variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Flags with which a panic names a library's file without the folder that this machine's cargo
/// keeps it in: that folder is nobody's business on a page, and hundreds of names hold it.
fn without_registries() -> String {
    let cargo = env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registries = cargo.and_then(|folder| folder.join("registry/src").read_dir().ok());
    let mut folders: Vec<_> = registries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.path().into_os_string().into_string().ok())
        // Cargo splits the variable at spaces.
        .filter(|folder| !folder.contains(char::is_whitespace))
        .map(|folder| format!("--remap-path-prefix={folder}="))
        .collect();
    folders.sort();
    folders.join(" ")
}

/// `program` as the user named it: a bare name is looked up on PATH, a path is relative to the folder
/// that the user is in rather than to the root.
pub fn as_named(program: &Path) -> Result<String> {
    let is_path = program.components().count() > 1;
    let path = if is_path { absolute(program)? } else { program.to_path_buf() };
    path.into_os_string().into_string().map_err(|path| anyhow!("{path:?} is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn variables(command: &Command) -> BTreeMap<String, Option<String>> {
        let text = |s: &std::ffi::OsStr| s.to_string_lossy().into_owned();
        command.get_envs().map(|(name, value)| (text(name), value.map(text))).collect()
    }

    #[test]
    fn folders_come_before_path() {
        let mut toolbox = Toolbox::default();
        toolbox.add_folder(Path::new("first"));
        toolbox.add_folder(Path::new("first"));
        let path = variables(&toolbox.native("cargo"))["PATH"].clone().unwrap();
        assert!(path.starts_with("first"), "{path}");
        assert_eq!(path.matches("first").count(), 1, "{path}");
    }

    #[test]
    fn a_bare_name_stays_and_a_path_becomes_absolute() {
        assert_eq!(as_named(Path::new("python3")).unwrap(), "python3");
        let here = env::current_dir().unwrap();
        assert_eq!(
            Path::new(&as_named(Path::new("venv/python")).unwrap()),
            here.join("venv/python")
        );
    }

    #[test]
    fn each_kind_of_command_sees_its_own_variables() {
        let mut toolbox = Toolbox::default();
        toolbox.add_wasm_variable("FOR_WASM", "1");
        toolbox.add_browser_variable("FOR_BROWSER", "1");
        let wasm = variables(&toolbox.wasm("cargo"));
        assert!(wasm.contains_key("FOR_WASM") && !wasm.contains_key("FOR_BROWSER"));
        assert_eq!(wasm["RUSTFLAGS"], None, "the flags of .cargo/config.toml must hold");
        let added = wasm["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"].as_deref().unwrap();
        assert!(added.starts_with("--remap-path-prefix="), "{added:?}");
        let browser = variables(&toolbox.browser("cargo"));
        assert!(browser.contains_key("FOR_BROWSER") && !browser.contains_key("FOR_WASM"));
    }
}
