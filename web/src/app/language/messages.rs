//! What `plan` and `doctor` say, in Chinese: `web/locales/zh-CN.po`, made a table by the build.
//!
//! The English template is the key, as in gettext. rust-i18n carries its keys in the binary, where
//! these sentences are already; a number for each does with a tenth of their size.

use super::key;

// (number of the template, translation), by number.
include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// The template in Chinese; one that is not known stays as it is.
pub(super) fn chinese(template: &'static str) -> &'static str {
    let found = CHINESE.binary_search_by_key(&key::of(template), |&(number, _)| number);
    found.map_or(template, |at| CHINESE[at].1)
}
