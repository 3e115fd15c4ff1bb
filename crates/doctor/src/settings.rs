//! Variables and facts as text: `NAME=VALUE` a line.

use std::collections::BTreeMap;

use plan::{Refusal, message};

use crate::facts::Fact;
use crate::form::lines;

/// Settings by name, and the names that were given more than once; the last value counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// By name.
    pub values: BTreeMap<String, String>,
    /// Names that were given more than once.
    pub repeated: Vec<String>,
}

impl Settings {
    /// Reads `NAME=VALUE` a line; empty lines and those that begin with # say nothing.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let mut settings = Self::default();
        for (number, line) in text.lines().enumerate() {
            if lines(line).next().is_none() {
                continue;
            }
            let line = line.trim();
            let Some((name, value)) = bare(line).split_once('=') else {
                return Err(no_setting(number, line));
            };
            let name = name.trim();
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(no_setting(number, line));
            }
            // The facts have names of their own, in lower case; a variable keeps its case.
            let name =
                Fact::named(name).map_or_else(|| name.to_owned(), |fact| fact.name().to_owned());
            let value = unquoted(value.trim()).to_owned();
            if settings.values.insert(name.clone(), value).is_some()
                && !settings.repeated.contains(&name)
            {
                settings.repeated.push(name);
            }
        }
        Ok(settings)
    }
}

/// Whether a line is plainly a variable in capitals, or a fact, and its value.
pub fn is_setting(line: &str) -> bool {
    let Some((name, value)) = bare(line.trim()).split_once('=') else { return false };
    let capitals = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let variable = !name.is_empty() && name.chars().all(capitals);
    let one_word = unquoted(value) != value || !value.contains(char::is_whitespace);
    // `torch==2.9.1` is what pip writes.
    (variable || Fact::named(name).is_some()) && one_word && !value.starts_with('=')
}

/// A line without what a shell or a notebook puts before a variable.
fn bare(line: &str) -> &str {
    let bare = ["export ", "%env ", "set "].iter().find_map(|before| line.strip_prefix(before));
    bare.unwrap_or(line).trim()
}

fn no_setting(number: usize, line: &str) -> Refusal {
    let shown: String = line.chars().take(40).collect();
    Refusal::new(
        "settings",
        shown,
        message!("line {number} is no NAME=VALUE", number = number + 1),
        message!("write for example WORLD_SIZE=8 or seq_len=4096"),
    )
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read() {
        let text = "# here\nexport WORLD_SIZE=\"8\"\n\nMAX_LENGTH = 100\nB=1\nB=2\n";
        let Settings { values, repeated } = Settings::read(text).expect("it reads");
        let value = |name: &str| values.get(name).map(String::as_str);
        assert_eq!((value("WORLD_SIZE"), value("seq_len")), (Some("8"), Some("100")));
        assert_eq!((value("B"), repeated), (Some("2"), vec!["B".to_owned()]));
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line() {
        for bad in ["\nWORLD_SIZE", "A=1\n=8", "#\nA B=1"] {
            let refusal = Settings::read(bad).expect_err(bad);
            assert!(refusal.field == "settings" && refusal.reason.contains("line 2"), "{refusal}");
        }
    }
}
