//! Holds the catalogues to each other and to the sources: no key is missing, none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::Language;

type Catalogue = BTreeMap<String, String>;

/// Texts that are the same in every language, because they are names or numbers alone.
const SAME: [&str; 15] = [
    "backend.fact.build",
    "backend.fact.gpus",
    "backend.fact.wasm",
    "backend.world.label",
    "choices.layout.zigzag",
    "choices.optimizer.adamw",
    "choices.optimizer.sgd",
    "choices.strategy.all-gather",
    "choices.strategy.ring",
    "choices.strategy.ulysses",
    "choices.strategy.usp",
    "cursor.rank_name",
    "groups.axes.ring.label",
    "groups.axes.ulysses.label",
    "spans.begins",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn catalogue(language: Language) -> Catalogue {
    let folder = if language == Language::English { "locales/built_in" } else { "locales" };
    let path = root().join(folder).join(format!("{}.yml", language.code()));
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

/// What stands around the places.
fn bare(text: &str) -> String {
    let pieces = text.split("%{").enumerate();
    pieces.map(|(at, piece)| if at == 0 { piece } else { behind(piece) }).collect()
}

fn behind(piece: &str) -> &str {
    piece.split_once('}').map_or(piece, |(_, rest)| rest)
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
            // Between sentences stands a space, or nothing.
            let is_gap = key == "between.sentences";
            assert!(is_gap || !text.trim().is_empty(), "{language:?}: {key} is empty");
        }
    }
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

/// One place in the sources where a text is asked for.
struct Call {
    /// The key, or its beginning where the rest is put in.
    key: String,
    /// Its end, behind what is put in.
    end: String,
    is_whole: bool,
    /// What it fills in.
    names: BTreeSet<String>,
}

/// Everything that the sources ask for.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
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
            if !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                calls.extend(call(&text[at + "t!(".len()..]));
            }
        }
    }
    calls
}

/// The call whose arguments begin here.
fn call(text: &str) -> Option<Call> {
    let arguments = arguments(text);
    let (first, rest) = arguments.split_first()?;
    let literal = |text: &str| Some(text.trim().strip_prefix('"')?.split('"').next()?.to_owned());
    let (key, end, is_whole) = match first.trim().strip_prefix("format!(") {
        None => (literal(first)?, String::new(), true),
        Some(format) => {
            let whole = literal(format)?;
            let end = whole.rsplit_once('}').map_or("", |(_, end)| end).to_owned();
            (whole.split('{').next()?.to_owned(), end, false)
        }
    };
    let name = |argument: &&str| Some(argument.split_once('=')?.0.trim().to_owned());
    Some(Call { key, end, is_whole, names: rest.iter().filter_map(name).collect() })
}

/// The arguments that begin here, up to the bracket that ends them.
fn arguments(text: &str) -> Vec<&str> {
    let (mut found, mut begin, mut depth, mut in_text) = (Vec::new(), 0, 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => in_text = !in_text,
            _ if in_text => {}
            ')' | ']' | '}' if depth == 0 => {
                found.push(&text[begin..at]);
                break;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}

#[test]
fn every_key_that_is_asked_for_is_there_and_none_is_left_over() {
    let english = catalogue(Language::English);
    let calls = calls();
    let whole = |key: &str| calls.iter().any(|call| call.is_whole && call.key == key);
    let begins = |key: &str| {
        let mut parts = calls.iter().filter(|call| !call.is_whole && call.key.len() > 1);
        parts.any(|call| key.starts_with(&call.key) && key.ends_with(&call.end))
    };
    let missing: Vec<_> = calls
        .iter()
        .filter(|call| call.is_whole && !english.contains_key(&call.key))
        .map(|call| &call.key)
        .collect();
    assert!(missing.is_empty(), "asked for, but in no catalogue: {missing:?}");
    let left: Vec<_> = english.keys().filter(|key| !whole(key) && !begins(key)).collect();
    assert!(left.is_empty(), "in the catalogue, but asked for nowhere: {left:?}");
}

#[test]
fn every_place_is_filled_by_who_asks() {
    let english = catalogue(Language::English);
    let calls = calls();
    let whole: BTreeSet<&String> = calls.iter().filter(|c| c.is_whole).map(|c| &c.key).collect();
    for Call { key, end, is_whole, names } in &calls {
        let texts = english.iter().filter(|(known, _)| match is_whole {
            true => *known == key,
            false => known.starts_with(key) && known.ends_with(end) && !whole.contains(known),
        });
        for (known, text) in texts {
            let filled = places(text).into_iter().all(|place| names.contains(place));
            assert!(filled, "{known}: {text:?} is given {names:?}");
        }
    }
}

#[test]
fn calls_are_read_with_their_arguments() {
    let read = |text| call(text).map(|call| (call.key, call.is_whole, call.names));
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let whole = r#""a.b", one = f(x, "),"), two = y) }"#;
    assert_eq!(read(whole), Some(("a.b".into(), true, names(&["one", "two"]))));
    let part = r#"format!("a.{key}"), one = 1)"#;
    assert_eq!(read(part), Some(("a.".into(), false, names(&["one"]))));
}
