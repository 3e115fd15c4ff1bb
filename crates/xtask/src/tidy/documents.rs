//! What README.md and ARCHITECTURE.md promise.

use clap::{CommandFactory, Parser};
use toml::{Table, Value};

use super::{Problem, tree::Tree};
use crate::cli::Cli;

const README: &str = "README.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";
const COMMAND: &str = "cargo xtask";

/// Every `cargo xtask` in the README is a command that exists, with flags that it takes.
pub fn readme_commands(tree: &Tree) -> Vec<Problem> {
    let Some(text) = tree.text(README) else {
        return vec![Problem::in_file(README, "is missing")];
    };
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim().trim_start_matches("$ ");
        let error = if trimmed.starts_with(COMMAND) {
            whole_line_error(trimmed)
        } else {
            mention_error(line)
        };
        problems.extend(error.map(|message| Problem::at_line(README, index + 1, message)));
    }
    problems
}

/// A line that is a command, as in a code block: all of it must be understood.
fn whole_line_error(line: &str) -> Option<String> {
    let Some(words) = shlex::split(line) else {
        return Some(format!("`{line}` is not quoted well"));
    };
    // "cargo xtask" are two words for the shell and one name for clap.
    let error = Cli::try_parse_from(words.iter().skip(1)).err()?;
    if !error.use_stderr() {
        return None;
    }
    let reason = error.to_string();
    Some(format!("`{line}` does not work: {}", reason.lines().next().unwrap_or_default()))
}

/// A command within a sentence: the word after it must be a subcommand.
fn mention_error(line: &str) -> Option<String> {
    let known = Cli::command();
    line.split(COMMAND).skip(1).find_map(|rest| {
        let rest = rest.strip_prefix(' ')?;
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() || known.find_subcommand(name).is_some() {
            return None;
        }
        Some(format!("`{COMMAND} {name}` does not exist"))
    })
}

/// The architecture's map names each member's folder.
pub fn architecture_map(tree: &Tree) -> Vec<Problem> {
    let Some(text) = tree.text(ARCHITECTURE) else {
        return vec![Problem::in_file(ARCHITECTURE, "is missing")];
    };
    tree.member_manifests()
        .filter_map(|(path, _)| path.strip_suffix("/Cargo.toml"))
        .filter(|folder| !mentions(text, folder))
        .map(|folder| Problem::in_file(ARCHITECTURE, format!("does not name {folder}")))
        .collect()
}

/// Every dependency is a decision, noted in the architecture with its reason.
pub fn dependencies_explained(tree: &Tree) -> Vec<Problem> {
    let text = tree.text(ARCHITECTURE).unwrap_or_default();
    let manifest = tree.text("Cargo.toml").and_then(|text| text.parse::<Table>().ok());
    let dependencies = manifest
        .as_ref()
        .and_then(|manifest| manifest.get("workspace")?.get("dependencies")?.as_table());
    dependencies
        .into_iter()
        .flatten()
        .filter(|(_, value)| !is_ours(value))
        .filter(|(name, _)| !mentions(text, name))
        .map(|(name, _)| {
            Problem::in_file(ARCHITECTURE, format!("does not say why {name} is a dependency"))
        })
        .collect()
}

fn is_ours(dependency: &Value) -> bool {
    dependency.get("path").is_some()
}

/// Whether `name` stands in `text` as a whole word, so that `rand_chacha` does not stand for `rand`.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readme(text: &str) -> Vec<Problem> {
        readme_commands(&Tree::of(&[(README, text)]))
    }

    #[test]
    fn commands_that_work_are_fine() {
        let text = "Run `cargo xtask serve`, then look.\n\
                    ```\n\
                    cargo xtask build --public-url /sub/   # for a sub-path\n\
                    $ cargo xtask serve --help\n\
                    ```\n\
                    All of `cargo xtask` has help.";
        assert_eq!(readme(text), []);
    }

    #[test]
    fn commands_that_do_not_exist_are_named() {
        let problems = readme("See `cargo xtask fly`.\ncargo xtask serve --fast");
        assert_eq!(problems[0].message, "`cargo xtask fly` does not exist");
        assert!(problems[1].message.contains("--fast"), "{}", problems[1]);
    }

    #[test]
    fn map_names_every_member() {
        let tree = Tree::of(&[
            (ARCHITECTURE, "| crates/plan | ... |"),
            ("crates/plan/Cargo.toml", ""),
            ("crates/comm/Cargo.toml", ""),
        ]);
        let problems = architecture_map(&tree);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].message, "does not name crates/comm");
    }

    #[test]
    fn every_dependency_of_others_has_its_reason() {
        let root =
            "[workspace.dependencies]\nplan = { path = 'crates/plan' }\nrand = '1'\nserde = '1'";
        let tree =
            Tree::of(&[(ARCHITECTURE, "serde: text. rand_chacha: seeds."), ("Cargo.toml", root)]);
        let problems = dependencies_explained(&tree);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("rand"));
    }
}
