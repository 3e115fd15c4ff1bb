//! The whole run in the page's address, behind the `#`: written on every change, read on opening.

use std::collections::BTreeSet;

use form_urlencoded::{Serializer, parse};

use crate::app::embed::Embed;
use crate::app::entered::{self, Entry};
use crate::app::fields::{Field, Kind, MAX_WORLD};
use crate::app::form::Form;
use crate::app::language::Language;
use crate::app::notice::{Fault, Notice};
use crate::app::places::Place;
use crate::app::whole::{brief, is_whole};

/// The version of the address that this page writes.
const VERSION: &str = "1";
const CHECK: &str = "check";
const TEXT: &str = "text";
const VIEW: &str = "view";
const EMBED: &str = "embed";
const PANELS: &str = "panels";
const LANGUAGE: &str = "lang";
const FROM: &str = "from";
const LESSON: &str = "lesson";
const STEP: &str = "step";

/// What an address opens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    /// What to look at.
    pub place: Place,
    /// The run's settings.
    pub form: Form,
    /// Whether the run is checked against one rank.
    pub check: bool,
    /// The panels of a page inside another page.
    pub embed: Option<Embed>,
    /// The language that the link asks for.
    pub language: Option<Language>,
    /// The lesson that is open beside it, and its step, which may be empty.
    pub lesson: Option<(String, String)>,
    /// What is entered in places beside the run.
    pub entries: Vec<Entry>,
    /// What could not be taken as it stands, for the user to read.
    pub notices: Vec<Notice>,
}

/// The address of a run seen from `place`, without the `#`; `own_text` says that it read the
/// user's own text, `from` that it began from a checkpoint of so many steps.
pub fn write(place: Place, form: &Form, check: bool, own_text: bool, from: Option<u32>) -> String {
    let mut address = Serializer::new(String::new());
    address.append_pair("v", VERSION);
    if place != Place::default() {
        address.append_pair(VIEW, place.key());
    }
    for field in Field::ALL {
        let value = form.get(field).trim();
        let is_asked = !field.is_what_if() || value != default(field);
        if is_asked && !value.is_empty() {
            address.append_pair(field.key(), value);
        }
    }
    if check {
        address.append_pair(CHECK, "1");
    }
    if own_text {
        address.append_pair(TEXT, "own");
    }
    if let Some(steps) = from {
        address.append_pair(FROM, &steps.to_string());
    }
    // Commas are allowed behind the `#`, and lists read better with them.
    address.finish().replace("%2C", ",")
}

/// What keeps an address inside another page, behind that of [`write()`].
pub fn embedded(embed: &Embed) -> String {
    format!("&{EMBED}=1&{PANELS}={}", embed.list())
}

/// What keeps the language of a page that was opened by a link in it, behind that of [`write()`].
pub fn spoken(language: Language) -> String {
    format!("&{LANGUAGE}={}", language.code())
}

/// What keeps a lesson open at a step, behind that of [`write()`].
pub fn taught((lesson, step): (&str, &str)) -> String {
    let mut address = Serializer::new(String::new());
    address.append_pair(LESSON, lesson);
    if !step.is_empty() {
        address.append_pair(STEP, step);
    }
    format!("&{}", address.finish())
}

/// Reads an address, with or without its `#`.
pub fn read(address: &str) -> Opened {
    let mut opened = Opened::default();
    let address = address.trim_start_matches('#');
    let mut seen = BTreeSet::new();
    let (mut embeds, mut panels) = (false, None);
    let (mut lesson, mut step) = (None, String::new());
    for (key, value) in parse(address.as_bytes()) {
        if !seen.insert(key.clone()) {
            opened.notices.push(Notice::Twice(brief(&key)));
        }
        match key.as_ref() {
            "v" if value == VERSION => {}
            "v" => opened.notices.push(Notice::Version(brief(&value), VERSION)),
            VIEW => match Place::named(&value) {
                Some(place) => opened.place = place,
                None => opened.notices.push(Notice::View(brief(&value))),
            },
            LANGUAGE => match Language::of_tag(&value) {
                Some(language) => opened.language = Some(language),
                None => opened.notices.push(Notice::Language(brief(&value))),
            },
            CHECK => opened.check = is_on(CHECK, &value, &mut opened.notices),
            LESSON => lesson = Some(value.into_owned()),
            STEP => step = value.into_owned(),
            EMBED => embeds = is_on(EMBED, &value, &mut opened.notices),
            PANELS => panels = Some(value.into_owned()),
            FROM => opened.notices.push(Notice::Checkpoint(brief(&value))),
            TEXT => opened.notices.push(Notice::OwnText),
            key => match Field::ALL.into_iter().find(|field| field.key() == key) {
                Some(field) => take(&mut opened, field, value.trim()),
                None => match entered::read(key, value.trim()) {
                    Some((entries, notice)) => {
                        opened.entries.extend(entries);
                        opened.notices.extend(notice);
                    }
                    None => opened.notices.push(Notice::Unknown(brief(key))),
                },
            },
        }
    }
    limit_world(&mut opened);
    if embeds && lesson.take().is_some() {
        opened.notices.push(Notice::NoLesson);
    }
    opened.lesson = lesson.map(|lesson| (lesson, step));
    match (embeds, panels) {
        (true, panels) => take_panels(&mut opened, panels.as_deref().unwrap_or_default()),
        (false, Some(_)) => opened.notices.push(Notice::Panels),
        (false, None) => {}
    }
    opened
}

