//! Two checklists, one for each story that people report, filled in from what was given.

use serde::Serialize;

use crate::facts::Fact;
use crate::finding::{Finding, Id};
use crate::setup::{GpuCount, GroupVariables, Kind, Legible, Parallelism, Setup, Starter};
use crate::version::{BROKEN, FIRST_WITH_CP, REPAIRED};

/// One story's checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Story {
    /// Its name.
    pub id: &'static str,
    /// What people report.
    pub title: &'static str,
    /// What to look at, in order.
    pub steps: Vec<Step>,
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The question.
    pub question: &'static str,
    /// How it stands.
    pub state: State,
    /// What is known.
    pub answer: String,
    /// The findings behind it.
    pub findings: Vec<Id>,
}

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is in order.
    Fine,
    /// It may be at fault.
    Doubtful,
    /// It is at fault.
    Broken,
    /// It was not said.
    Unknown,
    /// It does not matter for this run.
    Beside,
}

/// Both stories.
pub fn stories(setup: &Setup, findings: &[Finding], given: Given) -> Vec<Story> {
    let book = Book { findings };
    vec![lost_context(setup, &book, given), no_gpu(setup, &book)]
}

/// The same where the configuration could not be read: nothing that rests on it is known.
pub fn unread(mut stories: Vec<Story>) -> Vec<Story> {
    // The first step of each is the version's and the machine's, which were given apart.
    for step in stories.iter_mut().flat_map(|story| story.steps.iter_mut().skip(1)) {
        if step.findings.is_empty() {
            step.state = State::Unknown;
            step.answer = "Not known: the configuration could not be read.".to_owned();
        }
    }
    stories
}

/// Whether the versions were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// accelerate's.
    pub accelerate: State,
    /// torch's.
    pub torch: State,
}

struct Book<'a> {
    findings: &'a [Finding],
}

impl Book<'_> {
    /// Broken or doubtful where one of `ids` was found; else as `otherwise` says.
    fn step(&self, question: &'static str, ids: &[Id], otherwise: (State, String)) -> Step {
        let found: Vec<&Finding> =
            self.findings.iter().filter(|finding| ids.contains(&finding.id)).collect();
        let worst = found.iter().map(|finding| finding.severity).max();
        let (state, answer) = match worst {
            None | Some(crate::Severity::Info) => otherwise,
            Some(crate::Severity::Warning) => (State::Doubtful, said(&found)),
            Some(crate::Severity::Error) => (State::Broken, said(&found)),
        };
        Step { question, state, answer, findings: found.iter().map(|f| f.id).collect() }
    }
}

fn said(found: &[&Finding]) -> String {
    found.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join(" ")
}

fn lost_context(setup: &Setup, book: &Book<'_>, given: Given) -> Story {
    let on = setup.cp_on();
    let fine = |answer: String| (State::Fine, answer);
    let if_on = |answer: String| match (on, setup.legible) {
        (_, Legible::No) => {
            (State::Unknown, "A size that was given could not be understood.".to_owned())
        }
        (true, Legible::Yes) => fine(answer),
        (false, Legible::Yes) => (State::Beside, "CP is not on.".to_owned()),
    };
    let configured = match setup.parallelism {
        _ if setup.legible == Legible::No => {
            (State::Unknown, "A size that was given could not be understood.".to_owned())
        }
        Parallelism::Unasked => (State::Beside, "No cp_size is set anywhere.".to_owned()),
        _ if setup.asked.cp <= 1 => (State::Beside, "cp_size is 1.".to_owned()),
        _ => fine(format!("cp_size is {}.", setup.asked.cp)),
    };
    let torch = match (given.torch, setup.torch) {
        (State::Fine, Some(torch)) => if_on(format!("torch {torch} has it.")),
        _ => (State::Unknown, "torch's version was not given.".to_owned()),
    };
    let accelerate = setup.accelerate;
    let builds =
        accelerate.has(REPAIRED) || (accelerate.has(FIRST_WITH_CP) && !accelerate.has(BROKEN));
    let version = match given.accelerate {
        State::Fine if builds => fine(format!("accelerate {accelerate} builds it.")),
        // Without CP there is no finding, and still it is not in order.
        State::Fine => (State::Doubtful, format!("accelerate {accelerate} would not build it.")),
        _ => (State::Unknown, "accelerate's version was not given.".to_owned()),
    };
    let order = match setup.facts.get(Fact::Context) {
        Some("after-prepare") => if_on("The context is entered after prepare().".to_owned()),
        _ => (State::Unknown, "Not said: set context=after-prepare or before-prepare.".to_owned()),
    };
    let processes = match setup.processes {
        Some(processes) => if_on(format!("{processes} processes fill the mesh.")),
        None => (State::Unknown, "The number of processes was not given.".to_owned()),
    };
    let data = match setup.facts.get(Fact::SeqLen).or(setup.facts.get(Fact::PadToMultipleOf)) {
        Some(_) => if_on("Length, packing, masks and window raise no finding.".to_owned()),
        None => (State::Unknown, "The sequence length was not given.".to_owned()),
    };
    Story {
        id: "lost-context",
        title: "AttributeError: 'Accelerator' object has no attribute '_cp_context'",
        steps: vec![
            book.step(
                "Does this accelerate have CP, and does it build the context?",
                &[Id::NoCpInVersion, Id::CpContextNeverBuilt, Id::UnknownVersion],
                version,
            ),
            book.step(
                "Is CP configured, and does anyone listen?",
                &[Id::CpFlagIgnored],
                configured,
            ),
            book.step("Does this torch have CP?", &[Id::TorchTooOld], torch),
            book.step(
                "Is there an FSDP2 plugin beside it, on accelerators?",
                &[Id::CpNeedsFsdp2, Id::CpOnCpu, Id::CpWithPureDp, Id::CpAndSp, Id::CpuWithFsdp],
                if_on(format!("The run is {}.", setup.kind.title())),
            ),
            book.step(
                "Do the sizes multiply to the number of processes?",
                &[Id::SizesDoNotMultiply, Id::MissingKey, Id::MachinesDoNotFit],
                processes,
            ),
            book.step(
                "Is the context entered after prepare()?",
                &[Id::CpContextBeforePrepare],
                order,
            ),
            book.step(
                "Does the data, or a library, expect what CP drops?",
                &[
                    Id::PackingWithCp,
                    Id::MaskDropped,
                    Id::WindowWithCp,
                    Id::LengthNotDivisible,
                    Id::LossUnequalShards,
                ],
                data,
            ),
        ],
    }
}

