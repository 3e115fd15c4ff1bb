//! Which package depends on which, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

use crate::workspace;

/// Package names and the names that they depend on, outside tests and build scripts.
#[derive(Debug, Default)]
pub struct Graph {
    /// What each member's manifest declares, optional or not.
    pub declared: BTreeMap<String, BTreeSet<String>>,
    /// What every package pulls in with default features. Versions of one name are one node, which
    /// can only make a check stricter.
    pub resolved: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// The workspace's graph.
    pub fn read() -> Result<Self> {
        let metadata = MetadataCommand::new()
            .manifest_path(workspace::root().join("Cargo.toml"))
            .exec()
            .context("cargo metadata failed")?;
        Self::of(&metadata)
    }

    fn of(metadata: &Metadata) -> Result<Self> {
        let mut graph = Self::default();
        for package in metadata.workspace_packages() {
            let normal = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
            let names = normal.map(|dependency| dependency.name.clone()).collect();
            graph.declared.insert(package.name.to_string(), names);
        }
        let resolve = metadata.resolve.as_ref().context("cargo metadata resolved nothing")?;
        for node in &resolve.nodes {
            let normal = node.deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
            });
            let names = normal.map(|dependency| metadata[&dependency.pkg].name.to_string());
            graph.resolved.entry(metadata[&node.id].name.to_string()).or_default().extend(names);
        }
        Ok(graph)
    }

    /// The workspace's members.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.declared.keys().map(String::as_str)
    }

    /// A way from `from` to a package that `wanted` accepts, as names in order.
    pub fn way(&self, from: &str, wanted: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let mut ways = vec![vec![from.to_owned()]];
        let mut seen = BTreeSet::from([from.to_owned()]);
        while let Some(way) = ways.pop() {
            let last = way.last()?;
            for next in self.resolved.get(last).into_iter().flatten() {
                let mut longer = way.clone();
                longer.push(next.clone());
                if wanted(next) {
                    return Some(longer);
                }
                if seen.insert(next.clone()) {
                    ways.push(longer);
                }
            }
        }
        None
    }

    /// A graph for tests, of `a -> b c` lines, declared and resolved alike.
    #[cfg(test)]
    pub fn of_lines(lines: &[&str]) -> Self {
        let mut graph = Self::default();
        for line in lines {
            let (from, to) = line.split_once(" -> ").unwrap_or((line, ""));
            let to: BTreeSet<_> = to.split_whitespace().map(str::to_owned).collect();
            graph.declared.insert(from.to_owned(), to.clone());
            graph.resolved.insert(from.to_owned(), to);
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn way_is_transitive_and_survives_cycles() {
        let graph = Graph::of_lines(&["a -> b", "b -> c a", "c -> d"]);
        assert_eq!(graph.way("a", |name| name == "d").unwrap(), ["a", "b", "c", "d"]);
        assert_eq!(graph.way("a", |name| name == "e"), None);
        assert_eq!(graph.way("d", |name| name == "a"), None);
    }

    #[test]
    fn this_workspace_is_read() {
        let graph = Graph::read().unwrap();
        assert!(graph.declared["xtask"].contains("clap"));
        assert!(graph.way("xtask", |name| name == "clap_builder").is_some());
    }
}
