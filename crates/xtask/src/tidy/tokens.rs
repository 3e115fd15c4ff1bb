//! Rules about Rust code rather than text, checked on tokens so that comments do not count.

use proc_macro2::{TokenStream, TokenTree};

use super::{Problem, tree::Tree};

/// Lines above an `unsafe` in which its SAFETY note may begin.
const NOTE_LINES: usize = 8;

/// Crates that touch neither files nor clocks nor the environment: their inputs are arguments.
const PURE: [&str; 5] = ["plan", "doctor", "model", "parallel", "train"];

/// Modules of `std` that reach out of the program.
const OUTSIDE: [&str; 4] = ["fs", "env", "net", "process"];

/// Types of `std` that read a clock. `web_time` has them for every target.
const CLOCKS: [&str; 2] = ["Instant", "SystemTime"];

/// Unsafe code and unfinished macros: the first has its own files and a note, the second has none.
pub fn unsafe_code(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.rust() {
        let tokens = match flat(text) {
            Ok(tokens) => tokens,
            Err(problem) => {
                problems.push(Problem::in_file(path, problem));
                continue;
            }
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        for (index, token) in tokens.iter().enumerate() {
            let next = tokens.get(index + 1).map(|next| next.text.as_str());
            let message = match token.text.as_str() {
                "unsafe" if !name.starts_with("unsafe_") => {
                    "unsafe code outside a file named unsafe_*.rs"
                }
                "unsafe" if !has_note(text, token.line) => "unsafe code without a `SAFETY:` note",
                "todo" | "unimplemented" if next == Some("!") => "unfinished: a stand-in macro",
                _ => continue,
            };
            problems.push(Problem::at_line(path, token.line, message));
        }
    }
    problems
}

/// The crates that compute touch no files, clocks or environment, their tests excepted.
pub fn pure_crates(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.rust() {
        let is_pure = PURE.iter().any(|name| path.starts_with(&format!("crates/{name}/src/")));
        if !is_pure {
            continue;
        }
        // What does not parse is reported by the check of unsafe code.
        for (line, used) in flat(text).map(|tokens| outside_std(&tokens)).unwrap_or_default() {
            let message = format!(
                "std::{used} here: only cli, web and comm's backends touch files, clocks and the \
                 environment"
            );
            problems.push(Problem::at_line(path, line, message));
        }
    }
    problems
}

/// One token, with brackets as tokens of their own.
struct Token {
    text: String,
    line: usize,
}

/// The tokens of a source outside its `#[cfg(test)]` items, brackets included.
fn flat(source: &str) -> Result<Vec<Token>, String> {
    let stream: TokenStream =
        source.parse().map_err(|error| format!("is not Rust that can be read: {error}"))?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    Ok(tokens)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut stream = stream.into_iter().peekable();
    while let Some(tree) = stream.next() {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    _ => ("(", ")"),
                };
                tokens.push(Token { text: open.to_owned(), line });
                flatten(group.stream(), tokens);
                tokens.push(Token { text: close.to_owned(), line });
            }
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let test_only = matches!(
                    stream.peek(),
                    Some(TokenTree::Group(group)) if is_cfg_test(&group.stream())
                );
                if test_only {
                    skip_item(&mut stream);
                }
            }
            other => tokens.push(Token { text: other.to_string(), line }),
        }
    }
}

fn is_cfg_test(attribute: &TokenStream) -> bool {
    attribute.to_string().replace(' ', "") == "cfg(test)"
}

/// Passes over attributes and an item, which ends with its body or a semicolon.
fn skip_item(stream: &mut impl Iterator<Item = TokenTree>) {
    for tree in stream {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => return,
            _ => {}
        }
    }
}

fn has_note(source: &str, line: usize) -> bool {
    let first = line.saturating_sub(NOTE_LINES);
    source.lines().take(line).skip(first).any(|text| text.contains("SAFETY:"))
}

