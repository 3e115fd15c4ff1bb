//! Where the workspace is, what its lock file holds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use semver::Version;
use serde::Deserialize;

/// The workspace's root folder.
pub fn root() -> PathBuf {
    // Cargo sets the variable for `cargo xtask`; the fallback serves a binary started by hand.
    let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest_dir
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file() || folder.join("Trunk.toml").is_file())
        .map_or(manifest_dir.clone(), Path::to_path_buf)
}

/// The folder of built things, `target` unless the user keeps it elsewhere.
pub fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty());
    root().join(named.unwrap_or_else(|| "target".into()))
}

/// The version of `package` in Cargo.lock.
pub fn locked_version(package: &str) -> Result<Version> {
    let path = root().join("Cargo.lock");
    let text =
        fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    version_in_lock(&text, package)
}

fn version_in_lock(lock: &str, package: &str) -> Result<Version> {
    #[derive(Deserialize)]
    struct Lock {
        #[serde(default)]
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: Version,
    }
    let lock: Lock = toml::from_str(lock).context("Cargo.lock is not a lock file")?;
    let mut versions = lock.package.into_iter().filter(|p| p.name == package).map(|p| p.version);
    match (versions.next(), versions.next()) {
        (Some(version), None) => Ok(version),
        (None, _) => bail!("Cargo.lock holds no package `{package}`"),
        (Some(one), Some(other)) => {
            bail!("Cargo.lock holds {package} {one} and {other}: expected one version")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
[[package]]
name = "wasm-bindgen"
version = "0.2.100"
[[package]]
name = "twice"
version = "1.0.0"
[[package]]
name = "twice"
version = "2.0.0"
"#;

    #[test]
    fn finds_the_one_version() {
        let version = version_in_lock(LOCK, "wasm-bindgen").unwrap();
        assert_eq!(version, Version::new(0, 2, 100));
    }

    #[test]
    fn names_what_is_missing_or_ambiguous() {
        let error = version_in_lock(LOCK, "absent").unwrap_err().to_string();
        assert!(error.contains("`absent`"), "{error}");
        let error = version_in_lock(LOCK, "twice").unwrap_err().to_string();
        assert!(error.contains("twice 1.0.0 and 2.0.0"), "{error}");
    }

    #[test]
    fn root_holds_this_crate() {
        assert!(root().join("crates/xtask/Cargo.toml").is_file());
    }
}
