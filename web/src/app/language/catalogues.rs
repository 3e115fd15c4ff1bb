//! Holds the catalogues to each other and to the sources: no key is missing, none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::Language;

type Catalogue = BTreeMap<String, String>;

/// Texts that are the same in every language, because they are names or numbers alone.
const SAME: [&str; 13] = [
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
    "groups.axes.ring.label",
    "groups.axes.ulysses.label",
];

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
            assert!(!text.trim().is_empty(), "{language:?}: {key} is empty");
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

/// Sources, or beginnings of their names, whose words do not stand in the catalogues.
const EXEMPT: [&str; 19] = [
    // Refusals, which stand there in English and are told by whoever shows them.
    "backend.rs",
    "form.rs",
    "groups.rs",
    "whole.rs",
    // What the workers say, with its keys.
    "laws.rs",
    // For the eyes of developers.
    "browser/picture.rs",
    "language/catalogues.rs",
    // Not converted yet.
    "beat_text.rs",
    "doctor",
    "span_text.rs",
    "view/curve",
    "view/doctor",
    "view/ranks.rs",
    "view/ring",
    "view/schedule.rs",
    "view/slices.rs",
    "view/tile_matrix.rs",
    "view/timeline",
    "view/traffic.rs",
];

/// What reads like words and is none: names, and what is for the browser alone.
const NAMES: [&str; 8] =
    ["Ringside", ".matrix svg", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

/// What stands before a literal that nobody reads on the page.
const UNREAD: [&str; 5] = ["class=", "aria-describedby=", "rel=", "include_str!(", ".expect("];

/// The literals in a source that read as words of a language: they would be shown as they stand.
fn words(source: &str) -> Vec<&str> {
    // Tests say what they like, and comments are shown to nobody.
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/']) {
        if let Some(comment) = rest[at..].strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(text) = rest[at..].strip_prefix('"') {
            let end = end(text);
            let is_unread = UNREAD.iter().any(|before| rest[..at].ends_with(before));
            if !is_unread && is_language(&text[..end]) {
                found.push(&text[..end]);
            }
            rest = text.get(end + 1..).unwrap_or_default();
        } else {
            rest = &rest[at + 1..];
        }
    }
    found
}

/// Where the literal ends whose text begins here.
fn end(text: &str) -> usize {
    let is_end = |&(at, _): &(usize, _)| {
        let before = text[..at].bytes().rev();
        before.take_while(|&byte| byte == b'\\').count() % 2 == 0
    };
    text.match_indices('"').find(is_end).map_or(text.len(), |(at, _)| at)
}

/// Whether a literal begins like a sentence, or has two words side by side.
fn is_language(literal: &str) -> bool {
    let is_word = |word: &str| {
        let letters = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '{' && c != '}');
        letters.len() > 1 && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let words: Vec<&str> = literal.split_whitespace().collect();
    let mut letters = literal.chars();
    let begins = letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.next().is_some_and(|c| c.is_ascii_lowercase());
    let runs = words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)));
    (begins || runs) && !NAMES.contains(&literal)
}

#[test]
fn no_source_shows_words_of_its_own() {
    let app = root().join("src/app");
    for entry in walkdir::WalkDir::new(&app) {
        let entry = entry.expect("the views can be listed");
        let name = entry.path().strip_prefix(&app).expect("it is below").to_string_lossy();
        if !name.ends_with(".rs") || EXEMPT.iter().any(|exempt| name.starts_with(exempt)) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a view can be read");
        let words = words(&text);
        assert!(words.is_empty(), "{name}: {words:?}");
    }
}

#[test]
fn words_are_told_from_code() {
    for (source, expect) in [
        (r#"<p>{ "Choose one." }</p>"#, &["Choose one."][..]),
        (r#"format!("{n} laws hold")"#, &["{n} laws hold"]),
        (r#"<p title="Now" aria-label="Ranks">"#, &["Now", "Ranks"]),
        (r#"<p class="field wide">{ format!("{rank}/{}", world) }</p>"#, &[]),
        (r#"<path d="M4 2l10 6-10 6z" />{ "Ringside" }"#, &[]),
        (r#"{ "a\"b c\"" }"#, &[]),
        (r#"x.expect("it is there")"#, &[]),
        (r#"{ t!("page.stale") } // Not "a word of it"."#, &[]),
    ] {
        assert_eq!(words(source), expect, "{source}");
    }
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
