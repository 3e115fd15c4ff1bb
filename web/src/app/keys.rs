//! What a key means where nobody types: a table, and one function that reads it.
//!
//! Single keys can be turned off, so that nobody who dictates, or whose hand shakes, sets off what
//! was not meant (WCAG 2.1.4).

use std::borrow::Cow;

use crate::t;

use crate::app::engine::Phase;
use crate::app::lesson;
use crate::app::places::Place;
use crate::app::state::{Action, State};

/// What keys can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Train, or pause.
    RunOrPause,
    /// One step.
    Step,
    /// One ring step.
    RingStep,
    /// Back one.
    StepBack,
    /// Begin again.
    Reset,
    /// Have the run back that was ended last.
    BringBack,
    /// Begin again from another seed.
    NewSeed,
    /// Look at a place.
    Go(Place),
    /// The lesson's step before.
    LessonBack,
    /// The lesson's next step.
    LessonOn,
    /// Open the help.
    Help,
}

/// One line of the table: the keys as `KeyboardEvent.key` names them, and what they do.
pub type Line = (&'static [&'static str], Command);

/// Every key of the page.
pub const TABLE: &[Line] = &[
    (&[" ", "r"], Command::RunOrPause),
    (&["s"], Command::Step),
    (&["h"], Command::RingStep),
    (&["b"], Command::StepBack),
    (&["a"], Command::Reset),
    (&["u"], Command::BringBack),
    (&["n"], Command::NewSeed),
    (&["1"], Command::Go(Place::Play)),
    (&["2"], Command::Go(Place::Groups)),
    (&["3"], Command::Go(Place::Backend)),
    (&["4"], Command::Go(Place::Doctor)),
    (&["5"], Command::Go(Place::Learn)),
    (&["6"], Command::Go(Place::Bench)),
    // Where brackets need a modifier, the keys beside them do not.
    (&["[", ","], Command::LessonBack),
    (&["]", "."], Command::LessonOn),
    (&["?"], Command::Help),
];

/// Where the keyboard's focus is, as far as keys are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Nowhere, or on what takes no keys.
    #[default]
    Free,
    /// On what the space bar presses: a button, a checkbox, a summary.
    Pressed,
    /// On what takes letters: a field, a list; or in an open dialog.
    Typing,
}

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press<'a> {
    /// Its name.
    pub key: &'a str,
    /// Whether Ctrl, Alt or Meta is down: then it is the browser's.
    pub with_modifier: bool,
    /// Whether it is held down.
    pub repeats: bool,
    /// Where the focus is.
    pub focus: Focus,
}

/// What `press` means.
pub fn meaning(press: Press<'_>) -> Option<Command> {
    if press.with_modifier || press.repeats || press.focus == Focus::Typing {
        return None;
    }
    if press.key == " " && press.focus == Focus::Pressed {
        return None;
    }
    // Letters do the same with Shift or Caps Lock.
    let key = press.key.to_ascii_lowercase();
    let line = TABLE.iter().find(|(keys, _)| keys.contains(&key.as_str()));
    line.map(|&(_, command)| command)
}

/// The place at which single keys are heard; nowhere inside another page, or turned off.
pub fn heard_at(state: &State) -> Option<Place> {
    (state.single_keys && state.embed.is_none()).then_some(state.place)
}

