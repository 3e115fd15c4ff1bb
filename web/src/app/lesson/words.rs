//! Conditions and the learner's own numbers in words.

use std::borrow::Cow;

use lesson::{Condition, Format, Live};
use plan::runtime::{Branch, Preset};

use crate::app::fields::Field;
use crate::app::format;
use crate::app::language::told;
use crate::app::lesson::measured::{self, Value, number, of as value_of};
use crate::app::places::Place;
use crate::app::state::State;
use crate::t;

/// What is shown where nothing was measured yet.
const NOTHING: &str = "–";

/// What is looked at, how it is, and what is needed.
pub fn of(state: &State, condition: &Condition) -> String {
    let Condition { subject, op, value } = condition;
    let now = match value_of(state, subject) {
        Some(Value::Number(Some(number))) => shown(subject, number),
        Some(Value::Word(word)) if !word.is_empty() => worded(subject, &word),
        Some(Value::Among(words)) if !words.is_empty() => {
            format::listed(words.iter().map(|word| worded(subject, word)))
        }
        _ => t!("lesson.nothing").into_owned(),
    };
    let needed = match value.parse::<f64>() {
        Ok(number) if Field::by_key(subject).is_none() => shown(subject, number),
        _ => worded(subject, value),
    };
    let needed = t!(format!("lesson.needs.{}", op.key()), value = needed);
    t!("lesson.condition", what = name(subject), now = now, needed = needed).into_owned()
}

/// What a subject is called.
pub fn name(subject: &str) -> Cow<'static, str> {
    if let Some(name_of) = subject.strip_prefix("beside.") {
        return t!("lesson.of_kept", what = name(name_of));
    }
    match Field::by_key(subject) {
        Some(field) if field != Field::Steps => field.label(),
        _ => t!(format!("lesson.subject.{}", subject.replace('.', "_"))),
    }
}

/// A number of the run as the lesson wants it written.
pub fn live(state: &State, live: &Live) -> String {
    let Some(number) = number(state, &live.subject) else { return NOTHING.to_owned() };
    match live.format {
        Format::Plain => plain(number),
        Format::Count => format::count(number.round().max(0.0) as u64),
        Format::Bytes => format::bytes(number.max(0.0) as u64),
        Format::Percent => format::percent(number),
        Format::Decimals(digits) => format!("{number:.*}", usize::from(digits)),
    }
}

/// A measure in the unit that suits it.
fn shown(subject: &str, number: f64) -> String {
    let subject = subject.trim_start_matches("beside.");
    match subject {
        "waiting" | "efficiency" => format::percent(number),
        "bytes" => format::bytes(number.max(0.0) as u64),
        memory if memory.starts_with("memory.") => format::bytes(number.max(0.0) as u64),
        _ => plain(number),
    }
}

fn plain(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.4}") }
}

fn worded(subject: &str, word: &str) -> String {
    let field = Field::by_key(subject.trim_start_matches("beside."));
    match (subject, word) {
        // In the words that stand on the control.
        _ if field.is_some_and(|field| field.shown(word) != word) => {
            field.map_or_else(String::new, |field| field.shown(word).into_owned())
        }
        ("backend.preset", word) => {
            Preset::named(word).map_or_else(|| word.to_owned(), |preset| told(&preset.title()))
        }
        ("backend.branch", word) => {
            let mut all = Branch::ALL.iter().copied();
            let branch = all.find(|&branch| measured::branch_name(branch) == word);
            branch.map_or_else(|| word.to_owned(), |b| format!("“{}”", told(&b.when())))
        }
        (_, "yes" | "no" | "none") => t!(format!("lesson.word.{word}")).into_owned(),
        ("place", word) => Place::named(word).map_or_else(String::new, |p| p.title().into_owned()),
        (_, word) => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::Language;

    #[test]
    fn a_check_speaks_of_machines_and_branches_as_the_page_does() {
        let (state, _) = State::open("v=1", Language::default());
        for (subject, value, expect) in [
            ("backend.preset", "colab-cpu", "needed: Colab without a GPU"),
            ("backend.branch", "gpu-refused", "needed: “none, and device = cuda”"),
            ("layout", "zigzag", "needed: Zigzag"),
            ("place", "doctor", "needed: Doctor"),
        ] {
            let (subject, value) = (subject.to_owned(), value.to_owned());
            let words = of(&state, &Condition { subject, op: lesson::Op::Is, value });
            assert!(words.ends_with(expect), "{words}");
        }
    }
}