/// Whether a switch is on; what is neither on nor off leaves it off, with a notice.
fn is_on(field: &'static str, value: &str, notices: &mut Vec<Notice>) -> bool {
    if !["0", "1"].contains(&value) {
        let (value, taken) = (brief(value), "0".to_owned());
        notices.push(Notice::Value { field, value, fault: Fault::Unknown, taken });
    }
    value == "1"
}

fn take_panels(opened: &mut Opened, list: &str) {
    let (embed, unknown) = Embed::read(list);
    for name in unknown {
        opened.notices.push(Notice::Panel(brief(name), embed.clone()));
    }
    if opened.place != Place::default() {
        opened.place = Place::default();
        opened.notices.push(Notice::Embedded);
    }
    opened.embed = Some(embed);
}

fn take(opened: &mut Opened, field: Field, value: &str) {
    let (taken, notice) = match field.kind() {
        Kind::Choice(choices) => {
            let known = choices.contains(&value);
            if known { (value.to_owned(), None) } else { (default(field), Some(Fault::Unknown)) }
        }
        Kind::Whole(_, _, Some(_)) if value.is_empty() => (String::new(), None),
        Kind::Few(_, low, high) | Kind::Whole(low, high, _) => {
            clamp(value, &default(field), low, high)
        }
        Kind::MaybeReal(..) if value.is_empty() => (String::new(), None),
        Kind::Real(low, high) | Kind::MaybeReal(low, high) => match value.parse::<f64>() {
            Ok(number) if number >= low && number <= high => (value.to_owned(), None),
            Ok(number) if field == Field::Lr && number < low => {
                (low.to_string(), Some(Fault::NoRate))
            }
            Ok(number) if !number.is_nan() => {
                (number.clamp(low, high).to_string(), Some(Fault::Range))
            }
            _ => (default(field), Some(Fault::Number)),
        },
        // Lengths are checked with the rest of the form, which says beside the field what is wrong.
        Kind::Documents => (value.chars().take(1000).collect(), None),
    };
    if let Some(fault) = notice {
        let (value, taken) = (brief(value), taken.clone());
        opened.notices.push(Notice::Value { field: field.key(), value, fault, taken });
    }
    opened.form.set(field, taken);
}

/// The whole number nearest to what was given, or what is usual where that is none.
pub(super) fn clamp(value: &str, usual: &str, low: u64, high: u64) -> (String, Option<Fault>) {
    if !is_whole(value) {
        return (usual.to_owned(), Some(Fault::Whole));
    }
    let number = match (value.starts_with('-'), value.parse::<u64>()) {
        (true, _) => 0,
        (false, Ok(number)) => number,
        (false, Err(_)) => u64::MAX,
    };
    let inside = number.clamp(low, high);
    let notice = (inside != number || value.starts_with('-')).then_some(Fault::Range);
    (inside.to_string(), notice)
}

fn limit_world(opened: &mut Opened) {
    let number = |field| opened.form.get(field).parse::<u64>().unwrap_or(1);
    let (cp, dp) = (number(Field::Cp), number(Field::Dp));
    if cp * dp > MAX_WORLD {
        let fits = MAX_WORLD / cp;
        opened.notices.push(Notice::Workers { cp, dp, fits });
        opened.form.set(Field::Dp, fits.to_string());
    }
}

