//! The doctor's place: what it was given, what it says, and what the user has ticked off.

pub mod entered;
pub mod samples;

use std::collections::BTreeSet;

use ::doctor::{Report, corrected_input, diagnose};
use plan::Refusal;
use plan::runtime::Preset;
use web_time::Instant;

use crate::app::shared::Shared;
use entered::{Entered, Part};
use samples::Sample;

/// What the doctor was given and says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doctor {
    /// What is entered.
    pub entered: Entered,
    /// Counts changes to the texts that the user did not type.
    pub replaced: u32,
    /// The file that could not be taken, and why.
    pub unreadable: Option<Refusal>,
    /// What came of it.
    pub outcome: Outcome,
    /// How long the newest diagnosis took, in milliseconds.
    pub took_ms: f64,
    /// Steps of the checklists that the user has ticked: story and number.
    pub ticked: BTreeSet<(&'static str, usize)>,
    /// The rank whose groups are lit, as typed.
    pub rank: String,
}

/// What came of what is entered.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outcome {
    /// Nothing is entered.
    #[default]
    Nothing,
    /// Something cannot be read; the rest is not judged by itself.
    Refused(Vec<Refusal>),
    /// A diagnosis.
    Diagnosed(Shared<Report>),
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The user types; a diagnosis follows when they pause.
    Type(Part, String),
    /// The user has paused.
    Diagnose,
    /// The user chooses a machine.
    Machine(Option<Preset>),
    /// A file was opened.
    File(String, Vec<u8>),
    /// A file could not be opened.
    Unreadable(Refusal),
    /// The user takes a sample.
    Take(Sample),
    /// The user takes the corrected run over.
    UseCorrected,
    /// The user ticks a step that the doctor cannot know, or takes the tick back.
    Tick(&'static str, usize, bool),
    /// The user types or chooses a rank.
    Choose(String),
}

impl Doctor {
    /// Takes what happens.
    pub fn apply(&mut self, act: Act) {
        match act {
            Act::Type(part, text) => {
                self.entered.set(part, text);
                self.unreadable = None;
            }
            Act::Diagnose => self.diagnose(),
            Act::Machine(machine) => {
                self.entered.machine = machine;
                self.diagnose();
            }
            Act::File(name, bytes) => match entered::text_of(&name, bytes) {
                Ok(text) => {
                    let entered = self.entered.clone().with(Part::Config, text);
                    self.replace(entered);
                }
                Err(refusal) => self.unreadable = Some(refusal),
            },
            Act::Unreadable(refusal) => self.unreadable = Some(refusal),
            Act::Take(sample) => self.replace(sample.entered()),
            Act::UseCorrected => {
                if let Ok(Some(input)) = self.entered.input()
                    && let Some(corrected) = corrected_input(&input)
                {
                    self.replace(Entered::of(&corrected));
                }
            }
            Act::Tick(story, step, ticked) => {
                if ticked {
                    self.ticked.insert((story, step));
                } else {
                    self.ticked.remove(&(story, step));
                }
            }
            Act::Choose(rank) => self.rank = rank,
        }
    }

    /// The report, if there is one.
    pub fn report(&self) -> Option<&Report> {
        match &self.outcome {
            Outcome::Diagnosed(report) => Some(report),
            Outcome::Nothing | Outcome::Refused(_) => None,
        }
    }

    fn replace(&mut self, entered: Entered) {
        self.entered = entered;
        self.replaced += 1;
        self.unreadable = None;
        self.diagnose();
    }

    fn diagnose(&mut self) {
        let begun = Instant::now();
        self.outcome = match self.entered.input() {
            Ok(None) => Outcome::Nothing,
            Ok(Some(input)) => match diagnose(&input) {
                Ok(report) => Outcome::Diagnosed(Shared::new(report)),
                Err(refusal) => Outcome::Refused(vec![refusal]),
            },
            Err(refusals) => Outcome::Refused(refusals),
        };
        self.took_ms = begun.elapsed().as_secs_f64() * 1e3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::doctor::{Id, Verdict};

    fn told(doctor: &Doctor) -> (Verdict, Vec<Id>) {
        let report = doctor.report().expect("there is a diagnosis");
        (report.verdict, report.findings.iter().map(|finding| finding.id).collect())
    }

    #[test]
    fn every_sample_says_what_it_is_for() {
        let mut doctor = Doctor::default();
        doctor.apply(Act::Take(Sample::LostContext));
        assert_eq!(told(&doctor), (Verdict::Error, vec![Id::CpContextNeverBuilt]));
        doctor.apply(Act::Take(Sample::ColabWithoutGpu));
        assert_eq!(told(&doctor), (Verdict::Error, vec![Id::NvidiaSmiMissing]));
        doctor.apply(Act::Take(Sample::Healthy));
        assert_eq!(told(&doctor), (Verdict::Ok, vec![]));
        assert_eq!(doctor.replaced, 3);
    }

    #[test]
    fn the_corrected_run_is_clean() {
        for sample in Sample::ALL {
            let mut doctor = Doctor::default();
            doctor.apply(Act::Take(sample));
            doctor.apply(Act::UseCorrected);
            assert_eq!(told(&doctor).0, Verdict::Ok, "{sample:?}");
        }
    }

    #[test]
    fn typing_waits_for_a_pause() {
        let mut doctor = Doctor::default();
        doctor.apply(Act::Type(Part::Config, "a: b: c".into()));
        assert_eq!(doctor.outcome, Outcome::Nothing);
        doctor.apply(Act::Diagnose);
        let report = doctor.report().expect("broken YAML is diagnosed");
        let place = report.findings[0].place.expect("it has a place");
        assert_eq!((report.findings[0].id, place.line), (Id::BadYaml, 1));
        doctor.apply(Act::Type(Part::Config, String::new()));
        doctor.apply(Act::Diagnose);
        assert_eq!(doctor.outcome, Outcome::Nothing);
    }

    #[test]
    fn what_is_not_understood_is_never_all_fine() {
        let mut doctor = Doctor::default();
        doctor.apply(Act::Take(Sample::Healthy));
        doctor.apply(Act::Type(Part::Settings, "WORLD_SIZE".into()));
        doctor.apply(Act::Diagnose);
        assert!(matches!(&doctor.outcome, Outcome::Refused(r) if r[0].field == "settings"));
    }

    #[test]
    fn a_file_that_is_no_text_changes_nothing() {
        let mut doctor = Doctor::default();
        doctor.apply(Act::Take(Sample::Healthy));
        let before = doctor.entered.clone();
        doctor.apply(Act::File("model.bin".into(), vec![b'a', b'\n', 0xff, 0]));
        let refusal = doctor.unreadable.clone().expect("it is no text");
        assert!(refusal.value.contains("model.bin") && refusal.reason.contains("line 2"));
        assert_eq!(doctor.entered, before);
    }
}
