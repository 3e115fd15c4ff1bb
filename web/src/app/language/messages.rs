//! What `plan` and `doctor` say, in Chinese: `web/locales/zh-CN.po`, made a table by the build.
//!
//! A file of its own, as gettext has it: the English template is the key, and rust-i18n's keys are
//! paths whose names are split at dots, of which sentences are full.

use super::key;

// (number of the template, translation), by number.
include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// The template in Chinese; one that is not known stays as it is.
pub(super) fn chinese(template: &'static str) -> &'static str {
    let found = CHINESE.binary_search_by_key(&key::of(template), |&(number, _)| number);
    found.map_or(template, |at| CHINESE[at].1)
}