fn default(field: Field) -> String {
    Form::default().get(field).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_opens_the_run_that_wrote_it() {
        let form = Form::default()
            .with(Field::Cp, "2")
            .with(Field::Documents, "96,64,96")
            .with(Field::Lr, "0.0015")
            .with(Field::KvHeads, "2");
        let address = write(Place::Play, &form, true, false, None);
        assert!(address.starts_with("v=1&task=text&cp=2&"), "{address}");
        assert!(address.contains("documents=96,64,96"), "{address}");
        let expect = Opened { form: form.clone(), check: true, ..Opened::default() };
        assert_eq!(read(&format!("#{address}")), expect);
        let doctor = read(&write(Place::Doctor, &form, false, false, None));
        assert_eq!((doctor.place, doctor.form), (Place::Doctor, form));
        assert_eq!(read(""), Opened::default());
        let (embed, _) = Embed::read("traffic");
        let inside = address + &embedded(&embed);
        assert_eq!(read(&inside), Opened { embed: Some(embed), ..expect.clone() });
        let chinese = inside.replace("&embed=1&panels=traffic", &spoken(Language::Chinese));
        assert_eq!(read(&chinese), Opened { language: Some(Language::Chinese), ..expect });
    }

    #[test]
    fn what_is_modelled_is_in_the_address_where_something_is_asked() {
        let written = |form: &Form| write(Place::Play, form, false, false, None);
        let usual = written(&Form::default());
        assert!(!usual.contains("link_") && !usual.contains("slow_"), "{usual}");
        let form = Form::default()
            .with(Field::LinkLatency, "10000")
            .with(Field::LinkBandwidth, "1e9")
            .with(Field::SlowRank, "3")
            .with(Field::SlowFactor, "4");
        let address = written(&form);
        let asked = "&link_latency_us=10000&link_bandwidth=1e9&slow_rank=3&slow_factor=4";
        assert!(address.ends_with(asked), "{address}");
        assert_eq!(read(&address), Opened { form, ..Opened::default() });
        assert_eq!(read("v=1&slow_factor=2"), Opened::default());
        assert_eq!(read("v=1&link_latency_us=7").notices.len(), 1);
    }

    #[test]
    fn what_is_not_understood_is_noticed() {
        for (address, field, value, notice) in [
            ("v=1&seq_len=99999", Field::SeqLen, "4096", "seq_len = 99999"),
            ("v=1&seq_len=-5", Field::SeqLen, "1", "out of range"),
            ("v=1&seq_len=abc", Field::SeqLen, "256", "not a whole number"),
            ("v=1&cp=99999999999999999999999", Field::Cp, "8", "out of range"),
            ("v=1&cp=8&dp=8", Field::Dp, "1", "more than 8 workers"),
            ("v=1&strategy=magic", Field::Strategy, "ring", "unknown"),
            ("v=1&lr=-1", Field::Lr, "0", "out of range"),
            ("v=1&lr=NaN", Field::Lr, "0.003", "not a number"),
            ("v=1&colour=red", Field::Cp, "4", "“colour”"),
            ("v=1&view=lab", Field::Cp, "4", "view “lab”"),
            ("v=7&cp=2", Field::Cp, "2", "version 7"),
            ("v=1&cp=2&cp=1", Field::Cp, "1", "“cp” stands twice"),
            ("v=1&lr=1e99", Field::Lr, "100", "out of range"),
            ("v=1&embed=1&panels=ring,lab", Field::Cp, "4", "panel “lab”"),
            ("v=1&embed=1&panels=lab", Field::Cp, "4", "There are ring, curve, compare"),
            ("v=1&embed=1&lesson=ring&step=2", Field::Cp, "4", "lesson"),
            ("v=1&embed=1&view=doctor", Field::Cp, "4", "Play alone"),
            ("v=1&lang=tlh", Field::Cp, "4", "language “tlh”"),
            ("v=1&panels=ring", Field::Cp, "4", "beside embed=1"),
            ("v=1&embed=yes", Field::Cp, "4", "embed = yes"),
            ("v=1&check=on", Field::Cp, "4", "check = on"),
            ("v=1&from=40", Field::Task, "text", "checkpoint of 40 steps"),
            ("v=1&text=own", Field::Task, "text", "built-in text"),
        ] {
            let opened = read(address);
            assert_eq!(opened.form.get(field), value, "{address}");
            assert_eq!(opened.notices.len(), 1, "{address}: {:?}", opened.notices);
            let words = opened.notices[0].words();
            assert!(words.contains(notice), "{address}: {words}");
        }
    }

    proptest! {
        #[test]
        fn any_address_opens_something_within_the_limits(address in "(&?[a-z_]{1,8}=[-0-9a-z,%.]{0,9}){0,6}") {
            let opened = read(&address);
            for field in Field::ALL {
                if let Kind::Whole(low, high, _) = field.kind()
                    && let Ok(number) = opened.form.get(field).parse::<u64>()
                {
                    prop_assert!(number >= low && number <= high);
                }
            }
        }
    }
}
