//! Two checklists, one for each story that people report, filled in from what was given.

use plan::{Message, message};
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
    pub title: Message,
    /// What to look at, in order.
    pub steps: Vec<Step>,
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The question.
    pub question: Message,
    /// How it stands.
    pub state: State,
    /// What is known.
    pub answer: Message,
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

/// The same without a configuration that could be read: of what rests on it, `answer` is all.
pub fn unknown(mut stories: Vec<Story>, answer: &Message) -> Vec<Story> {
    // The first step of each is the version's and the machine's, which were given apart.
    for step in stories.iter_mut().flat_map(|story| story.steps.iter_mut().skip(1)) {
        if step.findings.is_empty() {
            step.state = State::Unknown;
            step.answer = answer.clone();
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
    fn step(&self, question: Message, ids: &[Id], otherwise: (State, Message)) -> Step {
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

fn said(found: &[&Finding]) -> Message {
    let messages = found.iter().map(|finding| &finding.message);
    Message::list(messages, |list, item| message!("{list} {item}", list, item))
}

fn lost_context(setup: &Setup, book: &Book<'_>, given: Given) -> Story {
    let on = setup.cp_on();
    let fine = |answer: Message| (State::Fine, answer);
    let if_on = |answer: Message| match (on, setup.legible) {
        (_, Legible::No) => {
            (State::Unknown, message!("A size that was given could not be understood."))
        }
        (true, Legible::Yes) => fine(answer),
        (false, Legible::Yes) => (State::Beside, message!("CP is not on.")),
    };
    let configured = match setup.parallelism {
        _ if setup.legible == Legible::No => {
            (State::Unknown, message!("A size that was given could not be understood."))
        }
        Parallelism::Unasked => (State::Beside, message!("No cp_size is set anywhere.")),
        _ if setup.asked.cp <= 1 => (State::Beside, message!("cp_size is 1.")),
        _ => fine(message!("cp_size is {cp}.", cp = setup.asked.cp)),
    };
    let torch = match (given.torch, setup.torch) {
        (State::Fine, Some(torch)) => if_on(message!("torch {torch} has it.", torch)),
        _ => (State::Unknown, message!("torch's version was not given.")),
    };
    let accelerate = setup.accelerate;
    let builds =
        accelerate.has(REPAIRED) || (accelerate.has(FIRST_WITH_CP) && !accelerate.has(BROKEN));
    let version = match given.accelerate {
        State::Fine if builds => {
            fine(message!("accelerate {version} builds it.", version = accelerate))
        }
        // Without CP there is no finding, and still it is not in order.
        State::Fine => (
            State::Doubtful,
            message!("accelerate {version} would not build it.", version = accelerate),
        ),
        _ => (State::Unknown, message!("accelerate's version was not given.")),
    };
    let order = match setup.facts.get(Fact::Context) {
        Some("after-prepare") => if_on(message!("The context is entered after prepare().")),
        _ => (State::Unknown, message!("Not said: set context=after-prepare or before-prepare.")),
    };
    let processes = match setup.processes {
        Some(processes) => if_on(message!("{processes} processes fill the mesh.", processes)),
        None => (State::Unknown, message!("The number of processes was not given.")),
    };
    let data = match setup.facts.get(Fact::SeqLen).or(setup.facts.get(Fact::PadToMultipleOf)) {
        Some(_) => if_on(message!("Length, packing, masks and window raise no finding.")),
        None => (State::Unknown, message!("The sequence length was not given.")),
    };
    Story {
        id: "lost-context",
        title: "AttributeError: 'Accelerator' object has no attribute '_cp_context'".into(),
        steps: vec![
            book.step(
                message!("Does this accelerate have CP, and does it build the context?"),
                &[Id::NoCpInVersion, Id::CpContextNeverBuilt, Id::UnknownVersion],
                version,
            ),
            book.step(
                message!("Is CP configured, and does anyone listen?"),
                &[Id::CpFlagIgnored],
                configured,
            ),
            book.step(message!("Does this torch have CP?"), &[Id::TorchTooOld], torch),
            book.step(
                message!("Is there an FSDP2 plugin beside it, on accelerators?"),
                &[Id::CpNeedsFsdp2, Id::CpOnCpu, Id::CpWithPureDp, Id::CpAndSp, Id::CpuWithFsdp],
                if_on(message!("The run is {kind}.", kind = setup.kind.title())),
            ),
            book.step(
                message!("Do the sizes multiply to the number of processes?"),
                &[Id::SizesDoNotMultiply, Id::MissingKey, Id::MachinesDoNotFit],
                processes,
            ),
            book.step(
                message!("Is the context entered after prepare()?"),
                &[Id::CpContextBeforePrepare],
                order,
            ),
            book.step(
                message!("Does the data, or a library, expect what CP drops?"),
                &[
                    Id::PackingWithCp,
                    Id::MaskDropped,
                    Id::WindowWithCp,
                    Id::AttentionNotSdpa,
                    Id::LengthNotDivisible,
                    Id::LossUnequalShards,
                ],
                data,
            ),
        ],
    }
}

fn no_gpu(setup: &Setup, book: &Book<'_>) -> Story {
    let fine = |answer: Message| (State::Fine, answer);
    let gpus = match setup.gpus {
        GpuCount::Unsaid => (State::Unknown, message!("The machine was not said.")),
        GpuCount::Known(0) => {
            (State::Doubtful, message!("There is none: everything below must do without."))
        }
        GpuCount::Known(1) => fine(message!("There is 1 GPU.")),
        GpuCount::Known(count) => fine(message!("There are {count} GPUs.", count)),
    };
    let started = match setup.starter {
        Starter::Notebook => fine(message!("notebook_launcher finds its way here.")),
        Starter::PerhapsNotebook => {
            (State::Unknown, message!("accelerate launch, or notebook_launcher? Set launcher."))
        }
        Starter::Launch => fine(message!("accelerate launch does not ask nvidia-smi.")),
        Starter::Torchrun | Starter::Python => {
            fine(message!("No launcher of accelerate is in the way."))
        }
    };
    let device = match (setup.cpu.is_some(), setup.no_gpu()) {
        (true, _) => fine(message!("The CPU is asked for, and that wins.")),
        (false, true) => fine(message!("Without CUDA a single process takes the CPU by itself.")),
        (false, false) => fine(message!("Devices are placed on GPUs.")),
    };
    let features = match setup.kind {
        Kind::Fsdp(_) | Kind::Deepspeed => fine(message!("They have their accelerator.")),
        _ => fine(message!("Neither is asked for.")),
    };
    let ranks = match setup.processes {
        Some(1) => fine(message!("One process is asked for and one runs.")),
        Some(_) if setup.no_gpu() && setup.group == GroupVariables::Absent => {
            (State::Doubtful, message!("Without a GPU and without mpirun they make no group."))
        }
        Some(_) => fine(message!("The processes form one group.")),
        None => (State::Unknown, message!("The number of processes was not given.")),
    };
    Story {
        id: "no-gpu",
        title: message!("accelerate does not run on a CPU-only Colab"),
        steps: vec![
            book.step(message!("Is there a GPU?"), &[], gpus),
            book.step(
                message!("Does the launcher get as far as the function?"),
                &[Id::NvidiaSmiMissing, Id::FlagsContradict],
                started,
            ),
            book.step(
                message!("Does the process group fit the device?"),
                &[Id::NcclWithoutCuda, Id::MoreRanksThanGpus],
                device,
            ),
            book.step(
                message!("Does FSDP, DeepSpeed or a kernel insist on a GPU?"),
                &[Id::GpuOnlyFeature, Id::CpuWithFsdp, Id::CpOnCpu],
                features,
            ),
            book.step(
                message!("Do the ranks know of each other?"),
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
