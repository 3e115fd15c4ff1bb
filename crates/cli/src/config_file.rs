//! Reads a run from a TOML file.

use std::path::Path;

use plan::{Refusal, RunConfig};
use toml::{Table, Value};

/// The run in the file at `path`; keys left out come from the default run.
pub fn read(path: &Path) -> Result<Given, Refusal> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        refuse(path, error.to_string(), "give a TOML file that exists and can be read")
    })?;
    parse(path, &text)
}

/// A run as a file gives it.
#[derive(Debug)]
pub struct Given {
    /// The run.
    pub config: RunConfig,
    /// Whether the file says how long a sequence is.
    pub has_seq_len: bool,
}

fn parse(path: &Path, text: &str) -> Result<Given, Refusal> {
    let table: Table = text
        .parse()
        .map_err(|error| refuse_toml(path, text, &error, "write each line as key = value"))?;
    let known = Table::try_from(RunConfig::default()).unwrap_or_default();
    // Keys without a default value, which TOML cannot show.
    let silent = ["kv_heads", "ulysses_degree", "window"];
    let is_known = |key: &str| known.contains_key(key) || silent.contains(&key);
    if let Some((key, value)) = table.iter().find(|(key, _)| !is_known(key)) {
        let names: Vec<_> = known.keys().map(String::as_str).chain(silent).collect();
        return Err(Refusal::new(
            key,
            shown(value),
            format!("{} has a key that no run knows", path.display()),
            format!("the keys are {}", names.join(", ")),
        ));
    }
    let has_seq_len = table.contains_key("seq_len");
    // From the text, not from the table, so that an error knows its line.
    let config = toml::from_str(text).map_err(|error| {
        refuse_toml(path, text, &error, "give the key a value like its default in --help")
    })?;
    Ok(Given { config, has_seq_len })
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Table(_) => "a table".to_owned(),
        other => other.to_string(),
    }
}

fn refuse_toml(path: &Path, text: &str, error: &toml::de::Error, works: &str) -> Refusal {
    let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
    let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    refuse(path, format!("{place}{}", error.message().replace('\n', ", ")), works)
}

fn refuse(path: &Path, reason: String, works: &str) -> Refusal {
    Refusal::new("config", path.display(), reason, works)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Layout;

    fn parsed(text: &str) -> Result<Given, Refusal> {
        parse(Path::new("run.toml"), text)
    }

    #[test]
    fn keys_left_out_come_from_the_default_run() {
        let given = parsed("cp = 8\nlayout = \"zigzag\"\nlr = 1\nkv_heads = 2").expect("a run");
        let expect = RunConfig {
            cp: 8,
            layout: Layout::Zigzag,
            lr: 1.0,
            kv_heads: Some(2),
            ..RunConfig::default()
        };
        assert_eq!((given.config, given.has_seq_len), (expect, false));
    }

    #[test]
    fn an_unknown_key_is_named_with_the_known_ones() {
        let refusal = parsed("cp = 2\nseqlen = 8").expect_err("a typo");
        assert_eq!((refusal.field.as_str(), refusal.value.as_str()), ("seqlen", "8"));
        let keys = serde_json::to_value(RunConfig::default()).expect("a config is JSON");
        for key in keys.as_object().expect("an object").keys() {
            assert!(refusal.works.contains(key.as_str()), "{key} is missing in {refusal}");
        }
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_named_by_its_line() {
        let refusal = parsed("cp = 2\nlayout = \"spiral\"").expect_err("no such layout");
        assert!(refusal.reason.starts_with("line 2"), "{refusal}");
        assert!(refusal.reason.contains("zigzag"), "{refusal}");
        let refusal = parsed("cp = ").expect_err("no value");
        assert!(refusal.reason.starts_with("line 1"), "{refusal}");
        assert!(parsed("cp = -1").is_err());
    }
}
