//! Holds the catalogues to each other and to the sources: no key is missing, none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::Language;

type Catalogue = BTreeMap<String, String>;

/// Texts that are the same in every language, because they are names or numbers alone.
const SAME: [&str; 2] = ["cursor.rank_name", "spans.begins"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn catalogue(language: Language) -> Catalogue {
    let path = root().join("locales").join(format!("{}.yml", language.code()));
    let text = std::fs::read_to_string(&path).expect("each language has a catalogue");
    let tree: Value = serde_saphyr::from_str(&text).expect("the catalogue is YAML");
    let mut texts = Catalogue::new();
    gather("", &tree, &mut texts);
    texts.remove("_version");
    texts
}

fn gather(key: &str, tree: &Value, texts: &mut Catalogue) {
    match tree {
        Value::Object(entries) => {
            for (name, value) in entries {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                gather(&key, value, texts);
            }
        }
        Value::String(text) => {
            texts.insert(key.to_owned(), text.clone());
        }
        other => {
            texts.insert(key.to_owned(), other.to_string());
        }
    }
}

/// The names between `%{` and `}`.
fn places(text: &str) -> BTreeSet<&str> {
    text.split("%{").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

#[test]
fn every_language_has_the_same_keys_and_places() {
    let english = catalogue(Language::English);
    for language in Language::ALL {
        let other = catalogue(language);
        let lacks: Vec<_> = english.keys().filter(|key| !other.contains_key(*key)).collect();
        let more: Vec<_> = other.keys().filter(|key| !english.contains_key(*key)).collect();
        assert!(
            lacks.is_empty() && more.is_empty(),
            "{language:?}: lacks {lacks:?}, more {more:?}"
        );
        for (key, text) in &other {
            assert_eq!(places(text), places(&english[key]), "{language:?}: {key}");
            assert!(!text.trim().is_empty(), "{language:?}: {key} is empty");
        }
    }
}

/// What is left of a text without them.
fn bare(text: &str) -> String {
    let rest = |part: &str| part.split_once('}').map_or(String::new(), |(_, rest)| rest.to_owned());
    let mut parts = text.split("%{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |bare, part| bare + &rest(part))
}

#[test]
fn chinese_is_chinese() {
    let english = catalogue(Language::English);
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    for (key, text) in catalogue(Language::Chinese) {
        let same =
            SAME.contains(&key.as_str()) || !bare(&english[&key]).contains(char::is_alphabetic);
        assert!(same || text.contains(is_han), "{key}: {text}");
    }
}

/// What the sources ask for: whole keys, and beginnings of keys that are put together.
fn asked() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut keys, mut beginnings) = (BTreeSet::new(), BTreeSet::new());
    for entry in walkdir::WalkDir::new(root().join("src")) {
        let entry = entry.expect("the sources can be listed");
        if entry.path().extension().is_none_or(|ending| ending != "rs")
            || entry.path().ends_with("catalogues.rs")
        {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a source can be read");
        for (at, _) in text.match_indices("t!(") {
            // Not the end of another macro's name.
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let call = text[at + "t!(".len()..].trim_start();
            let literal = |call: &str| Some(call.strip_prefix('"')?.split('"').next()?.to_owned());
            if let Some(key) = literal(call) {
                keys.insert(key);
            } else if let Some(key) =
                call.strip_prefix("format!(").and_then(|f| literal(f.trim_start()))
            {
                beginnings.insert(key.split('{').next().unwrap_or_default().to_owned());
            }
        }
    }
    (keys, beginnings)
}

#[test]
fn every_key_that_is_asked_for_is_there_and_none_is_left_over() {
    let english = catalogue(Language::English);
    let (keys, beginnings) = asked();
    let missing: Vec<_> = keys.iter().filter(|key| !english.contains_key(*key)).collect();
    assert!(missing.is_empty(), "asked for, but in no catalogue: {missing:?}");
    let begins = |key: &str| beginnings.iter().any(|b| b.len() > 1 && key.starts_with(b.as_str()));
    let left: Vec<_> = english.keys().filter(|key| !keys.contains(*key) && !begins(key)).collect();
    assert!(left.is_empty(), "in the catalogue, but asked for nowhere: {left:?}");
}
