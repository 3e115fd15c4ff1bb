//! `cargo xtask tidy`: runs each check over the working tree, prints what breaks a rule.

mod crates;
mod documents;
mod graph;
mod manifests;
mod sources;
mod tokens;
mod tree;
mod words;

use anyhow::{Result, bail};

use crate::workspace;
use graph::Graph;
use tree::Tree;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the root.
    path: String,
    /// The line, from 1, where the problem has one.
    line: Option<usize>,
    /// What is wrong and what would be right.
    message: String,
}

impl Problem {
    fn in_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }

    fn at_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// Runs the command.
pub fn run() -> Result<()> {
    let tree = Tree::read(&workspace::root())?;
    let graph = Graph::read()?;
    let mut problems = [
        sources::opening(&tree),
        sources::length(&tree),
        sources::weight(&tree),
        words::unfinished(&tree),
        words::machine_paths(&tree),
        tokens::unsafe_code(&tree),
        tokens::pure_crates(&tree),
        manifests::lints(&tree),
        manifests::dependencies_in_one_place(&tree),
        manifests::app_without_the_others(&tree, &graph),
        crates::direction(&graph),
        crates::absence(&graph),
        documents::readme_commands(&tree),
        documents::architecture_map(&tree),
        documents::dependencies_explained(&tree),
    ]
    .concat();
    if problems.is_empty() {
        println!("tidy: {} files, no problem", tree.files.len());
        return Ok(());
    }
    problems.sort();
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        1 => bail!("tidy found 1 problem"),
        count => bail!("tidy found {count} problems"),
    }
}
