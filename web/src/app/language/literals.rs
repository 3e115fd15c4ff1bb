//! Holds the sources to the catalogues: no word of a language stands in them to be shown.

use std::path::Path;

/// Sources, or beginnings of their names, whose words do not stand in the catalogues.
const EXEMPT: [&str; 5] = [
    // Configurations.
    "doctor/samples.rs",
    // What the workers say, with its keys.
    "laws.rs",
    // Errors for developers, and what finds elements.
    "browser/keyboard.rs",
    "browser/picture.rs",
    "language/",
];

/// What reads like words and is none: names, commands, and what is for the browser alone.
const NAMES: [&str; 18] = [
    "Enter",
    "Ringside",
    "InfiniBand",
    ".links-matrix svg",
    ".matrix svg",
    "<iframe width=",
    r#"pip install \"{package}\""#,
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "Home",
    "End",
    "Escape",
    "PageDown",
    "PageUp",
    "Files",
    "input, textarea",
];

/// What stands before a literal that nobody reads on the page.
const UNREAD: [&str; 8] = [
    "class=",
    "aria-describedby=",
    "rel=",
    "include_str!(",
    ".expect(",
    "message!(",
    // serde's attributes.
    "into =",
    "from =",
];

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
            let is_unread = UNREAD.iter().any(|before| rest[..at].trim_end().ends_with(before));
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
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(&app) {
        let entry = entry.expect("the sources can be listed");
        let name = entry.path().strip_prefix(&app).expect("it is below").to_string_lossy();
        if !name.ends_with(".rs")
            || name.ends_with("tests.rs")
            || EXEMPT.iter().any(|exempt| name.starts_with(exempt))
        {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a source can be read");
        found.extend(words(&text).into_iter().map(|words| format!("{name}: {words}")));
    }
    assert!(found.is_empty(), "{found:#?}");
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
