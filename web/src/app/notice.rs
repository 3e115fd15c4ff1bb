//! What a link held that this page could not take as it stood, told in the language that is spoken.

use std::borrow::Cow;

use crate::t;
use plan::saved::Saved;

use crate::app::embed::{self, Embed, Panel};
use crate::app::fields::MAX_WORLD;
use crate::app::form::Change;
use crate::app::format;
use crate::app::language::Language;
use crate::app::origin::NoCheckpoint;
use crate::app::places::Place;

/// One thing that was not taken as it stood; names and values are in brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A name stands twice.
    Twice(String),
    /// The link is of another version than the page reads.
    Version(String, &'static str),
    /// There is no such view.
    View(String),
    /// There is no such lesson.
    Lesson(String),
    /// The lesson has no such step; this one is opened.
    LessonStep(String, String),
    /// There is no such language.
    Language(String),
    /// The texts of a language could not be fetched, and why.
    Mute(Language, String),
    /// The link was made with a text that it cannot carry.
    OwnText,
    /// The link's run began from a checkpoint, of so many steps, that it cannot carry.
    Checkpoint(String),
    /// A checkpoint could not be opened.
    NoCheckpoint(NoCheckpoint),
    /// The run begins from its seed again: the checkpoint fits another network.
    LeftOrigin(Saved),
    /// A run that goes on from the end of another has so many steps.
    Longer(u32),
    /// A checkpoint of this name was opened, and set these.
    Opened(String, Vec<Change>),
    /// The run that was kept before a fork still is.
    StillBeside,
    /// The last run is back, after so many steps.
    LastRun(u32),
    /// The last run was kept, but cannot be read here.
    LostRun,
    /// Nothing has this name.
    Unknown(String),
    /// Panels are named outside of an embedded page.
    Panels,
    /// There is no such panel; these are shown.
    Panel(String, Embed),
    /// A view is named inside of an embedded page.
    Embedded,
    /// A lesson is named inside of an embedded page.
    NoLesson,
    /// So many ranks and replicas are more workers than a page starts; so many replicas fit.
    Workers {
        /// Ranks.
        cp: u64,
        /// Replicas.
        dp: u64,
        /// Replicas that were taken.
        fits: u64,
    },
    /// A setting's value.
    Value {
        /// The setting, by its name in the address.
        field: &'static str,
        /// Its value.
        value: String,
        /// What is wrong with it.
        fault: Fault,
        /// What was taken instead, or nothing.
        taken: String,
    },
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no such choice.
    Unknown,
    /// It is too large or too small.
    Range,
    /// A learning rate at which nothing is learnt.
    NoRate,
    /// It is no number.
    Number,
    /// It is no whole number.
    Whole,
}

impl Notice {
    /// Whether it still says something once training goes on or begins anew.
    pub fn outlives_training(&self) -> bool {
        !matches!(self, Self::LastRun(_) | Self::LostRun | Self::NoCheckpoint(_))
    }

    /// Whether it is about the run, and can wait until that is looked at.
    pub fn is_of_the_run(&self) -> bool {
        matches!(
            self,
            Self::LastRun(_)
                | Self::LostRun
                | Self::StillBeside
                | Self::Longer(_)
                | Self::Opened(..)
                | Self::LeftOrigin(_)
                | Self::NoCheckpoint(_)
        )
    }

    /// The notice as a sentence.
    pub fn words(&self) -> Cow<'static, str> {
        match self {
            Self::Twice(name) => t!("notices.twice", name = name),
            Self::Version(version, ours) => {
                t!("notices.version", version = version, ours = ours)
            }
            Self::View(name) => {
                t!("notices.view", name = name, place = Place::default().title())
            }
            Self::Lesson(name) => t!("notices.lesson", name = name),
            Self::LessonStep(name, title) => {
                t!("notices.lesson_step", name = name, title = title)
            }
            Self::Language(name) => t!("notices.language", name = name, languages = languages()),
            Self::Mute(language, why) => {
                t!("notices.mute", language = language.name(), why = why)
            }
            Self::OwnText => t!("notices.own_text"),
            Self::Checkpoint(steps) => t!("notices.checkpoint", steps = steps),
            Self::NoCheckpoint(why) => why.words(),
            Self::LeftOrigin(saved) => {
                t!("origin.left", steps = saved.steps_done, network = saved.network())
            }
            Self::Longer(steps) => t!("notices.longer", steps = steps),
            Self::Opened(name, changes) => {
                let change = |(field, was, is): &Change| {
                    let (was, is) = (field.shown(was), field.shown(is));
                    t!("origin.change", setting = field.label(), was = was, is = is)
                };
                let changes = format::listed(changes.iter().map(change));
                t!("origin.set", name = name, changes = changes)
            }
            Self::StillBeside => t!("notices.still_beside"),
            Self::LastRun(steps) => t!("last_run.back", steps = steps),
            Self::LostRun => t!("last_run.lost"),
            Self::Unknown(name) => t!("notices.unknown", name = name),
            Self::Panels => t!("notices.panels"),
            Self::Panel(name, embed) => {
                let all = format::listed(embed::keys(&Panel::ALL));
                t!("notices.panel", name = name, panels = embed.list(), all = all)
            }
            Self::Embedded => t!("notices.embedded", place = Place::default().title()),
            Self::NoLesson => t!("notices.no_lesson"),
            Self::Workers { cp, dp, fits } => {
                t!("notices.workers", cp = cp, dp = dp, most = MAX_WORLD, fits = fits)
            }
            Self::Value { field, value, fault, taken } => {
                let taken = match taken.as_str() {
                    "" => t!("notices.nothing"),
                    taken => taken.to_owned().into(),
                };
                let key = fault.key();
                t!(format!("notices.value.{key}"), field = field, value = value, taken = taken)
            }
        }
    }
}

fn languages() -> Cow<'static, str> {
    let codes = Language::ALL.map(Language::code);
    let [before @ .., last] = &codes;
    t!("format.and", before = before.join(&t!("format.comma")), last = last)
}

impl Fault {
    fn key(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Range => "range",
            Self::NoRate => "no_rate",
            Self::Number => "number",
            Self::Whole => "whole",
        }
    }
}