fn no_gpu(setup: &Setup, book: &Book<'_>) -> Story {
    let fine = |answer: &str| (State::Fine, answer.to_owned());
    let gpus = match setup.gpus {
        GpuCount::Unsaid => (State::Unknown, "The machine was not said.".to_owned()),
        GpuCount::Known(0) => {
            (State::Doubtful, "There is none: everything below must do without.".to_owned())
        }
        GpuCount::Known(1) => fine("There is 1 GPU."),
        GpuCount::Known(count) => fine(&format!("There are {count} GPUs.")),
    };
    let started = match setup.starter {
        Starter::Notebook => fine("notebook_launcher finds its way here."),
        Starter::PerhapsNotebook => {
            (State::Unknown, "accelerate launch, or notebook_launcher? Set launcher.".to_owned())
        }
        Starter::Launch => fine("accelerate launch does not ask nvidia-smi."),
        Starter::Torchrun | Starter::Python => fine("No launcher of accelerate is in the way."),
    };
    let device = match (setup.cpu.is_some(), setup.no_gpu()) {
        (true, _) => fine("The CPU is asked for, and that wins."),
        (false, true) => fine("Without CUDA a single process takes the CPU by itself."),
        (false, false) => fine("Devices are placed on GPUs."),
    };
    let features = match setup.kind {
        Kind::Fsdp(_) | Kind::Deepspeed => fine("They have their accelerator."),
        _ => fine("Neither is asked for."),
    };
    let ranks = match setup.processes {
        Some(1) => fine("One process is asked for and one runs."),
        Some(_) if setup.no_gpu() && setup.group == GroupVariables::Absent => {
            (State::Doubtful, "Without a GPU and without mpirun they make no group.".to_owned())
        }
        Some(_) => fine("The processes form one group."),
        None => (State::Unknown, "The number of processes was not given.".to_owned()),
    };
    Story {
        id: "no-gpu",
        title: "accelerate does not run on a CPU-only Colab",
        steps: vec![
            book.step("Is there a GPU?", &[], gpus),
            book.step(
                "Does the launcher get as far as the function?",
                &[Id::NvidiaSmiMissing, Id::FlagsContradict],
                started,
            ),
            book.step(
                "Does the process group fit the device?",
                &[Id::NcclWithoutCuda, Id::MoreRanksThanGpus],
                device,
            ),
            book.step(
                "Does FSDP, DeepSpeed or a kernel insist on a GPU?",
                &[Id::GpuOnlyFeature, Id::CpuWithFsdp, Id::CpOnCpu],
                features,
            ),
            book.step(
                "Do the ranks know of each other?",
                &[Id::RanksAlone, Id::GpusPassedOver, Id::ProcessesIgnored],
                ranks,
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    #[test]
    fn a_version_that_would_not_build_it_is_never_in_order() {
        for (version, state) in [
            ("1.9.0", State::Doubtful),
            ("1.11.0", State::Fine),
            ("1.12.0", State::Doubtful),
            ("1.13.0", State::Fine),
        ] {
            let input = Input { accelerate: Some(version.to_owned()), ..Input::default() };
            let report = crate::diagnose(&input).expect("a version is something");
            assert_eq!(report.stories[0].steps[0].state, state, "{version}");
        }
    }
}
