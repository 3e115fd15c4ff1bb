//! Lessons: what there is, which is open at which step, and what the learner has done.

mod judge;
pub mod measured;
pub mod words;

use std::collections::BTreeSet;
use std::rc::Rc;

use lesson::{Index, Lesson, Step, unpack};

use crate::app::address;
use crate::app::language::Language;
use crate::app::notice::Notice;
use crate::app::places::Place;
use crate::app::state::{Effect, State};

/// What the page knows of lessons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lessons {
    /// The lessons of the language that is spoken, once they are here.
    pub index: Option<Rc<Index>>,
    /// The lesson that is open.
    pub open: Option<Open>,
    /// Whether what was asked for did not come.
    pub failed: bool,
    /// Whether only the head of the panel is shown.
    pub folded: bool,
    /// Steps that were done: `lesson/step`.
    pub done: BTreeSet<String>,
}

/// A lesson that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Its name.
    pub id: String,
    /// The step that an address asked for, until the lesson is here; empty for where to go on.
    asked: String,
    /// The lesson, once it is here.
    pub lesson: Option<Rc<Lesson>>,
    /// The step's number, from 0.
    pub at: usize,
    /// The option that the learner has marked, in an answer that may be given yet.
    pub picked: Option<usize>,
    /// The number that the learner has typed.
    pub typed: String,
    /// What came of the learner's answer.
    pub given: Given,
    /// Whether the lesson was opened at this step, so that nothing before it has set up the run.
    is_entered: bool,
    /// How the step stands.
    pub seen: Rc<Seen>,
    /// Whether the keyboard's focus goes to the step's heading.
    pub wants_focus: bool,
    /// The step whose controls the learner was led to, and to how many of them.
    led: (usize, usize),
}

/// How a step stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Each condition of the check: whether it is met, and what it says.
    pub conditions: Vec<(bool, String)>,
    /// The learner's own numbers in the text, in order: introduction, step, hint.
    pub live: Vec<String>,
}

/// What came of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// None was given.
    #[default]
    Nothing,
    /// It is no number.
    NoNumber,
    /// The run has not measured yet what was asked for.
    TooEarly,
    /// It is wrong.
    Wrong,
    /// It is right.
    Right,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A number as typed.
    Number(String),
    /// One of the options.
    Option(usize),
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A file came, or did not.
    Came(File, Option<Vec<u8>>),
    /// What did not come is asked for again.
    Retry,
    /// The user opens a lesson.
    Open(String),
    /// The user closes it.
    Close,
    /// The user goes to a step, from 0.
    Go(usize),
    /// The user goes so many steps on, or back.
    Move(i8),
    /// The user opens what the step begins from.
    SetUp,
    /// The user wants to be led to what the step is about.
    Lead,
    /// The user marks an option, and may answer with it.
    Pick(usize),
    /// The user types a number.
    Type(String),
    /// The user answers.
    Answer(Reply),
    /// The user folds or unfolds the panel.
    Fold(bool),
    /// The heading has the focus.
    Focused,
    /// The run has gone on.
    Look,
}

/// A file of the lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The language that it is in.
    pub language: Language,
    /// The lesson, and its file's name; the list of lessons otherwise.
    pub lesson: Option<(String, String)>,
}

impl Lessons {
    /// Whether a step was done.
    pub fn is_done(&self, lesson: &str, step: &str) -> bool {
        self.done.contains(&key(lesson, step))
    }

    /// The step that is open.
    pub fn step(&self) -> Option<&Step> {
        self.open.as_ref()?.step()
    }

    /// The controls that the step is about.
    pub fn shown(&self) -> &[String] {
        self.step().map(|step| &step.show[..]).unwrap_or_default()
    }

    /// What keeps the lesson and its step in an address.
    pub fn address(&self) -> Option<(&str, &str)> {
        let open = self.open.as_ref()?;
        Some((&open.id, open.step().map_or(&open.asked, |step| &step.id)))
    }

    /// The step to go on with: the first that was not done.
    fn next_of(&self, lesson: &Lesson) -> usize {
        let left = lesson.steps.iter().position(|step| !self.is_done(&lesson.id, &step.id));
        left.unwrap_or(0)
    }
}

impl Open {
    fn new(id: &str, asked: &str) -> Self {
        Self {
            id: id.to_owned(),
            asked: asked.to_owned(),
            lesson: None,
            at: 0,
            picked: None,
            typed: String::new(),
            given: Given::Nothing,
            is_entered: false,
            led: (0, 0),
            seen: Rc::default(),
            wants_focus: false,
        }
    }

    /// The step that is open, once the lesson is here.
    pub fn step(&self) -> Option<&Step> {
        self.lesson.as_ref()?.steps.get(self.at)
    }

    /// The address from which the step begins: its own, or that of the steps before it, where they
    /// were not gone through.
    pub fn begins(&self) -> Option<&str> {
        let steps = self.lesson.as_ref()?.steps.get(..=self.at)?;
        let before = if self.is_entered { steps.len() } else { 1 };
        steps.iter().rev().take(before).find_map(|step| step.open.as_deref())
    }

