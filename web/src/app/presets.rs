//! Runs worth seeing, from simple to advanced, each with one sentence of what to look for.

use std::borrow::Cow;

use crate::t;
use plan::{Layout, RunConfig, StrategyKind, Task};

use crate::app::form::Form;

/// How much one should have seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    First,
    /// A ring that trains.
    Further,
    /// How work and traffic depend on the choices.
    Advanced,
}

impl Level {
    /// Every level, in order.
    pub const ALL: [Self; 3] = [Self::First, Self::Further, Self::Advanced];

    /// Its name in the catalogues.
    pub fn key(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Further => "further",
            Self::Advanced => "advanced",
        }
    }

    /// Its name for people.
    pub fn title(self) -> Cow<'static, str> {
        t!(format!("presets.levels.{}", self.key()))
    }
}

/// A run worth seeing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One rank.
    OneRank,
    /// A ring of four, cut into consecutive slices.
    Ring,
    /// The same, balanced.
    Zigzag,
    /// A task that only attention across ranks can solve.
    Recall,
    /// Eight ranks, unbalanced.
    Eight,
    /// Packed documents.
    Documents,
    /// A sliding window.
    Window,
    /// All keys and values gathered first.
    Gather,
    /// Heads exchanged.
    Ulysses,
    /// Heads exchanged inside a ring.
    Usp,
    /// Two replicas of a ring.
    Replicas,
    /// A long sequence.
    Long,
}

impl Preset {
    /// Every preset, in the order in which they are offered.
    pub const ALL: [Self; 12] = [
        Self::OneRank,
        Self::Ring,
        Self::Zigzag,
        Self::Recall,
        Self::Eight,
        Self::Documents,
        Self::Window,
        Self::Gather,
        Self::Ulysses,
        Self::Usp,
        Self::Replicas,
        Self::Long,
    ];

    /// Its name in the catalogues.
    pub fn key(self) -> &'static str {
        match self {
            Self::OneRank => "one_rank",
            Self::Ring => "ring",
            Self::Zigzag => "zigzag",
            Self::Recall => "recall",
            Self::Eight => "eight",
            Self::Documents => "documents",
            Self::Window => "window",
            Self::Gather => "gather",
            Self::Ulysses => "ulysses",
            Self::Usp => "usp",
            Self::Replicas => "replicas",
            Self::Long => "long",
        }
    }

    /// Its name for people.
    pub fn title(self) -> Cow<'static, str> {
        t!(format!("presets.titles.{}", self.key()))
    }

    /// What to look for.
    pub fn look(self) -> Cow<'static, str> {
        t!(format!("presets.look.{}", self.key()))
    }

    /// How much one should have seen before.
    pub fn level(self) -> Level {
        match self {
            Self::OneRank | Self::Ring | Self::Zigzag | Self::Recall => Level::First,
            Self::Eight | Self::Documents | Self::Window | Self::Gather => Level::Further,
            Self::Ulysses | Self::Usp | Self::Replicas | Self::Long => Level::Advanced,
        }
    }

    /// The run.
    pub fn config(self) -> RunConfig {
        let usual = RunConfig::default();
        match self {
            Self::OneRank => RunConfig { cp: 1, ..usual },
            Self::Ring => usual,
            Self::Zigzag => RunConfig { layout: Layout::Zigzag, ..usual },
            Self::Recall => RunConfig { task: Task::Recall, layout: Layout::Zigzag, ..usual },
            Self::Eight => RunConfig { cp: 8, seq_len: 512, ..usual },
            Self::Documents => RunConfig { documents: vec![64; 4], ..usual },
            Self::Window => RunConfig { cp: 8, seq_len: 512, window: Some(64), ..usual },
            Self::Gather => {
                RunConfig { strategy: StrategyKind::AllGather, layout: Layout::Zigzag, ..usual }
            }
            Self::Ulysses => RunConfig { strategy: StrategyKind::Ulysses, ..usual },
            Self::Usp => RunConfig {
                strategy: StrategyKind::Usp,
                ulysses_degree: Some(2),
                layout: Layout::Zigzag,
                ..usual
            },
            Self::Replicas => RunConfig { cp: 4, dp: 2, layout: Layout::Zigzag, ..usual },
            Self::Long => RunConfig { cp: 8, seq_len: 2048, layout: Layout::Zigzag, ..usual },
        }
    }

    /// What it enters into the form.
    pub fn form(self) -> Form {
        Form::of(&self.config())
    }

    /// The preset that stands in `form`, if nothing of the run was changed since.
    pub fn of(form: &Form) -> Option<Self> {
        let run = form.with_limits_of(&Form::default());
        Self::ALL.into_iter().find(|preset| preset.form() == run)
    }
}

