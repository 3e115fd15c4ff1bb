//! Which file may become the user's own text, and why another may not.

use std::borrow::Cow;

use crate::t;

use crate::app::format;
use crate::app::state::{MAX_TEXT_BYTES, OwnText};

/// Something that was dropped or opened, before any of it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A file of so many bytes.
    File(String, u64),
    /// A folder.
    Folder(String),
    /// Text, a link, a picture of a page.
    Other,
}

/// Why it will not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Nothing in it.
    Empty(String),
    /// Too many bytes.
    TooLarge(String, u64),
    /// A folder.
    Folder(String),
    /// More than one thing.
    Several(usize),
    /// No file at all.
    NoFile,
    /// The browser could not read it.
    Unreadable(String, String),
}

/// The one file among `things`, by its place; or why there is none.
pub fn judge(things: &[Thing]) -> Result<usize, Unfit> {
    match things {
        [] | [Thing::Other] => Err(Unfit::NoFile),
        [Thing::Folder(name)] => Err(Unfit::Folder(name.clone())),
        [Thing::File(name, 0)] => Err(Unfit::Empty(name.clone())),
        [Thing::File(name, size)] if *size > MAX_TEXT_BYTES as u64 => {
            Err(Unfit::TooLarge(name.clone(), *size))
        }
        [Thing::File(..)] => Ok(0),
        several => Err(Unfit::Several(several.len())),
    }
}

/// What was typed or pasted, held to the same length as a file.
pub fn pasted(text: String) -> Result<OwnText, Unfit> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Unfit::TooLarge(t!("text_box.pasted").into_owned(), text.len() as u64));
    }
    Ok(OwnText { name: None, bytes: text.into_bytes().into() })
}

/// What the ranks read: the text of the run, whatever else was offered.
pub fn source(read: Option<&OwnText>) -> Cow<'static, str> {
    let Some(OwnText { name, bytes }) = read else { return t!("text_box.built_in") };
    let name = name.as_deref().map_or_else(|| t!("text_box.pasted"), Cow::from);
    let said = match bytes.len() {
        1 => t!("text_box.read_one", name = name),
        bytes => t!("text_box.read", name = name, bytes = format::count(bytes as u64)),
    };
    match is_text(bytes) {
        true => said,
        false => said + t!("text_box.no_text"),
    }
}

/// Whether `bytes` are text as files hold it today: a picture is none, nor is an older encoding.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

impl Unfit {
    /// The reason, and what would do.
    pub fn sentence(&self) -> String {
        match self {
            Self::Empty(name) => t!("own_file.empty", name = name),
            Self::TooLarge(name, size) => t!(
                "own_file.too_large",
                name = name,
                size = format::bytes(*size),
                most = format::bytes(MAX_TEXT_BYTES as u64)
            ),
            Self::Folder(name) => t!("own_file.folder", name = name),
            Self::Several(count) => t!("own_file.several", count = count),
            Self::NoFile => t!("own_file.no_file"),
            Self::Unreadable(name, reason) => {
                t!("own_file.unreadable", name = name, reason = reason)
            }
        }
        .into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(size: u64) -> Thing {
        Thing::File("a.txt".to_owned(), size)
    }

    #[test]
    fn one_file_of_a_fit_size_is_taken_and_anything_else_has_its_reason() {
        let most = MAX_TEXT_BYTES as u64;
        let name = || "a.txt".to_owned();
        for (things, expect) in [
            (vec![file(1)], Ok(0)),
            (vec![file(most)], Ok(0)),
            (vec![file(most + 1)], Err(Unfit::TooLarge(name(), most + 1))),
            (vec![file(0)], Err(Unfit::Empty(name()))),
            (vec![Thing::Folder(name())], Err(Unfit::Folder(name()))),
            (vec![file(1), file(2)], Err(Unfit::Several(2))),
            (vec![Thing::Other], Err(Unfit::NoFile)),
            (vec![], Err(Unfit::NoFile)),
        ] {
            assert_eq!(judge(&things), expect, "{things:?}");
        }
    }

    #[test]
    fn what_is_pasted_is_held_to_the_length_of_a_file() {
        let fits = pasted("a".repeat(MAX_TEXT_BYTES)).expect("it fits");
        assert_eq!((fits.name, fits.bytes.len()), (None, MAX_TEXT_BYTES));
        assert!(pasted("é".repeat(MAX_TEXT_BYTES / 2) + "a").is_err());
        let unfit = pasted("a".repeat(9_000_000)).expect_err("it is too long");
        assert_eq!(unfit.sentence(), "your text: 9.0 MB is too long; try 4.2 MB or less.");
    }

    #[test]
    fn what_is_read_is_told_with_its_name_and_length() {
        let text = |name: Option<&str>, bytes: &[u8]| OwnText {
            name: name.map(str::to_owned),
            bytes: bytes.into(),
        };
        assert_eq!(source(None), "The ranks read the built-in text.");
        let pasted = source(Some(&text(None, b"ab")));
        assert!(pasted.starts_with("The ranks read your text: 2 bytes."), "{pasted}");
        let file = source(Some(&text(Some("a.txt"), b"a")));
        assert!(file.starts_with("The ranks read a.txt: 1 byte."), "{file}");
    }

    #[test]
    fn a_reason_names_the_file_and_what_would_do() {
        let sentence = Unfit::TooLarge("big.bin".to_owned(), 9_000_000).sentence();
        assert!(sentence.contains("big.bin") && sentence.contains("9.0 MB"), "{sentence}");
        assert!(sentence.contains("4.2 MB"), "{sentence}");
        assert!(Unfit::Several(3).sentence().contains('3'));
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let source = |bytes: &[u8]| {
            let text = OwnText { name: Some("a".to_owned()), bytes: bytes.into() };
            source(Some(&text)).into_owned()
        };
        let says = "does not look like text";
        assert!(!source("Grüße 上下文".as_bytes()).contains(says));
        // The second is UTF-8 all the same.
        for bytes in [&b"\x89PNG\r\n\x1a\n"[..], b"GIF89a\x01\0", b"Gr\xfc\xdfe"] {
            assert!(source(bytes).contains(says), "{bytes:?}");
        }
    }
}