    fn go(&mut self, at: usize) {
        if self.at != at {
            (self.at, self.picked, self.given) = (at, None, Given::Nothing);
            self.typed.clear();
            self.is_entered = false;
        }
    }
}

fn key(lesson: &str, step: &str) -> String {
    format!("{lesson}/{step}")
}

impl State {
    /// Takes what happens around lessons.
    pub(super) fn teach(&mut self, act: Act) -> Vec<Effect> {
        match act {
            Act::Came(file, bytes) => self.take_file(file, bytes),
            Act::Retry => self.fetch_lessons(),
            Act::Open(id) => {
                let mut effects = self.go(Place::Play);
                effects.extend(self.open_lesson(Some((&id, ""))));
                self.want_focus();
                effects.push(self.lesson_address());
                effects
            }
            Act::Close => {
                self.lessons.make_mut().open = None;
                vec![self.lesson_address()]
            }
            Act::Go(at) => self.go_to_step(at),
            Act::Move(by) => {
                let at = self.lessons.open.as_ref().map_or(0, |open| open.at);
                self.go_to_step(at.saturating_add_signed(by.into()))
            }
            Act::SetUp => self.set_up(),
            Act::Lead => self.lead(),
            Act::Pick(option) => {
                if let Some(open) = &mut self.lessons.make_mut().open {
                    open.picked = Some(option);
                }
                Vec::new()
            }
            Act::Type(text) => {
                if let Some(open) = &mut self.lessons.make_mut().open {
                    open.typed = text;
                }
                Vec::new()
            }
            Act::Answer(reply) => {
                let given = self.judged(&reply);
                if let Some(open) = &mut self.lessons.make_mut().open {
                    open.given = given;
                }
                Vec::new()
            }
            Act::Fold(folded) => {
                self.lessons.make_mut().folded = folded;
                Vec::new()
            }
            Act::Focused => {
                if let Some(open) = &mut self.lessons.make_mut().open {
                    open.wants_focus = false;
                }
                Vec::new()
            }
            // Every action ends with a look.
            Act::Look => Vec::new(),
        }
    }

    /// Opens the lesson and step that an address asks for. One that asks for none leaves the lesson
    /// open, unless the page is inside another now: the learner goes on by links of the page's own.
    pub(super) fn open_lesson(&mut self, asked: Option<(&str, &str)>) -> Vec<Effect> {
        let Some((id, step)) = asked else {
            if self.lessons.open.is_some() && self.embed.is_some() {
                self.lessons.make_mut().open = None;
            }
            return if self.place == Place::Learn { self.need_index() } else { Vec::new() };
        };
        if self.lessons.open.as_ref().is_some_and(|open| open.id == id) {
            if let Some(open) = &mut self.lessons.make_mut().open
                && !step.is_empty()
            {
                open.asked = step.to_owned();
                self.find_step();
            }
            return Vec::new();
        }
        self.lessons.make_mut().open = Some(Open::new(id, step));
        self.fetch_open()
    }

    /// Goes to the lesson and step of an earlier moment, or to where none was open.
    pub(super) fn return_to_lesson(&mut self, asked: Option<(&str, &str)>) -> Vec<Effect> {
        if asked.is_none() {
            self.lessons.make_mut().open = None;
            return Vec::new();
        }
        let effects = self.open_lesson(asked);
        self.want_focus();
        effects
    }

    /// Asks for the list of lessons, if it is not here.
    pub(super) fn need_index(&self) -> Vec<Effect> {
        match self.lessons.index {
            Some(_) => Vec::new(),
            None => vec![Effect::Fetch(File { language: self.language, lesson: None })],
        }
    }

    /// Asks for everything again, in the language that is spoken now; what is shown stays until
    /// then.
    pub(super) fn fetch_lessons(&mut self) -> Vec<Effect> {
        let is_used = self.lessons.open.is_some() || self.place == Place::Learn;
        let lessons = self.lessons.make_mut();
        (lessons.index, lessons.failed) = (None, false);
        if is_used { self.need_index() } else { Vec::new() }
    }

    /// Asks for the open lesson, whose file the list names.
    fn fetch_open(&mut self) -> Vec<Effect> {
        let Some(index) = self.lessons.index.clone() else { return self.need_index() };
        let Some(open) = &self.lessons.open else { return Vec::new() };
        match index.lessons.iter().find(|entry| entry.id == open.id) {
            Some(entry) => {
                let lesson = Some((entry.id.clone(), entry.file.clone()));
                vec![Effect::Fetch(File { language: self.language, lesson })]
            }
            None => {
                let notice = Notice::Lesson(crate::app::whole::brief(&open.id));
                self.lessons.make_mut().open = None;
                self.place = Place::Learn;
                self.add_notice(notice);
                vec![self.lesson_address()]
            }
        }
    }

