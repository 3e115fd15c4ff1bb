//! Holds `web/locales/zh-CN.po` to the sources: each template has its translation, none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plan::message;
use proc_macro2::{TokenStream, TokenTree};

use super::{Language, told_in};

#[path = "../../../po.rs"]
mod po;

/// The sources whose messages the page shows.
const SOURCES: [&str; 3] = ["../crates/plan/src", "../crates/doctor/src", "src"];

fn catalogue() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales/zh-CN.po");
    let text = std::fs::read_to_string(path).expect("there is a catalogue");
    let mut entries: BTreeMap<_, _> =
        po::read(&text).expect("it is well formed").into_iter().collect();
    entries.remove("");
    entries
}

/// The tokens of every source, without the tests at its end.
fn sources() -> Vec<(String, Vec<TokenTree>)> {
    let mut found = Vec::new();
    for folder in SOURCES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in walkdir::WalkDir::new(folder) {
            let path = entry.expect("the sources can be listed").into_path();
            let name = path.display().to_string();
            if !name.ends_with(".rs") || name.ends_with("language/templates.rs") {
                continue;
            }
            let text = std::fs::read_to_string(path).expect("a source can be read");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let tokens: TokenStream = text.parse().expect("a source is Rust");
            found.push((name, tokens.into_iter().collect()));
        }
    }
    found
}

/// Calls `hear` with every list of tokens, those in groups included.
fn walk(tokens: &[TokenTree], hear: &mut impl FnMut(&[TokenTree])) {
    hear(tokens);
    for token in tokens {
        if let TokenTree::Group(group) = token {
            walk(&group.stream().into_iter().collect::<Vec<_>>(), hear);
        }
    }
}

/// What a string literal stands for.
fn string(token: &TokenTree) -> Option<String> {
    let written = token.to_string();
    let mut letters = written.strip_prefix('"')?.strip_suffix('"')?.chars().peekable();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                '\n' => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                escaped @ ('"' | '\\') => text.push(escaped),
                other => panic!("what is \\{other} in {written}?"),
            },
            letter => text.push(letter),
        }
    }
    Some(text)
}

fn templates() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, tokens) in sources() {
        walk(&tokens, &mut |tokens| {
            for window in tokens.windows(3) {
                let [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Group(group)] =
                    window
                else {
                    continue;
                };
                if name == "message" && mark.as_char() == '!' {
                    found.extend(group.stream().into_iter().next().as_ref().and_then(string));
                }
            }
        });
    }
    found
}

/// The names in braces.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

#[test]
fn every_template_has_a_translation_and_none_is_left_over() {
    let (templates, catalogue) = (templates(), catalogue());
    assert!(templates.len() > 500, "only {} were found", templates.len());
    let missing: Vec<_> = templates.iter().filter(|key| !catalogue.contains_key(*key)).collect();
    assert!(missing.is_empty(), "without a translation: {missing:#?}");
    let left: Vec<_> = catalogue.keys().filter(|key| !templates.contains(*key)).collect();
    assert!(left.is_empty(), "said nowhere: {left:#?}");
}

#[test]
fn translations_have_the_same_places_and_are_chinese() {
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    for (template, text) in catalogue() {
        assert_eq!(places(&template), places(&text), "{template}");
        let said = places(&template)
            .iter()
            .fold(template.clone(), |said, place| said.replace(&format!("{{{place}}}"), ""));
        let same = !said.contains(char::is_alphabetic);
        assert!(same || text.contains(is_han), "{template}: {text}");
    }
}

#[test]
fn no_refusal_says_what_cannot_be_translated() {
    for (name, tokens) in sources() {
        walk(&tokens, &mut |tokens| {
            for window in tokens.windows(5) {
                let words: String = window[..4].iter().map(ToString::to_string).collect();
                let TokenTree::Group(arguments) = &window[4] else { continue };
                if words != "Refusal::new" {
                    continue;
                }
                for argument in arguments.stream() {
                    let text = string(&argument).unwrap_or_default();
                    assert!(!text.contains(' '), "{name}: {text}");
                }
            }
        });
    }
}

#[test]
fn a_message_is_told_in_the_language() {
    let works = message!("try {number}", number = 4);
    let reason = message!("it must lie between {low} and {high}", low = 1, high = 4);
    let told = message!("{value}: {reason}; {works}.", value = "cp", reason, works);
    assert_eq!(told_in(Language::English, &told), "cp: it must lie between 1 and 4; try 4.");
    assert_eq!(told_in(Language::Chinese, &told), "cp：必须在 1 到 4 之间；可改为 4。");
}
