//! Words that must not stand in any text: notes of unfinished work, paths of one machine.

use super::{Problem, tree::Tree};

/// Kinds of file that people write.
const WRITTEN: [&str; 11] =
    ["rs", "toml", "md", "html", "css", "js", "mjs", "py", "sh", "yml", "yaml"];

/// Put together here, so that this file does not hold what it looks for.
const UNFINISHED: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Folders that exist on somebody's machine only.
const MACHINE: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("C:", "\\"),
];

/// No text notes unfinished work.
pub fn unfinished(tree: &Tree) -> Vec<Problem> {
    lines(tree, |line| {
        let word = UNFINISHED
            .into_iter()
            .find(|word| line.split(|c: char| !c.is_alphanumeric()).any(|part| part == *word))?;
        Some(format!("{word}: finish it or leave it out"))
    })
}

/// No text holds an absolute path of one machine.
pub fn machine_paths(tree: &Tree) -> Vec<Problem> {
    lines(tree, |line| {
        let folder = MACHINE.into_iter().find(|folder| starts_a_path(line, folder))?;
        Some(format!("absolute path below {folder}: it exists on one machine only"))
    })
}

/// Whether `folder` stands in `line` where a path begins, rather than inside a relative one.
fn starts_a_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        !line[..at]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '*'))
    })
}

fn lines(tree: &Tree, check: impl Fn(&str) -> Option<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.texts(&WRITTEN) {
        for (index, line) in text.lines().enumerate() {
            problems.extend(check(line).map(|message| Problem::at_line(path, index + 1, message)));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: fn(&Tree) -> Vec<Problem>, line: &str) -> usize {
        check(&Tree::of(&[("a.md", line)])).len()
    }

    #[test]
    fn unfinished_looks_for_whole_words() {
        assert_eq!(found(unfinished, concat!("// TO", "DO: more")), 1);
        assert_eq!(found(unfinished, concat!("// FIX", "ME(me)")), 1);
        assert_eq!(found(unfinished, "yew's todomvc"), 0);
    }

    #[test]
    fn machine_paths_are_absolute() {
        assert_eq!(found(machine_paths, concat!("see /ho", "me/me/notes")), 1);
        assert_eq!(found(machine_paths, concat!("(/wo", "rk/x)")), 1);
        assert_eq!(found(machine_paths, concat!("web/src/wo", "rk/x")), 0);
        assert_eq!(found(machine_paths, "/usr/bin/rustc"), 0);
    }

    #[test]
    fn problem_stands_at_its_line() {
        let tree = Tree::of(&[("a.rs", concat!("fine\nTO", "DO\n"))]);
        assert_eq!(unfinished(&tree)[0].line, Some(2));
    }
}
