//! What `plan` and `doctor` say, in Chinese: `web/locales/zh-CN.po` and `doctor.zh-CN.po`, made tables
//! by the build. Of the second only the doctor's binary knows.
//!
//! The English template is the key, as in gettext. rust-i18n carries its keys in the binary, where
//! these sentences are already; a number for each does with a tenth of their size.

use super::key;

/// (number of the template, translation), by number.
type Table = &'static [(u32, &'static str)];

const COMMON: Table = include!(concat!(env!("OUT_DIR"), "/messages.rs"));
#[cfg(any(feature = "doctor", test))]
const DOCTOR: Table = include!(concat!(env!("OUT_DIR"), "/doctor_messages.rs"));
#[cfg(not(any(feature = "doctor", test)))]
const DOCTOR: Table = &[];

/// The template in Chinese; one that is not known stays as it is.
pub(super) fn chinese(template: &'static str) -> &'static str {
    let number = key::of(template);
    let find = |table: Table| {
        let found = table.binary_search_by_key(&number, |&(number, _)| number);
        found.ok().map(|at| table[at].1)
    };
    find(COMMON).or_else(|| find(DOCTOR)).unwrap_or(template)
}
