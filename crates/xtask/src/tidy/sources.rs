//! How a file opens, how long it may be and how heavy.

use super::{Problem, tree::Tree};

/// Lines from which a Rust source is a chapter too long.
const MOST_LINES: usize = 500;

/// Bytes above which a file must be listed.
const MOST_BYTES: u64 = 300_000;

/// Files that may be heavier, by the beginning of their path, each with its own limit.
const HEAVIER: [(&str, u64); 3] = [
    // Written by cargo.
    ("Cargo.lock", 600_000),
    // Tensors from PyTorch, committed so that tests need no PyTorch.
    ("tests/golden/", 3_000_000),
    // Screenshots.
    ("docs/", 1_000_000),
];

/// Each Rust source opens with its one responsibility.
pub fn opening(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| Problem::in_file(path, "opens without `//!` and its one responsibility"))
        .collect()
}

/// No Rust source is too long.
pub fn length(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(path, lines)| {
            Problem::in_file(path, format!("{lines} lines: split it, {MOST_LINES} at most"))
        })
        .collect()
}

/// No file is heavy by accident.
pub fn weight(tree: &Tree) -> Vec<Problem> {
    tree.files
        .iter()
        .filter_map(|file| {
            let listed = HEAVIER.iter().find(|(beginning, _)| file.path.starts_with(beginning));
            let limit = listed.map_or(MOST_BYTES, |(_, limit)| *limit);
            let message = format!("{} bytes: {limit} at most here", file.bytes);
            (file.bytes > limit).then(|| Problem::in_file(&file.path, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(problems: Vec<Problem>) -> Vec<String> {
        problems.into_iter().map(|problem| problem.path).collect()
    }

    #[test]
    fn opening_wants_inner_documentation_first() {
        let tree = Tree::of(&[
            ("good.rs", "//! Does one thing.\n"),
            ("late.rs", "use std::fs;\n//! Does one thing.\n"),
            ("none.rs", "fn main() {}\n"),
            ("none.py", "pass\n"),
        ]);
        assert_eq!(paths(opening(&tree)), ["late.rs", "none.rs"]);
    }

    #[test]
    fn length_counts_lines_of_rust() {
        let long = "\n".repeat(MOST_LINES + 1);
        let fits = "\n".repeat(MOST_LINES);
        let tree = Tree::of(&[("long.rs", &long), ("fits.rs", &fits), ("long.css", &long)]);
        assert_eq!(paths(length(&tree)), ["long.rs"]);
    }

    #[test]
    fn weight_knows_the_listed_files() {
        let heavy = "x".repeat(MOST_BYTES as usize + 1);
        let tree = Tree::of(&[("a.bin", &heavy), ("tests/golden/a.safetensors", &heavy)]);
        assert_eq!(paths(weight(&tree)), ["a.bin"]);
    }
}