/// Lines where `std::fs` and the like stand, alone or in a braced list.
fn outside_std(tokens: &[Token]) -> Vec<(usize, String)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if !(text(at) == "std" && text(at + 1) == ":" && text(at + 2) == ":") {
            continue;
        }
        let first = at + 3;
        let last = if text(first) == "{" { closing(tokens, first) } else { first };
        let mut clock = text(first) == "time";
        for (offset, token) in tokens[first..=last.min(tokens.len() - 1)].iter().enumerate() {
            let name = token.text.as_str();
            // `collections::fs` names something else; what follows `::` is no module of std.
            let is_module = offset == 0 || text(first + offset - 1) != ":";
            clock |= is_module && name == "time";
            if is_module && OUTSIDE.contains(&name) {
                found.push((token.line, name.to_owned()));
            }
        }
        if clock {
            let until = if last > first { last } else { end_of_path(tokens, first) };
            let types = &tokens[first..until.min(tokens.len())];
            found.extend(
                types
                    .iter()
                    .filter(|token| CLOCKS.contains(&token.text.as_str()))
                    .map(|token| (token.line, format!("time::{}", token.text))),
            );
        }
    }
    found
}

/// Where the bracket that opens at `open` closes.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Where a path like `time::{Duration, Instant}` or `time::Instant` ends.
fn end_of_path(tokens: &[Token], from: usize) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut at = from + 1;
    while text(at) == ":" && text(at + 1) == ":" {
        at = if text(at + 2) == "{" { closing(tokens, at + 2) + 1 } else { at + 3 };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsafe_in(path: &str, text: &str) -> Vec<String> {
        let problems = unsafe_code(&Tree::of(&[(path, text)]));
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn unsafe_has_its_own_files_and_a_note() {
        let bare = "fn f() { unsafe { g() } }";
        let noted = "// SAFETY: g has no precondition.\nfn f() { unsafe { g() } }";
        assert_eq!(unsafe_in("a.rs", noted).len(), 1);
        assert_eq!(unsafe_in("unsafe_a.rs", bare), ["unsafe code without a `SAFETY:` note"]);
        assert!(unsafe_in("unsafe_a.rs", noted).is_empty());
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        assert!(unsafe_in("a.rs", "// unsafe\nconst A: &str = \"unsafe\";").is_empty());
    }

    #[test]
    fn stand_in_macros_are_found() {
        assert_eq!(unsafe_in("a.rs", "fn f() { todo!() }").len(), 1);
        assert!(unsafe_in("a.rs", "fn todo() {}").is_empty());
    }

    #[test]
    fn what_does_not_parse_is_said() {
        assert_eq!(unsafe_in("a.rs", "fn f( {").len(), 1);
    }

    fn used(text: &str) -> Vec<String> {
        outside_std(&flat(text).unwrap()).into_iter().map(|(_, used)| used).collect()
    }

    #[test]
    fn uses_of_the_outside_are_found_in_every_form() {
        assert_eq!(used("use std::fs;"), ["fs"]);
        assert_eq!(used("use std::{env, fmt, fs::File};"), ["env", "fs"]);
        assert_eq!(used("fn f() { std::env::var(\"A\"); }"), ["env"]);
        assert_eq!(used("use std::time::Instant;"), ["time::Instant"]);
        assert_eq!(used("use std::{fmt, time::{Duration, Instant}};"), ["time::Instant"]);
        assert_eq!(used("use std::time::{Duration, SystemTime};"), ["time::SystemTime"]);
    }

    #[test]
    fn what_stays_inside_is_fine() {
        assert!(used("use std::{fmt, time::Duration}; use web_time::Instant;").is_empty());
        assert!(used("#[cfg(test)]\nmod tests { use std::fs; }").is_empty());
        assert!(
            used("mod fs {} use crate::fs; use std::time::Duration; struct Instant;").is_empty()
        );
    }

    #[test]
    fn only_pure_crates_are_held_to_it() {
        let text = "use std::fs;";
        let tree = Tree::of(&[
            ("crates/plan/src/lib.rs", text),
            ("crates/plan/tests/a.rs", text),
            ("crates/cli/src/main.rs", text),
        ]);
        let problems = pure_crates(&tree);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].path, "crates/plan/src/lib.rs");
    }
}
