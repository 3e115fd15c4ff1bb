//! The doctor's place: what it was given, what it says, and what the user has ticked off.

pub mod entered;
pub mod samples;

use std::collections::BTreeSet;

use plan::runtime::Preset;
use plan::{Message, Refusal};

use crate::app::language::Language;
use crate::app::shared::Shared;
use crate::diagnosis::report::{self, Report};
use crate::diagnosis::{DoctorEvent, Question};
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
    /// What came of what was entered when it was last asked about.
    pub outcome: Outcome,
    /// Why no answer comes.
    pub failure: Option<Message>,
    /// Steps of the checklists that the user has ticked: story and number.
    pub ticked: BTreeSet<(String, usize)>,
    /// The rank whose groups are lit, as typed.
    pub rank: String,
    /// The number of what is entered: each change has its own.
    number: u32,
    /// The number that the outcome answers.
    answered: u32,
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
    /// The place is shown.
    Arrive,
    /// The user types; a diagnosis follows when they pause.
    Type(Part, String),
    /// The user has paused, or wants it tried again.
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
    Tick(String, usize, bool),
    /// The user types or chooses a rank.
    Choose(String),
    /// The doctor's worker said something.
    Hear(DoctorEvent),
}

/// What is asked of the doctor's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Be there.
    Call,
    /// Diagnose what is entered.
    Ask,
}