#[cfg(test)]
mod tests {
    use plan::RunPlan;

    use super::*;
    use crate::app::address;
    use crate::app::fields::Field;
    use crate::app::language::Language;
    use crate::app::language::say_in;
    use crate::app::places::Place;
    use crate::app::state::{Action, Effect, State};

    fn plan(preset: Preset) -> RunPlan {
        RunPlan::new(preset.config()).expect("a preset can be had")
    }

    #[test]
    fn each_is_a_run_of_its_own_that_the_page_takes() {
        for (i, preset) in Preset::ALL.into_iter().enumerate() {
            assert!(preset.form().plan(None).is_ok(), "{preset:?}");
            let first = Preset::ALL.iter().position(|other| other.form() == preset.form());
            assert_eq!(first, Some(i), "{preset:?} is there twice");
        }
        assert!(Preset::ALL.is_sorted_by_key(|preset| preset.level()));
    }

    #[test]
    fn its_address_opens_it_again() {
        for preset in Preset::ALL {
            let written = address::write(Place::Play, &preset.form(), false, false, None);
            let opened = address::read(&written);
            assert_eq!((Preset::of(&opened.form), opened.notices), (Some(preset), vec![]));
        }
    }

    #[test]
    fn it_is_said_what_to_look_for_in_every_language() {
        for language in Language::ALL {
            let say = |key: String| say_in(language.code(), &key, &[]).into_owned();
            for preset in Preset::ALL {
                for part in ["titles", "look"] {
                    let key = format!("presets.{part}.{}", preset.key());
                    let said = say(key.clone());
                    assert!(!said.is_empty() && !said.contains(&key), "{language:?} {key}");
                }
            }
        }
    }

    #[test]
    fn choosing_one_sets_the_run_and_a_change_unmarks_it() {
        let (mut state, _) = State::open("", Language::default());
        assert_eq!(Preset::of(&state.form), Some(Preset::Ring));
        let effects = state.apply(Action::Choose(Preset::Usp));
        assert_eq!((Preset::of(&state.form), state.world()), (Some(Preset::Usp), 4));
        let pushed = |effects: &[Effect]| {
            effects.iter().any(
                |effect| matches!(effect, Effect::PushAddress(a) if a.contains("strategy=usp")),
            )
        };
        assert!(pushed(&effects));
        assert!(!pushed(&state.apply(Action::Choose(Preset::Usp))), "it is there already");
        // The browser's Back leads to the run before.
        state.apply(Action::Return(State::open("", Language::default()).0.address(Place::Play)));
        assert_eq!(Preset::of(&state.form), Some(Preset::Ring));
        state.apply(Action::Set(Field::Seed, "9".into()));
        assert_eq!(Preset::of(&state.form), None);
    }

    /// What the sentences promise.
    #[test]
    fn what_is_to_be_seen_is_there() {
        let efficiency = |preset| plan(preset).attention().efficiency();
        assert!((efficiency(Preset::Ring) - 0.57).abs() < 0.01);
        assert!((efficiency(Preset::Eight) - 0.53).abs() < 0.01);
        assert_eq!(efficiency(Preset::Zigzag), 1.0);
        assert_eq!(plan(Preset::OneRank).step_traffic().messages, 0);
        assert_eq!(plan(Preset::Documents).layer_traffic().forward.messages, 0);
        assert_eq!(plan(Preset::Window).attention().steps(), 2);
        let forward = |preset| plan(preset).layer_traffic().forward.bytes;
        assert!(forward(Preset::Ulysses) < forward(Preset::Ring));
        assert_eq!(forward(Preset::Gather), forward(Preset::Zigzag));
        assert_eq!(plan(Preset::Replicas).mesh().world().get(), 8);
        let strategy = plan(Preset::Usp).attention().strategy();
        assert_eq!((strategy.ulysses(), strategy.ring()), (2, 2));
    }
}