impl Command {
    /// What it does, for people.
    pub fn words(self) -> Cow<'static, str> {
        match self {
            Self::RunOrPause => t!("keys.run_or_pause"),
            Self::Step => t!("keys.step"),
            Self::RingStep => t!("keys.ring_step"),
            Self::StepBack => t!("keys.step_back"),
            Self::Reset => t!("keys.reset"),
            Self::BringBack => t!("keys.bring_back"),
            Self::NewSeed => t!("keys.new_seed"),
            Self::Go(place) => t!("keys.go", place = place.title()),
            Self::LessonBack => t!("keys.lesson_back"),
            Self::LessonOn => t!("keys.lesson_on"),
            Self::Help => t!("keys.help"),
        }
    }

    /// The keys that do it, as their caps say.
    pub fn caps(self) -> Vec<Cow<'static, str>> {
        let line = TABLE.iter().find(|(_, command)| *command == self);
        let cap = |&key: &&'static str| match key {
            " " => t!("keys.space"),
            key => key.to_ascii_uppercase().into(),
        };
        line.map(|(keys, _)| keys.iter().map(cap).collect()).unwrap_or_default()
    }

    /// `title` with the keys behind it.
    pub fn titled(self, title: &str) -> String {
        format!("{title} ({})", self.caps().join(", "))
    }

    /// What it asks of the page as it is; nothing where its button is not there. `seed` is the
    /// one that a new run would begin from.
    pub fn action(self, state: &State, seed: u64) -> Option<Action> {
        let runs =
            matches!(state.engine.phase(), Phase::Running | Phase::Loading(_) | Phase::Seeking(_));
        if !heard_at(state).is_some_and(|place| self.counts_at(place)) {
            return None;
        }
        Some(match self {
            Self::Help => Action::Help(true),
            Self::Go(place) => Action::Go(place),
            Self::LessonBack => Action::Lesson(lesson::Act::Move(-1)),
            Self::LessonOn => Action::Lesson(lesson::Act::Move(1)),
            Self::RunOrPause if runs => Action::Pause,
            Self::RunOrPause => Action::Run,
            Self::Step | Self::RingStep if runs => return None,
            Self::Step => Action::Step,
            Self::RingStep => Action::Hop,
            Self::StepBack => Action::StepBack,
            Self::Reset => Action::Reset,
            Self::BringBack => Action::BringBack,
            Self::NewSeed => Action::NewSeed(seed),
        })
    }

    /// Whether it means anything at `place`: a run that is out of sight is driven by nobody.
    pub fn counts_at(self, place: Place) -> bool {
        matches!(self, Self::Help | Self::Go(_) | Self::LessonBack | Self::LessonOn)
            || place == Place::Play
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::Language;

    fn free(key: &str) -> Press<'_> {
        Press { key, with_modifier: false, repeats: false, focus: Focus::Free }
    }

    #[test]
    fn every_key_has_one_meaning_and_words() {
        let mut seen = std::collections::BTreeSet::new();
        for (keys, command) in TABLE {
            for key in *keys {
                assert!(seen.insert(key), "{key} is there twice");
                assert_eq!(meaning(free(key)), Some(*command));
            }
            assert!(!command.words().is_empty());
            assert_eq!(command.caps().len(), keys.len());
        }
        assert_eq!(meaning(free("R")), Some(Command::RunOrPause));
        assert_eq!(meaning(free("x")), None);
        // On the timeline it shows all; elsewhere it must not cost anybody the run.
        assert_eq!(meaning(free("0")), None);
        assert_eq!(Command::RunOrPause.titled("Train on"), "Train on (Space, R)");
    }

    #[test]
    fn keys_are_quiet_where_somebody_types_and_beside_modifiers() {
        for (keys, _) in TABLE {
            for key in *keys {
                assert_eq!(meaning(Press { focus: Focus::Typing, ..free(key) }), None);
                assert_eq!(meaning(Press { with_modifier: true, ..free(key) }), None);
                assert_eq!(meaning(Press { repeats: true, ..free(key) }), None);
            }
        }
        assert_eq!(meaning(Press { focus: Focus::Pressed, ..free(" ") }), None);
        assert_eq!(meaning(Press { focus: Focus::Pressed, ..free("s") }), Some(Command::Step));
    }

    #[test]
    fn the_table_leads_to_the_buttons_actions() {
        let (mut state, _) = State::open("v=1&cp=2", Language::default());
        let press = |state: &mut State, command| state.apply(Action::Press(command, 7));
        press(&mut state, Command::NewSeed);
        assert_eq!(state.plan.config().seed, 7);
        press(&mut state, Command::RunOrPause);
        assert!(matches!(state.engine.phase(), Phase::Loading(_)));
        press(&mut state, Command::RunOrPause);
        assert!(!matches!(state.engine.phase(), Phase::Loading(_)));
        press(&mut state, Command::Help);
        assert!(state.help);
        state.apply(Action::Help(false));
        press(&mut state, Command::Go(Place::Doctor));
        let before = state.clone();
        assert!(press(&mut state, Command::RunOrPause).is_empty());
        assert_eq!((state.place, state == before), (Place::Doctor, true));
    }

    #[test]
    fn a_page_inside_another_hears_no_keys() {
        let (mut state, _) = State::open("v=1&embed=1", Language::default());
        for (_, command) in TABLE {
            assert!(state.apply(Action::Press(*command, 1)).is_empty(), "{command:?}");
        }
    }

    #[test]
    fn single_keys_can_be_turned_off() {
        let (mut state, _) = State::open("", Language::default());
        assert_eq!(
            state.apply(Action::SingleKeys(false)),
            [crate::app::state::Effect::KeepSingleKeys(false)]
        );
        for (_, command) in TABLE {
            assert!(state.apply(Action::Press(*command, 1)).is_empty(), "{command:?}");
        }
        assert!(!state.help);
        state.apply(Action::SingleKeys(true));
        state.apply(Action::Press(Command::Help, 1));
        assert!(state.help);
    }
}
