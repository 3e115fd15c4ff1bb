//! From the files of `web/lessons` to lessons: what is wrong is told with its file and line.

mod body;
mod code;
mod formula;
mod front;
mod numbers;
mod placeholders;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::action::Action;
use crate::{Ask, Entry, LANGUAGES, Lesson, Step};
use body::Section;
use front::{English, StepFront};

/// What is wrong with a lesson.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// A lesson in every language, with what the test does to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// Its place among the lessons.
    pub number: u16,
    /// How long it takes.
    pub minutes: u16,
    /// The lesson in each of [`LANGUAGES`].
    pub lessons: Vec<Lesson>,
    /// What the test does at each step.
    pub trials: Vec<Trial>,
}

/// What the test does at a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// After this the check holds.
    pub solve: Vec<Action>,
    /// After this it does not; if it is empty, it does not hold after the step's address is opened.
    pub fail: Vec<Action>,
}

impl Compiled {
    /// What the index says of it in the language with this number, where it is kept in `file`.
    pub fn entry(&self, language: usize, file: String) -> Entry {
        let lesson = &self.lessons[language];
        Entry {
            number: self.number,
            id: lesson.id.clone(),
            title: lesson.title.clone(),
            goal: lesson.goal.clone(),
            minutes: self.minutes,
            file,
            steps: lesson.steps.iter().map(|step| step.id.clone()).collect(),
        }
    }
}

