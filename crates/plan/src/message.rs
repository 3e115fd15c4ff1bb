//! A text that can be told in another language: a template known at compile time, and what fills
//! it.
//!
//! The template is English and stands where it is said, as with gettext, so printing a [`Message`]
//! gives English. Whoever speaks another language replaces the templates ([`Message::told`]);
//! nothing here knows which languages there are.

use std::fmt::{self, Display, Formatter, Write};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that can be told in another language; [`message!`](crate::message!) makes one.
///
/// It is one pointer, so that errors stay small, and a clone shares the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(Arc<Text>);

#[derive(Debug, PartialEq, Eq)]
enum Text {
    /// The same in every language: a number, a name, somebody's own words.
    Plain(String),
    /// A template, and by name what stands in its places.
    Template(&'static str, Vec<(&'static str, Message)>),
}

/// Makes a [`Message`] from a template and its arguments, each a name or `name = value`; an
/// argument may be a message itself. A place without an argument does not compile, nor the reverse.
///
/// ```
/// let (cp, world) = (4, 6);
/// let told = plan::message!("{cp} does not divide {size}", cp, size = world);
/// assert_eq!(told, "4 does not divide 6");
/// ```
///
/// ```compile_fail
/// let told = plan::message!("{cp} does not divide {size}", cp = 4);
/// ```
#[macro_export]
macro_rules! message {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        const { assert!($crate::message::fits($template, &[$(stringify!($name)),*])) };
        $crate::Message::new(
            $template,
            vec![$((
                stringify!($name),
                $crate::Message::from($crate::message!(@value $name $($value)?)),
            )),*],
        )
    }};
}

impl Message {
    /// A template and what stands in its places; made by [`message!`](crate::message!), which
    /// checks that they fit.
    #[doc(hidden)]
    pub fn new(template: &'static str, arguments: Vec<(&'static str, Self)>) -> Self {
        Self(Arc::new(Text::Template(template, arguments)))
    }

    fn plain(text: String) -> Self {
        Self(Arc::new(Text::Plain(text)))
    }

    /// The text with each template replaced by what `translate` gives for it. A translation has the
    /// same places, in an order of its own.
    pub fn told(&self, translate: impl Fn(&'static str) -> &'static str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        _ = self.write(&translate, &mut text);
        text
    }

    /// Items as one message; `join` puts one more behind those before it.
    pub fn list<T: Into<Self>>(
        items: impl IntoIterator<Item = T>,
        join: impl Fn(Self, Self) -> Self,
    ) -> Self {
        items.into_iter().map(Into::into).reduce(join).unwrap_or_default()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        match &*self.0 {
            Text::Plain(text) => text.is_empty(),
            Text::Template(template, _) => template.is_empty(),
        }
    }

    /// Whether the English text holds `part`.
    pub fn contains(&self, part: &str) -> bool {
        self.to_string().contains(part)
    }

    fn write(
        &self,
        translate: &dyn Fn(&'static str) -> &'static str,
        out: &mut dyn Write,
    ) -> fmt::Result {
        let (template, arguments) = match &*self.0 {
            Text::Plain(text) => return out.write_str(text),
            Text::Template(template, arguments) => (translate(template), arguments),
        };
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.write_str(before)?;
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            if let Some((_, value)) = arguments.iter().find(|(known, _)| *known == name) {
                value.write(translate, out)?;
            }
            rest = behind;
        }
        out.write_str(rest)
    }
}

/// Whether the places of a template are exactly those names.
#[doc(hidden)]
pub const fn fits(template: &str, names: &[&str]) -> bool {
    let text = template.as_bytes();
    let mut used = 0_u32;
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'{' {
            let begin = at + 1;
            while at < text.len() && text[at] != b'}' {
                at += 1;
            }
            let mut name = 0;
            while name < names.len() && !same(text, begin, at, names[name].as_bytes()) {
                name += 1;
            }
            if name == names.len() {
                return false;
            }
            used |= 1 << name;
        }
        at += 1;
    }
    used.count_ones() as usize == names.len()
}

const fn same(text: &[u8], begin: usize, end: usize, name: &[u8]) -> bool {
    if end - begin != name.len() {
        return false;
    }
    let mut at = 0;
    while at < name.len() {
        if text[begin + at] != name[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl Default for Message {
    fn default() -> Self {
        Self::plain(String::new())
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(&|template| template, f)
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.to_string().as_str() == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<&Self> for Message {
    fn from(message: &Self) -> Self {
        message.clone()
    }
}

macro_rules! plain {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Message {
            fn from(value: $kind) -> Self {
                Self::plain(value.to_string())
            }
        })*
    };
}

plain!(&str, &String, String, char, i128, i32, u16, u32, u64, usize, f64, std::path::Display<'_>);

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What was written down is plain text: its template is no longer known.
impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_with_the_messages_in_it() {
        let works = message!("try {first} or {second}", first = 2, second = 4);
        let told = message!("{cp} is odd; {works}", cp = 3, works);
        assert_eq!(told, "3 is odd; try 2 or 4");
        let loud = |template| match template {
            "try {first} or {second}" => "{second}, {first}!",
            other => other,
        };
        assert_eq!(told.told(loud), "3 is odd; 4, 2!");
    }

    #[test]
    fn a_list_is_joined_as_its_language_does() {
        let list = |items: &[&str]| {
            Message::list(items.iter().copied(), |list, item| {
                message!("{list} or {item}", list, item)
            })
        };
        assert_eq!(list(&["a", "b", "c"]), "a or b or c");
        assert_eq!(list(&["a"]), "a");
        assert!(list(&[]).is_empty());
    }

    #[test]
    fn what_is_no_place_stays() {
        // A user's own text is never taken for a template.
        let odd = message!("no {name}", name = "{name} {");
        assert_eq!(odd, "no {name} {");
    }

    #[test]
    fn it_is_written_down_as_its_english_text() {
        let told = message!("{count} ranks", count = 4);
        let json = serde_json::to_string(&told).expect("a text can be written");
        assert_eq!(json, "\"4 ranks\"");
        assert_eq!(serde_json::from_str::<Message>(&json).expect("a text"), "4 ranks");
    }

    #[test]
    fn places_and_names_are_the_same() {
        assert!(fits("{a} and {b} and {a}", &["b", "a"]) && fits("none", &[]));
        assert!(!fits("{a}", &[]) && !fits("a", &["a"]) && !fits("{a}", &["b"]));
        assert!(!fits("{a", &["b"]) && !fits("{}", &["a"]));
    }
}
