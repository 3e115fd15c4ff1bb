//! The text of an error: the line that names it, and whether a text has one at all.

use super::known::{KNOWN, Known, Topic};

/// Of a longer text only the end is looked at, where the error stands.
const MOST_BYTES: usize = 1 << 20;

/// The line that names the error, and what is known of it.
pub fn recognise(text: &str) -> (&str, Option<Known>) {
    let lines: Vec<&str> = end(text).lines().map(bare).collect();
    let named = |line: &&&str| is_named(line);
    for known in KNOWN {
        let says = |line: &&str| known.says.iter().any(|says| line.contains(says));
        let Some(at) = lines.iter().rposition(says) else { continue };
        // What is only pointed to counts, where it stands there as well.
        let other = lines.iter().rev().filter(named).find(|line| !says(line));
        if let (Topic::Pointer, Some(line)) = (known.topic, other) {
            return (line, None);
        }
        // A line of code comes before the one that names the error.
        return (lines[at..].iter().find(named).unwrap_or(&lines[at]), Some(*known));
    }
    (lines.iter().rev().find(named).unwrap_or(&""), None)
}

/// Whether a text has a traceback, or a line that names an error.
pub fn names_error(text: &str) -> bool {
    let traceback = |line: &str| line.starts_with("Traceback (most recent call last)");
    end(text).lines().map(bare).any(|line| traceback(line) || is_named(line))
}

/// accelerate's version and torch's, where the text says them: as pip writes them, or as
/// `accelerate env` does.
pub fn versions(text: &str) -> [Option<String>; 2] {
    let text = end(text);
    let behind = |marks: &[&str]| {
        marks.iter().find_map(|mark| {
            let (_, rest) = text.split_once(mark)?;
            let rest = rest.trim_start();
            let digits = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '+';
            let version = rest.split(|c| !digits(c)).next().unwrap_or_default();
            let version = version.trim_end_matches('.');
            version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
        })
    };
    [
        behind(&["accelerate==", "`Accelerate` version:", "Accelerate version:"]),
        behind(&[" torch==", "\ntorch==", "PyTorch version:", "PyTorch version (GPU?):"]),
    ]
}

/// A line without what launchers and notebooks put before it: `[rank0]:`, `E   `.
fn bare(line: &str) -> &str {
    let mut line = line.trim();
    while let Some((_, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]:")) {
        line = rest.trim_start();
    }
    line.strip_prefix("E  ").unwrap_or(line).trim_start()
}

/// `SomeError: why`, with or without modules before and a reason behind.
fn is_named(line: &str) -> bool {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let class = name.rsplit('.').next().unwrap_or_default();
    let ends = ["Error", "Exception", "Interrupt"].iter().any(|end| class.ends_with(end));
    ends && name.chars().all(letters) && class.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The end of a text, from a letter's beginning on.
fn end(text: &str) -> &str {
    let from = text.len().saturating_sub(MOST_BYTES);
    let from = (from..text.len()).find(|&at| text.is_char_boundary(at));
    &text[from.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_error_is_the_last() {
        let text = "ValueError: a\n\nDuring handling of it:\n[rank1]: [x]: KeyError: 'b'\n\nbye\n";
        assert_eq!(recognise(text).0, "KeyError: 'b'");
        let text = "  File \"a.py\", line 3, in f\n    assert n % (cp_world_size * 2) == 0\n\
                    AssertionError\n";
        assert_eq!(recognise(text).0, "AssertionError");
        assert!(recognise(text).1.is_some());
        assert_eq!(recognise("\u{0}\u{1}\n\n").0, "");
        // A launcher's own words come last, and only point.
        let failed = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:";
        assert_eq!(recognise(&format!("KeyError: 'b'\n{failed}\n")).0, "KeyError: 'b'");
        assert_eq!(recognise(&format!("x\n{failed}\n")).0, failed);
    }

    #[test]
    fn versions_are_read_where_they_are_written() {
        let env = "- `Accelerate` version: 1.12.0\n- PyTorch version: 2.9.1+cu128\n";
        assert_eq!(versions(env), [Some("1.12.0".into()), Some("2.9.1+cu128".into())]);
        let pip = "accelerate==1.13.0\ntorch==2.9.0\n";
        assert_eq!(versions(pip), [Some("1.13.0".into()), Some("2.9.0".into())]);
        assert_eq!(versions("File \"site-packages/accelerate/launch.py\""), [None, None]);
        assert_eq!(versions("accelerate==x. "), [None, None]);
    }
}
