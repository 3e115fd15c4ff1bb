//! The texts of the languages that the binary does not carry: a file of the page for each, made of
//! its catalogues by `cargo xtask build` and fetched when somebody speaks it.
//!
//! Most visits need one language, and a catalogue is a twentieth of what all of them load.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::Language;

/// Text by key of the page's catalogue, or by the English template of a message.
type Texts = HashMap<String, String>;

/// Chinese, once it is here.
static CHINESE: OnceLock<Texts> = OnceLock::new();

/// The file that holds `language`'s texts; `None` where the binary has them.
pub fn file(language: Language) -> Option<String> {
    match language {
        Language::English => None,
        Language::Chinese => Some(format!("{}.json", language.code())),
    }
}

/// Whether the page can speak `language` now.
pub fn is_here(language: Language) -> bool {
    file(language).is_none() || texts(language.code()).is_some()
}

/// Takes what the file of `language` holds. Errors: what is wrong with it.
pub fn take(language: Language, json: &str) -> Result<(), String> {
    let texts = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if language == Language::Chinese {
        // What came first is the same: it is of the same build.
        let _ = CHINESE.set(texts);
    }
    Ok(())
}

/// The text of a template in Chinese, if it is here.
pub(super) fn chinese(template: &str) -> Option<&'static str> {
    texts(Language::Chinese.code())?.get(template).map(String::as_str)
}

#[cfg(not(test))]
fn texts(locale: &str) -> Option<&'static Texts> {
    CHINESE.get().filter(|_| locale == Language::Chinese.code())
}

/// The tests read the catalogue where it stands.
#[cfg(test)]
fn texts(locale: &str) -> Option<&'static Texts> {
    let texts = CHINESE
        .get_or_init(|| super::catalogues::catalogue(Language::Chinese).into_iter().collect());
    (locale == Language::Chinese.code()).then_some(texts)
}

/// What rust-i18n asks where the binary has no text.
pub struct Fetched;

impl rust_i18n::Backend for Fetched {
    fn available_locales(&self) -> Vec<Cow<'_, str>> {
        let fetched = Language::ALL.into_iter().filter(|&language| file(language).is_some());
        fetched.map(|language| language.code().into()).collect()
    }

    fn translate(&self, locale: &str, key: &str) -> Option<Cow<'_, str>> {
        texts(locale)?.get(key).map(|text| text.as_str().into())
    }

    fn messages_for_locale(&self, locale: &str) -> Option<Vec<(Cow<'_, str>, Cow<'_, str>)>> {
        let pairs = texts(locale)?.iter();
        Some(pairs.map(|(key, text)| (key.as_str().into(), text.as_str().into())).collect())
    }
}