    fn take_file(&mut self, file: File, bytes: Option<Vec<u8>>) -> Vec<Effect> {
        if file.language != self.language {
            return Vec::new();
        }
        let lessons = self.lessons.make_mut();
        lessons.failed = false;
        let Some((id, _)) = file.lesson else {
            lessons.index = bytes.and_then(|bytes| unpack(&bytes)).map(Rc::new);
            lessons.failed = lessons.index.is_none();
            return if lessons.index.is_some() { self.fetch_open() } else { Vec::new() };
        };
        let Some(open) = lessons.open.as_mut().filter(|open| open.id == id) else {
            return Vec::new();
        };
        let came = bytes.and_then(|bytes| unpack::<Lesson>(&bytes));
        match came.filter(|lesson| !lesson.steps.is_empty()) {
            None => {
                lessons.failed = true;
                Vec::new()
            }
            // The same lesson in another language goes on at its step.
            Some(lesson) if open.lesson.is_some() => {
                open.lesson = Some(Rc::new(lesson));
                Vec::new()
            }
            Some(lesson) => {
                open.lesson = Some(Rc::new(lesson));
                self.find_step();
                if let Some(open) = &mut self.lessons.make_mut().open {
                    open.is_entered = true;
                }
                vec![self.lesson_address()]
            }
        }
    }

    /// Goes to the step that was asked for, or to the nearest, which a notice says.
    fn find_step(&mut self) {
        let lessons = self.lessons.make_mut();
        let next = lessons.open.as_ref().and_then(|open| open.lesson.as_deref());
        let next = next.map_or(0, |lesson| lessons.next_of(lesson));
        let Some(open) = &mut lessons.open else { return };
        let Some(lesson) = &open.lesson else { return };
        let asked = std::mem::take(&mut open.asked);
        let found = lesson.steps.iter().position(|step| step.id == asked);
        let nearest = || match asked.parse::<usize>() {
            Ok(number) => number.clamp(1, lesson.steps.len()) - 1,
            Err(_) => 0,
        };
        let at = match found {
            Some(at) => at,
            None if asked.is_empty() => next,
            None => nearest(),
        };
        let title = lesson.steps[at].title.clone();
        open.go(at);
        if found.is_none() && !asked.is_empty() {
            self.add_notice(Notice::LessonStep(crate::app::whole::brief(&asked), title));
        }
    }

    fn go_to_step(&mut self, at: usize) -> Vec<Effect> {
        let Some(open) = &self.lessons.open else { return Vec::new() };
        let last = open.lesson.as_ref().map_or(0, |lesson| lesson.steps.len() - 1);
        let at = at.min(last);
        if open.lesson.is_none() || at == open.at {
            return Vec::new();
        }
        if let Some(open) = &mut self.lessons.make_mut().open {
            open.go(at);
        }
        self.want_focus();
        // Back and Forward go from step to step.
        vec![Effect::PushAddress(self.address(self.place))]
    }

    fn want_focus(&mut self) {
        let lessons = self.lessons.make_mut();
        lessons.folded = false;
        if let Some(open) = &mut lessons.open {
            open.wants_focus = true;
        }
    }

    /// Opens what the step begins from, afresh; the lesson, the language and a kept run stay.
    fn set_up(&mut self) -> Vec<Effect> {
        let Some(address) = self.lessons.open.as_ref().and_then(Open::begins) else {
            return Vec::new();
        };
        let opened = address::read(address);
        self.text = None;
        self.set_origin(None);
        let (place, was) = (opened.place, self.place);
        (self.place, self.welcome) = (place, false);
        self.check = opened.check;
        self.notices = opened.notices.into();
        let launch = self.launch;
        let mut effects = self.enter(opened.entries);
        effects.extend(self.edit(opened.form));
        if self.engine.is_used() && self.launch == launch {
            effects.extend(self.restart());
        }
        if let Some(open) = &mut self.lessons.make_mut().open {
            open.given = Given::Nothing;
        }
        let address = self.address(place);
        effects.push(match place == was {
            true => Effect::WriteAddress(address),
            false => Effect::PushAddress(address),
        });
        effects
    }

    /// Leads to what the step is about, in the place where it begins: to the next each time.
    fn lead(&mut self) -> Vec<Effect> {
        let Some(open) = &mut self.lessons.make_mut().open else { return Vec::new() };
        let before = if open.led.0 == open.at { open.led.1 } else { 0 };
        open.led = (open.at, before + 1);
        let Some(step) = open.step() else { return Vec::new() };
        let Some(control) = step.show.get(before % step.show.len().max(1)).cloned() else {
            return Vec::new();
        };
        let begins = step.open.as_deref().map(|address| address::read(address).place);
        let mut effects = begins.map_or_else(Vec::new, |place| self.go(place));
        effects.push(Effect::Reveal(control));
        effects
    }

    fn lesson_address(&self) -> Effect {
        Effect::WriteAddress(self.address(self.place))
    }

    fn add_notice(&mut self, notice: Notice) {
        self.notices = self.notices.iter().cloned().chain([notice]).collect();
    }
}

#[cfg(test)]
mod tests;