impl Doctor {
    /// Takes what happens; what the worker is asked comes back.
    pub fn apply(&mut self, act: Act) -> Option<Order> {
        match act {
            // A question that a failure has left without an answer is asked anew.
            Act::Arrive if self.is_behind() => return self.diagnose(),
            Act::Arrive => return Some(Order::Call),
            Act::Type(part, text) => {
                self.entered.set(part, text);
                self.number += 1;
                self.unreadable = None;
            }
            Act::Diagnose => return self.diagnose(),
            Act::Machine(machine) => {
                self.entered.machine = machine;
                self.number += 1;
                return self.diagnose();
            }
            Act::File(name, bytes) => match entered::text_of(&name, bytes) {
                Ok(text) => {
                    let entered = self.entered.clone().with(Part::Config, text);
                    return self.replace(entered);
                }
                Err(refusal) => self.unreadable = Some(refusal),
            },
            Act::Unreadable(refusal) => self.unreadable = Some(refusal),
            Act::Take(sample) => return self.replace(sample.entered()),
            Act::UseCorrected => {
                let corrected = self.report().and_then(|report| report.corrected.as_ref());
                let corrected = corrected.filter(|_| !self.is_behind());
                if let Some(entered) = corrected.map(|corrected| corrected.entered.clone()) {
                    return self.replace(entered);
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
            Act::Hear(DoctorEvent::Ready) => self.failure = None,
            Act::Hear(DoctorEvent::Failed(why)) => self.failure = Some(why),
            // What came to nothing in the meantime, or was told before, is late.
            Act::Hear(DoctorEvent::Told(number, _)) if number <= self.answered => {}
            Act::Hear(DoctorEvent::Told(number, outcome)) => {
                self.answered = number;
                let mut own = self.entered.refusals();
                self.outcome = match outcome {
                    report::Outcome::Refused(refusals) => {
                        own.extend(refusals);
                        Outcome::Refused(own)
                    }
                    // What the page has refused was not sent.
                    _ if !own.is_empty() => Outcome::Refused(own),
                    report::Outcome::Nothing => Outcome::Nothing,
                    report::Outcome::Diagnosed(report) => Outcome::Diagnosed(Shared::new(*report)),
                };
            }
        }
        None
    }

    /// The report, if there is one.
    pub fn report(&self) -> Option<&Report> {
        match &self.outcome {
            Outcome::Diagnosed(report) => Some(report),
            Outcome::Nothing | Outcome::Refused(_) => None,
        }
    }

    /// Whether the outcome is that of something entered before.
    pub fn is_behind(&self) -> bool {
        self.answered != self.number
    }

    /// What the worker is asked.
    pub fn question(&self, language: Language) -> Question {
        Question { number: self.number, language, entered: self.entered.short() }
    }

    /// The same is to be told in another language.
    pub fn retell(&mut self) -> Option<Order> {
        if self.entered.is_empty() {
            return None;
        }
        self.number += 1;
        self.diagnose()
    }

    fn replace(&mut self, entered: Entered) -> Option<Order> {
        self.entered = entered;
        self.number += 1;
        self.replaced += 1;
        self.unreadable = None;
        self.diagnose()
    }

    /// Asks, unless the page itself knows the answer.
    fn diagnose(&mut self) -> Option<Order> {
        let refusals = self.entered.refusals();
        let nothing = self.entered.is_empty();
        if nothing || self.entered.short().is_empty() {
            self.answered = self.number;
            self.outcome = if nothing { Outcome::Nothing } else { Outcome::Refused(refusals) };
            return self.failure.take().map(|_| Order::Call);
        }
        if !refusals.is_empty() {
            self.outcome = Outcome::Refused(refusals);
        }
        self.failure = None;
        Some(Order::Ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::examine;
    use crate::diagnosis::report::Verdict;

    /// What the worker does, at once.
    fn obey(doctor: &mut Doctor, order: Option<Order>) {
        if order == Some(Order::Ask) {
            let answer = answer(doctor);
            assert_eq!(doctor.apply(answer), None);
        }
    }

    fn answer(doctor: &Doctor) -> Act {
        let Question { number, language, entered } = doctor.question(Language::English);
        Act::Hear(DoctorEvent::Told(number, examine(&entered, language).expect("it is examined")))
    }

    fn act(doctor: &mut Doctor, act: Act) {
        let order = doctor.apply(act);
        obey(doctor, order);
    }

    fn told(doctor: &Doctor) -> (Verdict, Vec<&str>) {
        let report = doctor.report().expect("there is a diagnosis");
        (report.verdict, report.findings.iter().map(|finding| &finding.id[..]).collect())
    }

    #[test]
    fn every_sample_says_what_it_is_for() {
        let mut doctor = Doctor::default();
        act(&mut doctor, Act::Take(Sample::LostContext));
        assert_eq!(told(&doctor), (Verdict::Error, vec!["cp-context-never-built"]));
        act(&mut doctor, Act::Take(Sample::ColabWithoutGpu));
        assert_eq!(told(&doctor), (Verdict::Error, vec!["nvidia-smi-missing"]));
        act(&mut doctor, Act::Take(Sample::Healthy));
        assert_eq!(told(&doctor), (Verdict::Ok, vec![]));
        assert_eq!(doctor.replaced, 3);
    }

    #[test]
    fn the_corrected_run_is_clean() {
        for sample in Sample::ALL {
            let mut doctor = Doctor::default();
            act(&mut doctor, Act::Take(sample));
            act(&mut doctor, Act::UseCorrected);
            assert_eq!(told(&doctor).0, Verdict::Ok, "{sample:?}");
        }
    }

    #[test]
    fn typing_waits_for_a_pause() {
        let mut doctor = Doctor::default();
        assert_eq!(doctor.apply(Act::Type(Part::Config, "a: b: c".into())), None);
        assert_eq!(doctor.outcome, Outcome::Nothing);
        act(&mut doctor, Act::Diagnose);
        let report = doctor.report().expect("broken YAML is diagnosed");
        let (line, _) = report.findings[0].place.expect("it has a place");
        assert_eq!((&report.findings[0].id[..], line), ("bad-yaml", 1));
        act(&mut doctor, Act::Type(Part::Config, String::new()));
        act(&mut doctor, Act::Diagnose);
        assert_eq!(doctor.outcome, Outcome::Nothing);
    }

    #[test]
    fn what_is_not_understood_is_never_all_fine() {
        let mut doctor = Doctor::default();
        act(&mut doctor, Act::Take(Sample::Healthy));
        act(&mut doctor, Act::Type(Part::Settings, "WORLD_SIZE".into()));
        act(&mut doctor, Act::Diagnose);
        assert!(matches!(&doctor.outcome, Outcome::Refused(r) if r[0].field == "settings"));
    }

    #[test]
    fn the_fix_is_that_of_what_is_entered() {
        let mut doctor = Doctor::default();
        act(&mut doctor, Act::Take(Sample::LostContext));
        assert!(!doctor.is_behind());
        let before = doctor.report().cloned();
        doctor.apply(Act::Type(Part::Accelerate, "1.13.0".into()));
        // The last answer stays on show, and its fix is no longer taken over.
        assert!(doctor.is_behind() && doctor.report() == before.as_ref());
        assert_eq!(doctor.apply(Act::UseCorrected), None);
        assert_eq!(&**doctor.entered.get(Part::Accelerate), "1.13.0");
        act(&mut doctor, Act::Diagnose);
        assert!(!doctor.is_behind());
    }

    #[test]
    fn an_answer_that_comes_late_is_dropped() {
        let mut doctor = Doctor::default();
        assert_eq!(doctor.apply(Act::Take(Sample::LostContext)), Some(Order::Ask));
        let late = answer(&doctor);
        act(&mut doctor, Act::Take(Sample::Healthy));
        assert_eq!(doctor.apply(late), None);
        assert_eq!(told(&doctor).0, Verdict::Ok);

        doctor.apply(Act::Take(Sample::LostContext));
        let late = answer(&doctor);
        for part in Part::ALL {
            doctor.apply(Act::Type(part, String::new()));
        }
        assert_eq!(doctor.apply(Act::Diagnose), None);
        doctor.apply(late);
        assert_eq!((&doctor.outcome, doctor.is_behind()), (&Outcome::Nothing, false));
    }

    #[test]
    fn a_text_that_is_too_long_is_not_sent() {
        let mut doctor = Doctor::default();
        doctor.apply(Act::Type(Part::Config, "a: 1\n".repeat(100_000)));
        assert_eq!(doctor.apply(Act::Diagnose), None);
        assert!(matches!(&doctor.outcome, Outcome::Refused(r) if r[0].field == "config"));
        // Beside it, the rest is still read.
        doctor.apply(Act::Type(Part::Settings, "WORLD_SIZE".into()));
        act(&mut doctor, Act::Diagnose);
        let Outcome::Refused(both) = &doctor.outcome else { panic!("{:?}", doctor.outcome) };
        assert_eq!(both.iter().map(|r| &r.field[..]).collect::<Vec<_>>(), ["config", "settings"]);
    }

    #[test]
    fn another_language_asks_again_where_there_is_something_to_tell() {
        let mut doctor = Doctor::default();
        assert_eq!(doctor.retell(), None);
        act(&mut doctor, Act::Take(Sample::Healthy));
        assert_eq!(doctor.retell(), Some(Order::Ask));
        assert!(doctor.is_behind());
    }

    #[test]
    fn after_a_failure_it_may_be_asked_again() {
        let mut doctor = Doctor::default();
        assert_eq!(doctor.apply(Act::Arrive), Some(Order::Call));
        let failed = || Act::Hear(DoctorEvent::Failed("no file".into()));
        doctor.apply(failed());
        assert!(doctor.failure.is_some());
        assert_eq!(doctor.apply(Act::Diagnose), Some(Order::Call));
        assert_eq!(doctor.failure, None);
        assert_eq!(doctor.apply(Act::Take(Sample::Healthy)), Some(Order::Ask));
        doctor.apply(failed());
        assert_eq!(doctor.apply(Act::Arrive), Some(Order::Ask));
        doctor.apply(failed());
        assert_eq!(doctor.apply(Act::Diagnose), Some(Order::Ask));
        assert_eq!(doctor.failure, None);
    }

    #[test]
    fn a_file_that_is_no_text_changes_nothing() {
        let mut doctor = Doctor::default();
        act(&mut doctor, Act::Take(Sample::Healthy));
        let before = doctor.entered.clone();
        doctor.apply(Act::File("model.bin".into(), vec![b'a', b'\n', 0xff, 0]));
        let refusal = doctor.unreadable.clone().expect("it is no text");
        assert!(refusal.value.contains("model.bin") && refusal.reason.contains("line 2"));
        assert_eq!(doctor.entered, before);
    }
}
