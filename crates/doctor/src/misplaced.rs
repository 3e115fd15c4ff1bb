//! Texts that stand in another's place: each is read for what it is, and told where it belongs.

use plan::message;

use crate::finding::{Finding, Id, Severity, Stage};
use crate::flags::split;
use crate::form::{Form, lines};
use crate::input::Input;
use crate::settings::Settings;

/// A text that is plainly something else than what it was given as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    text: String,
    given_as: Form,
    is: Form,
}

impl Misplaced {
    /// A text that was given as something, where it is plainly something else.
    pub fn of(given_as: Form, text: &str) -> Option<Self> {
        let is = Form::of(text).filter(|&form| form != given_as)?;
        Some(Self { text: text.to_owned(), given_as, is })
    }
}

/// Puts every text of `input` where it belongs; what there is to say of it comes back.
pub fn put_right(input: &mut Input) -> Vec<Finding> {
    let mut misplaced = std::mem::take(&mut input.misplaced);
    for (given_as, text) in [(Form::Config, &mut input.config), (Form::Error, &mut input.error)] {
        if let Some(found) = text.as_deref().and_then(|text| Misplaced::of(given_as, text)) {
            *text = None;
            misplaced.push(found);
        }
    }
    misplaced.into_iter().map(|text| finding(&text, is_put(&text, input))).collect()
}

/// Puts it where it belongs, if there is room.
fn is_put(Misplaced { text, is, .. }: &Misplaced, input: &mut Input) -> bool {
    match is {
        Form::Config if input.config.is_none() => input.config = Some(text.clone()),
        Form::Launch if input.launch.is_none() => {
            input.launch = Some(split(&lines(text).collect::<Vec<_>>().join("\n")));
        }
        Form::Config | Form::Launch => return false,
        Form::Error => input.error.get_or_insert_default().insert_str(0, &format!("{text}\n")),
        Form::Settings => {
            let Ok(Settings { values, .. }) = Settings::read(text) else { return false };
            // What was given in its own place counts.
            for (name, value) in values {
                input.settings.entry(name).or_insert(value);
            }
        }
    }
    true
}

fn finding(Misplaced { given_as, is, .. }: &Misplaced, is_read: bool) -> Finding {
    let (severity, why) = if is_read {
        (Severity::Info, message!("It was read as what it is."))
    } else {
        let why = message!("It was not read, as “{label}” holds one already.", label = is.label());
        (Severity::Warning, why)
    };
    Finding::new(Id::MisplacedText, severity, Stage::Read).says(
        message!(
            "This is {what}, and it stands in “{label}”.",
            what = is.title(),
            label = given_as.label()
        ),
        why,
        message!(
            "Move it to “{label}” (on the command line: {flag}).",
            label = is.label(),
            flag = is.flag()
        ),
    )
}
