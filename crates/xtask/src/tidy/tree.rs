//! The working tree as a value: every file that git would keep, with its text.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use ignore::WalkBuilder;

/// One file.
#[derive(Debug)]
pub struct File {
    /// Relative to the root, with forward slashes.
    pub path: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Its text, or nothing if it is not UTF-8.
    pub text: Option<String>,
}

/// Files in the order of their paths.
#[derive(Debug, Default)]
pub struct Tree {
    /// All of them.
    pub files: Vec<File>,
}

impl Tree {
    /// Reads every file below `root` that .gitignore does not exclude.
    pub fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .require_git(false)
            .parents(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk {
            let entry = entry.context("could not walk the working tree")?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let path = relative.to_string_lossy().replace('\\', "/");
            let bytes = fs::read(entry.path()).with_context(|| format!("could not read {path}"))?;
            let size = bytes.len() as u64;
            files.push(File { path, bytes: size, text: String::from_utf8(bytes).ok() });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { files })
    }

    /// Path and text of each file whose name ends in one of `extensions`.
    pub fn texts(&self, extensions: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(move |file| {
            let (_, extension) = file.path.rsplit_once('.')?;
            let text = file.text.as_deref()?;
            extensions.contains(&extension).then_some((file.path.as_str(), text))
        })
    }

    /// Path and text of each Rust source.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts(&["rs"])
    }

    /// The text of the file at `path`.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    /// Path and text of each member's manifest, the root's left out.
    pub fn member_manifests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts(&["toml"]).filter(|(path, _)| path.ends_with("/Cargo.toml"))
    }

    /// A tree for tests, of paths and texts.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            bytes: text.len() as u64,
            text: Some((*text).to_owned()),
        };
        Self { files: files.iter().map(file).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_hidden_files_but_not_ignored_ones() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".gitignore", "/target\n"),
            (".ci/run", "#!/bin/sh\n"),
            ("target/big", "x"),
            (".git/HEAD", "x"),
            ("src/lib.rs", "//! A."),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::read(folder.path()).unwrap();
        let paths: Vec<_> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".ci/run", ".gitignore", "src/lib.rs"]);
        assert_eq!(tree.rust().collect::<Vec<_>>(), [("src/lib.rs", "//! A.")]);
    }
}
