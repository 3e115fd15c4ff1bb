//! What stands between the lines of `---` at the head of a lesson.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_saphyr::Spanned;

use super::{Trial, Wrong};
use crate::action::{self, Action};
use crate::claim::brief;
use crate::subject::{self, Kind};
use crate::{Ask as Question, Condition, Op, Unit};

/// A file in its two parts.
pub struct Source<'a> {
    front: &'a str,
    /// The Markdown.
    pub body: &'a str,
    /// The line of the file at which the Markdown begins.
    pub body_line: usize,
    /// Lines of the file.
    pub lines: usize,
}

/// The English front matter, checked.
pub struct English {
    pub number: u16,
    pub title: String,
    pub goal: String,
    pub minutes: u16,
    pub steps: Vec<StepFront>,
}

/// What the front matter says of a step, checked.
pub struct StepFront {
    pub id: String,
    pub open: Option<String>,
    pub show: Vec<String>,
    pub check: Vec<Condition>,
    pub ask: Option<Ask>,
    pub trial: Trial,
}

/// A question, as far as the front matter has it.
pub enum Ask {
    /// All of it.
    Number(Question),
    /// The texts stand in the body.
    Choice { names: Vec<String>, right: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    number: u16,
    title: String,
    goal: String,
    minutes: u16,
    steps: Vec<TypedStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedStep {
    id: Spanned<String>,
    #[serde(default)]
    open: Option<String>,
    #[serde(default)]
    show: Vec<Spanned<String>>,
    #[serde(default)]
    check: Vec<Spanned<String>>,
    #[serde(default)]
    ask: Option<Spanned<TypedAsk>>,
    #[serde(default)]
    solve: Vec<Spanned<String>>,
    #[serde(default)]
    fail: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedAsk {
    #[serde(default)]
    number: Option<String>,
    #[serde(default)]
    per: Option<String>,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    within: Option<f64>,
    #[serde(default)]
    choice: Option<Vec<String>>,
    #[serde(default)]
    right: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedOther {
    title: String,
    goal: String,
}

/// Lines before the front matter's own first.
const ABOVE: usize = 1;

/// Parts the front matter from the body.
pub fn split(text: &str) -> Result<Source<'_>, Wrong> {
    let front = text
        .strip_prefix("---\n")
        .ok_or_else(|| (1, "a lesson begins with its front matter, after a line ---".to_owned()))?;
    let (front, body) = front
        .split_once("\n---\n")
        .ok_or_else(|| (1, "no line --- ends the front matter".to_owned()))?;
    let body_line = ABOVE + front.lines().count() + 2;
    Ok(Source { front, body, body_line, lines: text.lines().count() })
}

/// Whether `id` may stand in an address.
pub fn is_id(id: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    id.bytes().next().is_some_and(|b| b.is_ascii_lowercase()) && id.bytes().all(is_letter)
}

/// The front matter of a translation: title and goal.
pub fn other(source: &Source<'_>) -> Result<(String, String), Wrong> {
    let TypedOther { title, goal } = parse(source)?;
    Ok((title, goal))
}

/// The front matter of the original.
pub fn english(source: &Source<'_>) -> Result<English, Wrong> {
    let Typed { number, title, goal, minutes, steps: typed } = parse(source)?;
    if typed.is_empty() {
        return Err((ABOVE, "a lesson needs a step".to_owned()));
    }
    let mut steps: Vec<StepFront> = Vec::new();
    for step in typed {
        let (line, id) = (line(&step.id), &step.id.value);
        if !is_id(id) {
            return Err((line, format!("{id} is no id: a-z, 0-9 and - only, a letter first")));
        }
        if steps.iter().any(|before| &before.id == id) {
            return Err((line, format!("there are two steps {id}")));
        }
        steps.push(checked(step)?);
    }
    Ok(English { number, title, goal, minutes, steps })
}

fn parse<T: DeserializeOwned>(source: &Source<'_>) -> Result<T, Wrong> {
    serde_saphyr::from_str(source.front).map_err(|error| {
        let line = error.location().map_or(1, |place| place.line() as usize);
        (line + ABOVE, brief(&error))
    })
}

fn line<T>(value: &Spanned<T>) -> usize {
    value.referenced.line() as usize + ABOVE
}

fn checked(step: TypedStep) -> Result<StepFront, Wrong> {
    let step_line = line(&step.id);
    let mut check = Vec::new();
    for text in &step.check {
        check.push(condition(&text.value).map_err(|message| (line(text), message))?);
    }
    let mut show = Vec::new();
    for control in step.show {
        if !subject::can_show(&control.value) {
            return Err((line(&control), format!("there is no control {}", control.value)));
        }
        show.push(control.value);
    }
    let ask = match step.ask {
        Some(typed) => {
            let line = line(&typed);
            Some(ask(typed.value).map_err(|message| (line, message))?)
        }
        None => None,
    };
    if check.is_empty() && ask.is_none() {
        return Err((step_line, format!("step {} checks and asks nothing", step.id.value)));
    }
    let actions = |texts: &[Spanned<String>]| -> Result<Vec<Action>, Wrong> {
        let read = |text: &Spanned<String>| {
            action::read(&text.value).map_err(|message| (line(text), message))
        };
        texts.iter().map(read).collect()
    };
    let trial = Trial { solve: actions(&step.solve)?, fail: actions(&step.fail)? };
    if trial.solve.is_empty() {
        return Err((step_line, format!("step {} does not say how to solve it", step.id.value)));
    }
    if let Some(address) = step.open.as_deref()
        && address.starts_with(['#', '/'])
    {
        return Err((step_line, format!("open: {address} is what stands behind #v=1&")));
    }
    Ok(StepFront { id: step.id.value, open: step.open, show, check, ask, trial })
}

/// Reads `subject op value`.
pub fn condition(text: &str) -> Result<Condition, String> {
    let found = Op::ALL
        .into_iter()
        .filter_map(|op| text.find(op.symbol()).map(|at| (at, op)))
        // Of several that begin at the same letter, the longest, which is first in the list.
        .min_by_key(|&(at, _)| at);
    let Some((at, op)) = found else {
        return Err(format!("{text}: no operator; it is one of =, !=, <, <=, >, >="));
    };
    let subject = text[..at].trim();
    let value = text[at + op.symbol().len()..].trim();
    if value.is_empty() || value.starts_with(['=', '!', '<', '>']) {
        return Err(format!("{text}: no such operator, or no value behind it"));
    }
    let kind = subject::kind(subject)
        .ok_or_else(|| format!("{text}: there is nothing called {subject} to look at"))?;
    let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
    match kind {
        Kind::Number if !is_number && (value != "none" || op.orders()) => {
            return Err(format!("{text}: {subject} is a number"));
        }
        Kind::Word(words) if !words.contains(&value) => {
            return Err(format!("{text}: {subject} is one of {}", words.join(", ")));
        }
        Kind::Word(_) | Kind::Free if op.orders() => {
            return Err(format!("{text}: {subject} is a word, to be compared with = or !="));
        }
        Kind::Field if op.orders() && !is_number => {
            return Err(format!("{text}: {} compares numbers", op.symbol()));
        }
        _ => {}
    }
    Ok(Condition { subject: subject.to_owned(), op, value: value.to_owned() })
}

fn ask(typed: TypedAsk) -> Result<Ask, String> {
    let TypedAsk { number, per, unit, within, choice, right } = typed;
    match (number, choice) {
        (Some(subject), None) => {
            if subject::kind(&subject) != Some(Kind::Number) {
                return Err(format!("there is no number called {subject} to ask for"));
            }
            let unit = match unit.as_deref() {
                None => Unit::One,
                Some(name) => {
                    let found = Unit::ALL.into_iter().find(|unit| unit.symbol() == name);
                    found.ok_or_else(|| format!("there is no unit {name}"))?
                }
            };
            let per_rank = match per.as_deref() {
                None => false,
                Some("rank") => true,
                Some(other) => return Err(format!("per: {other}: it may be rank")),
            };
            match right {
                Some(_) => Err("a number's right answer is measured, not written down".to_owned()),
                None => Ok(Ask::Number(Question::Number {
                    subject,
                    per_rank,
                    unit,
                    within: within.unwrap_or(0.0),
                })),
            }
        }
        (None, Some(names)) => {
            let right = right.ok_or("a choice needs its right answer")?;
            let at = names.iter().position(|name| *name == right);
            let right = at.ok_or_else(|| format!("{right} is none of the options"))?;
            if names.len() < 2 {
                return Err("a choice needs two options or more".to_owned());
            }
            match (per, unit, within) {
                (None, None, None) => Ok(Ask::Choice { names, right }),
                _ => Err("per, unit and within are a number's".to_owned()),
            }
        }
        _ => Err("a question asks for a number or for a choice".to_owned()),
    }
}