/// Compiles every lesson of a folder, in the order of their numbers; all that is wrong comes back
/// otherwise.
pub fn folder(folder: &Path) -> Result<Vec<Compiled>, Vec<Error>> {
    let unreadable = |error: std::io::Error| {
        let file = folder.display().to_string();
        vec![Error { file, line: 1, message: error.to_string() }]
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut texts = BTreeMap::new();
    for name in names.into_iter().filter(|name| name.ends_with(".md")) {
        let text = std::fs::read_to_string(folder.join(&name)).map_err(unreadable)?;
        texts.insert(name, text);
    }
    all(&texts)
}

/// Compiles lessons from their texts by file name.
pub fn all(texts: &BTreeMap<String, String>) -> Result<Vec<Compiled>, Vec<Error>> {
    let (mut lessons, mut errors) = (Vec::new(), Vec::new());
    let mut ids: Vec<&str> = Vec::new();
    for name in texts.keys() {
        match split_name(name) {
            Some((id, _)) if ids.contains(&id) => {}
            Some((id, _)) => ids.push(id),
            None => errors.push(Error {
                file: name.clone(),
                line: 1,
                message: format!(
                    "a lesson's name is ID.LANGUAGE.md, with an id of a-z, 0-9 and -, and a \
                     language of {}",
                    LANGUAGES.join(", ")
                ),
            }),
        }
    }
    for id in ids {
        match lesson(id, texts) {
            Ok(lesson) => lessons.push(lesson),
            Err(error) => errors.push(error),
        }
    }
    lessons.sort_by_key(|lesson: &Compiled| lesson.number);
    for pair in lessons.windows(2).filter(|pair| pair[0].number == pair[1].number) {
        let [one, other] = [&pair[0].lessons[0].id, &pair[1].lessons[0].id];
        errors.push(Error {
            file: format!("{other}.en.md"),
            line: 1,
            message: format!("number {} is that of {one} as well", pair[0].number),
        });
    }
    if errors.is_empty() { Ok(lessons) } else { Err(errors) }
}

fn split_name(name: &str) -> Option<(&str, &str)> {
    let (id, language) = name.strip_suffix(".md")?.split_once('.')?;
    let is_id = front::is_id(id);
    (is_id && LANGUAGES.contains(&language)).then_some((id, language))
}

fn lesson(id: &str, texts: &BTreeMap<String, String>) -> Result<Compiled, Error> {
    let mut front: Option<English> = None;
    let mut lessons: Vec<Lesson> = Vec::new();
    for language in LANGUAGES {
        let name = format!("{id}.{language}.md");
        let wrong = |line: usize, message: String| Error { file: name.clone(), line, message };
        let text = texts
            .get(&name)
            .ok_or_else(|| wrong(1, format!("is missing: every lesson is in {language} too")))?;
        let source = front::split(text).map_err(|(line, message)| wrong(line, message))?;
        let (title, goal) = match &front {
            None => {
                let english = front::english(&source).map_err(|(line, m)| wrong(line, m))?;
                let named = (english.title.clone(), english.goal.clone());
                front = Some(english);
                named
            }
            Some(_) => front::other(&source).map_err(|(line, m)| wrong(line, m))?,
        };
        let steps = front.as_ref().map(|front| &front.steps[..]).unwrap_or_default();
        let body = body::read(&source, id).map_err(|(line, message)| wrong(line, message))?;
        let lesson = Lesson {
            id: id.to_owned(),
            title,
            goal,
            intro: body.intro,
            steps: join(steps, body.sections, source.lines).map_err(|(l, m)| wrong(l, m))?,
        };
        if let Some(english) = lessons.first() {
            hold_together(english, &lesson).map_err(|message| wrong(1, message))?;
        }
        lessons.push(lesson);
    }
    let front = front.ok_or_else(|| Error {
        file: id.to_owned(),
        line: 1,
        message: "is in no language".to_owned(),
    })?;
    Ok(Compiled {
        number: front.number,
        minutes: front.minutes,
        lessons,
        trials: front.steps.into_iter().map(|step| step.trial).collect(),
    })
}

/// What is wrong, at which line.
type Wrong = (usize, String);

/// Puts the machine's part of each step to its text.
fn join(
    fronts: &[StepFront],
    sections: Vec<Section>,
    last_line: usize,
) -> Result<Vec<Step>, Wrong> {
    let mut steps = Vec::new();
    let mut sections = sections.into_iter();
    for front in fronts {
        let Some(section) = sections.next() else {
            return Err((last_line, format!("there is no heading {{#{}}}", front.id)));
        };
        if section.id != front.id {
            let message =
                format!("step {} stands here, where the front matter has {}", section.id, front.id);
            return Err((section.line, message));
        }
        let ask = match (&front.ask, section.options) {
            (None | Some(front::Ask::Number(_)), Some(_)) => {
                return Err((section.line, "options stand where no choice is asked".to_owned()));
            }
            (None, None) => None,
            (Some(front::Ask::Number(ask)), None) => Some(ask.clone()),
            (Some(front::Ask::Choice { .. }), None) => {
                let message = format!("step {} asks for a choice without its options", front.id);
                return Err((section.line, message));
            }
            (Some(front::Ask::Choice { names, right }), Some(options)) => {
                let there: Vec<&str> = options.iter().map(|(name, _)| &name[..]).collect();
                if there != names.iter().map(|name| &name[..]).collect::<Vec<_>>() {
                    let message = format!(
                        "the options are {}, the front matter has {}",
                        there.join(", "),
                        names.join(", ")
                    );
                    return Err((section.line, message));
                }
                Some(Ask::Choice { options, right: *right })
            }
        };
        steps.push(Step {
            id: section.id,
            title: section.title,
            body: section.body,
            hint: section.hint,
            open: front.open.clone(),
            show: front.show.clone(),
            check: front.check.clone(),
            ask,
        });
    }
    match sections.next() {
        Some(Section { line, id, .. }) => {
            Err((line, format!("the front matter has no step {id} here")))
        }
        None => Ok(steps),
    }
}

/// A translation has what its original has.
fn hold_together(english: &Lesson, other: &Lesson) -> Result<(), String> {
    for (one, two) in english.steps.iter().zip(&other.steps) {
        if one.hint.is_empty() != two.hint.is_empty() {
            return Err(format!("step {} has a hint in one language only", one.id));
        }
        let live = |step: &Step| {
            let blocks = step.body.iter().chain(&step.hint);
            let mut live: Vec<String> =
                blocks.flat_map(|block| &block.live).map(|live| live.subject.clone()).collect();
            live.sort();
            live
        };
        if live(one) != live(two) {
            return Err(format!("step {} has other live numbers than its original", one.id));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
