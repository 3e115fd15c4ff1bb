//! What `plan` and `doctor` say, in Chinese.
//!
//! The English template is the key, as in gettext. The page fetches `web/locales/zh-CN.po` with the
//! rest of its Chinese; the doctor's binary, which is fetched itself, carries that and
//! `doctor.zh-CN.po` as tables that the build makes, with a number for each template.

use super::fetched;

/// The template in Chinese; one that is not known stays as it is.
pub(super) fn chinese(template: &'static str) -> &'static str {
    carried(template).or_else(|| fetched::chinese(template)).unwrap_or(template)
}

#[cfg(any(feature = "doctor", test))]
fn carried(template: &str) -> Option<&'static str> {
    /// (number of the template, translation), by number.
    type Table = &'static [(u32, &'static str)];
    const COMMON: Table = include!(concat!(env!("OUT_DIR"), "/messages.rs"));
    const DOCTOR: Table = include!(concat!(env!("OUT_DIR"), "/doctor_messages.rs"));
    let number = super::key::of(template);
    [COMMON, DOCTOR].into_iter().find_map(|table| {
        let found = table.binary_search_by_key(&number, |&(number, _)| number);
        found.ok().map(|at| table[at].1)
    })
}

#[cfg(not(any(feature = "doctor", test)))]
fn carried(_: &str) -> Option<&'static str> {
    None
}
