//! The languages of the page. Each has one catalogue in `web/locales`, named after its code; the
//! binary carries English, and fetches others.
//!
//! What `plan` and `doctor` say is English in their sources, so only other languages have texts
//! for it: `web/locales/zh-CN.po`, and for what the doctor's binary alone says
//! `web/locales/doctor.zh-CN.po`.

#[cfg(test)]
mod catalogues;
pub mod fetched;
#[cfg(any(feature = "doctor", test))]
mod key;
#[cfg(test)]
mod literals;
mod messages;
#[cfg(test)]
mod templates;

use std::borrow::Cow;
use std::fmt::Display;

use plan::Message;
use serde::{Deserialize, Serialize};

/// One language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English, in which the catalogues are complete by definition.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its tag, as in `lang=` of an address and of the page.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// Its name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }

    /// The language that suits a tag such as `en-GB` or `zh-Hans`, if there is one.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        let is = |language: &Self| {
            language.code().split('-').next().is_some_and(|p| p.eq_ignore_ascii_case(primary))
        };
        Self::ALL.into_iter().find(is)
    }

    /// The first of the tags that there is a language for, or else English.
    pub fn preferred(tags: impl IntoIterator<Item = String>) -> Self {
        tags.into_iter().find_map(|tag| Self::of_tag(&tag)).unwrap_or_default()
    }
}

/// What `plan` or `doctor` says, in the language that is spoken.
pub fn told(message: &Message) -> String {
    told_in(Language::of_tag(&rust_i18n::locale()).unwrap_or_default(), message)
}

/// The same in a language.
pub fn told_in(language: Language, message: &Message) -> String {
    match language {
        Language::English => message.to_string(),
        Language::Chinese => message.told(messages::chinese),
    }
}

/// The text of a key in the language that is spoken, with its places filled in:
/// a key of the catalogue, then `name = value` for each place.
///
/// It says what rust-i18n's macro of the same name says. That one writes the whole search and
/// replacement out at each of its thousand uses, which took a tenth of the page's binary.
#[macro_export]
macro_rules! t {
    ($key:expr) => {
        $crate::app::language::say(::std::convert::AsRef::<str>::as_ref(&$key), &[])
    };
    ($key:expr, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::app::language::say(
            ::std::convert::AsRef::<str>::as_ref(&$key),
            &[$((::std::stringify!($name), &$value as &dyn ::std::fmt::Display)),+],
        )
    };
}

/// What [`t!`] calls.
#[inline(never)]
pub fn say(key: &str, filled: &[(&str, &dyn Display)]) -> Cow<'static, str> {
    say_in(&rust_i18n::locale(), key, filled)
}

/// The same in the language of a tag.
pub fn say_in(tag: &str, key: &str, filled: &[(&str, &dyn Display)]) -> Cow<'static, str> {
    let Some(text) = crate::_rust_i18n_try_translate(tag, key) else {
        return key.to_owned().into();
    };
    if filled.is_empty() {
        return text;
    }
    let names: Vec<&str> = filled.iter().map(|(name, _)| *name).collect();
    let values: Vec<String> = filled.iter().map(|(_, value)| value.to_string()).collect();
    rust_i18n::replace_patterns(&text, &names, &values).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_leads_to_its_language() {
        for (tags, expect) in [
            (&["de", "zh-TW", "en"][..], Language::Chinese),
            (&["en-GB"], Language::English),
            (&["zh"], Language::Chinese),
            (&["zh_Hans_CN"], Language::Chinese),
            (&["tlh"], Language::English),
            (&[], Language::English),
        ] {
            let tags = tags.iter().map(|&tag| tag.to_owned());
            assert_eq!(Language::preferred(tags), expect);
        }
    }
}
