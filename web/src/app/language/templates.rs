//! Holds the messages' catalogues to the sources: each template has its translation in the catalogue
//! of the binary that says it, none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plan::message;
use proc_macro2::{TokenStream, TokenTree};

use super::{Language, told_in};

#[path = "../../../po.rs"]
mod po;

/// What every binary may say, and what the doctor's alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    All,
    Doctor,
}

/// The sources whose messages the page shows.
const SOURCES: [(&str, Who); 3] =
    [("../crates/plan/src", Who::All), ("../crates/doctor/src", Who::Doctor), ("src", Who::All)];

/// What the page leaves to the doctor.
const DOCTORS: &str = "src/diagnosis/examine/";

fn catalogue(who: Who) -> BTreeMap<String, String> {
    let file = match who {
        Who::All => "locales/zh-CN.po",
        Who::Doctor => "locales/doctor.zh-CN.po",
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).expect("there is a catalogue");
    let mut entries: BTreeMap<_, _> =
        po::read(&text).expect("it is well formed").into_iter().collect();
    entries.remove("");
    entries
}

/// The tokens of every source, without the tests at its end.
fn sources() -> Vec<(String, Who, Vec<TokenTree>)> {
    let mut found = Vec::new();
    for (folder, who) in SOURCES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in walkdir::WalkDir::new(folder) {
            let path = entry.expect("the sources can be listed").into_path();
            let name = path.display().to_string();
            if !name.ends_with(".rs") || name.ends_with("language/templates.rs") {
                continue;
            }
            let who = if name.contains(DOCTORS) { Who::Doctor } else { who };
            let text = std::fs::read_to_string(path).expect("a source can be read");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let tokens: TokenStream = text.parse().expect("a source is Rust");
            found.push((name, who, tokens.into_iter().collect()));
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

fn templates(who: Who) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, _, tokens) in sources().into_iter().filter(|(_, said_by, _)| *said_by == who) {
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
    let common = catalogue(Who::All);
    for who in [Who::All, Who::Doctor] {
        let (mut templates, catalogue) = (templates(who), catalogue(who));
        assert!(templates.len() > 150, "only {} were found", templates.len());
        if who == Who::Doctor {
            // The doctor has both catalogues, and no sentence is in it twice.
            templates.retain(|key| !common.contains_key(key));
        }
        let missing: Vec<_> =
            templates.iter().filter(|key| !catalogue.contains_key(*key)).collect();
        assert!(missing.is_empty(), "without a translation: {missing:#?}");
        let left: Vec<_> = catalogue.keys().filter(|key| !templates.contains(*key)).collect();
        assert!(left.is_empty(), "said nowhere, or in both: {left:#?}");
    }
}

#[test]
fn translations_have_the_same_places_and_are_chinese() {
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    for (template, text) in [Who::All, Who::Doctor].into_iter().flat_map(catalogue) {
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
    for (name, _, tokens) in sources() {
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
