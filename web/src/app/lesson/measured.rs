//! What a condition's subject is at present: the page's side of the table in `lesson::subject`.

use lesson::Condition;
use lesson::condition::NONE;
use plan::RunPlan;
use plan::fold::{Curve, StepNumbers};
use plan::memory::memory;
use plan::runtime::{Branch, Outcome, detect};

use crate::app::cost::Costs;
use crate::app::engine::Phase;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::state::State;
use crate::cluster::Failure;
use crate::diagnosis::report::Verdict;

/// Losses at either end of a run that say whether it has learnt.
const ENDS: usize = 10;

/// A subject's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, or none yet.
    Number(Option<f64>),
    /// A word, or a setting's value.
    Word(String),
    /// Several words.
    Among(Vec<String>),
}

/// Whether `condition` holds.
pub fn holds(state: &State, condition: &Condition) -> bool {
    is_there(state, &condition.subject)
        && match of(state, &condition.subject) {
            Some(Value::Number(number)) => condition.holds_of(number),
            Some(Value::Word(word)) => condition.holds_of_word(&word),
            Some(Value::Among(words)) => condition.holds_among(words.iter().map(String::as_str)),
            None => false,
        }
}

/// Whether there is what a subject belongs to: of nothing, not even that it lacks something is
/// said.
fn is_there(state: &State, subject: &str) -> bool {
    const OF_TWO: [&str; 4] = ["parted", "loss_gap", "norm_ratio", "bytes_ratio"];
    if subject == "doctor.finding" {
        return state.doctor.report().is_some() && !state.doctor.is_behind();
    }
    let of_two = OF_TWO.contains(&subject) || subject.starts_with("beside.");
    !of_two || state.beside.is_some()
}

/// The number of a subject that is one.
pub fn number(state: &State, subject: &str) -> Option<f64> {
    match of(state, subject)? {
        Value::Number(number) => number,
        Value::Word(word) => word.parse().ok(),
        Value::Among(_) => None,
    }
}

/// What part of a subject is that of one rank.
pub fn share(state: &State, subject: &str) -> f64 {
    match subject {
        "messages" | "bytes" => 1.0 / state.world() as f64,
        _ => 1.0,
    }
}

/// What `subject` is; nothing if there is no such subject.
pub fn of(state: &State, subject: &str) -> Option<Value> {
    let yes_no = |yes: bool| Value::Word(if yes { "yes" } else { "no" }.to_owned());
    let phase = state.engine.phase();
    let beside = state.beside.as_ref();
    let apart = || beside?.apart(&state.record.curve, state.record.first());
    Some(match subject {
        "messages" => Value::Number(newest(state).map(|(messages, _)| messages)),
        "bytes" => Value::Number(newest(state).map(|(_, bytes)| bytes)),
        "parted" => Value::Number(apart().and_then(|a| a.parted).map(|step| f64::from(step) + 1.0)),
        "loss_gap" => Value::Number(apart().map(|apart| apart.last.2 - apart.last.1)),
        "norm_ratio" => Value::Number(beside.and_then(|b| ratio(&state.record.curve, &b.curve))),
        "bytes_ratio" => Value::Number(beside.and_then(|beside| {
            let (kept, ours) = beside.costs.beside(&state.record.figures.costs);
            Some(ours?.bytes / kept.filter(|kept| kept.bytes > 0.0)?.bytes)
        })),
        "place" => Value::Word(state.place.key().to_owned()),
        "beside" => yes_no(beside.is_some()),
        "held" => yes_no(state.held.is_some()),
        "within" => yes_no(*phase == Phase::Within),
        "running" => yes_no(matches!(phase, Phase::Running | Phase::Loading(_))),
        "finished" => yes_no(*phase == Phase::Finished),
        "checked" => yes_no(state.check),
        "failed" => yes_no(matches!(phase, Phase::Failed(_))),
        "error" => Value::Word(
            match phase {
                Phase::Failed(failures) => failures.first().map(word_of),
                _ => None,
            }
            .unwrap_or_else(|| NONE.to_owned()),
        ),
        "doctor.verdict" => Value::Word(verdict(state).to_owned()),
        "doctor.finding" => {
            let report = state.doctor.report().filter(|_| !state.doctor.is_behind());
            let findings = report.map(|report| &report.findings[..]).unwrap_or_default();
            Value::Among(findings.iter().map(|finding| finding.id.to_string()).collect())
        }
        _ => {
            if let Some(what) = subject.strip_prefix("backend.") {
                return backend(state, what);
            }
            let run = match subject.strip_prefix("beside.") {
                Some(name) => {
                    return Some(match beside {
                        Some(beside) => Run {
                            plan: &beside.plan,
                            curve: &beside.curve,
                            costs: &beside.costs,
                            steps: u32::MAX,
                        }
                        .of(name)
                        .or_else(|| field(&beside.form, name))?,
                        None => Value::Number(None),
                    });
                }
                None => Run {
                    plan: &state.plan,
                    curve: &state.record.curve,
                    costs: &state.record.figures.costs,
                    steps: state.steps(),
                },
            };
            return run.of(subject).or_else(|| {
                // The run that is trained, while the form may hold what cannot be had.
                let limits = Field::by_key(subject).is_some_and(Field::is_limit);
                let form =
                    if limits { (*state.form).clone() } else { Form::of(state.plan.config()) };
                field(&form, subject)
            });
        }
    })
}

/// What kind of failure it is, or what it says.
fn word_of(failure: &Failure) -> String {
    match failure.kind.as_str() {
        "" => failure.message.to_string(),
        kind => kind.to_owned(),
    }
}

fn field(form: &Form, key: &str) -> Option<Value> {
    let value = form.get(Field::by_key(key)?).trim();
    // What is left out is none: no window, no fault.
    Some(Value::Word(if value.is_empty() { NONE } else { value }.to_owned()))
}

/// A run: the present one, or one that is kept.
struct Run<'a> {
    plan: &'a RunPlan,
    curve: &'a Curve,
    costs: &'a Costs,
    /// What comes after so many steps does not count: the run has gone back.
    steps: u32,
}

impl Run<'_> {
    fn of(&self, subject: &str) -> Option<Value> {
        let world = self.plan.mesh().world().get();
        let cost = || self.costs.mean(&(0..self.steps));
        let rank = || memory(self.plan).into_iter().next();
        let bytes = |part: Option<u64>| part.map(|bytes| bytes as f64);
        Some(Value::Number(match subject {
            "steps" => Some(f64::from(self.done())),
            "loss" => self.last(|numbers| numbers.loss),
            "grad_norm" => self.last(|numbers| numbers.grad_norm),
            "eval_loss" => self.last(|numbers| numbers.eval_loss),
            "loss_falls" => self.loss_falls(),
            "waiting" => cost().map(|cost| cost.waiting),
            "messages" => cost().map(|cost| cost.messages),
            "bytes" => cost().map(|cost| cost.bytes),
            "efficiency" => Some(self.plan.attention().efficiency()),
            "world" => Some(world as f64),
            "memory.parameters" => bytes(rank().map(|rank| rank.parameters)),
            "memory.gradients" => bytes(rank().map(|rank| rank.gradients)),
            "memory.optimiser" => bytes(rank().map(|rank| rank.optimizer)),
            "memory.activations" => bytes(rank().map(|rank| rank.activations)),
            "memory.kv" => bytes(rank().map(|rank| rank.kv)),
            "memory.total" => bytes(rank().map(|rank| rank.total())),
            _ => return None,
        }))
    }

    /// The numbers of the steps that count, newest first.
    fn numbers(&self) -> impl Iterator<Item = (u32, &StepNumbers)> {
        self.curve.steps().rev().skip_while(|(step, _)| *step >= self.steps)
    }

    fn done(&self) -> u32 {
        match self.steps {
            u32::MAX => self.numbers().next().map_or(0, |(step, _)| step + 1),
            steps => steps,
        }
    }

    fn last(&self, number: impl Fn(&StepNumbers) -> Option<f64>) -> Option<f64> {
        self.numbers().find_map(|(_, numbers)| number(numbers))
    }

    fn loss_falls(&self) -> Option<f64> {
        let losses: Vec<f64> = self.numbers().filter_map(|(_, numbers)| numbers.loss).collect();
        if losses.len() < 2 * ENDS {
            return None;
        }
        let sum = |losses: &[f64]| losses.iter().sum::<f64>();
        Some(sum(&losses[..ENDS]) / sum(&losses[losses.len() - ENDS..]))
    }
}

/// Messages and bytes of all ranks in the newest whole step.
fn newest(state: &State) -> Option<(f64, f64)> {
    let step = state.record.figures.newest.as_ref()?;
    let (mut messages, mut bytes) = (0u64, 0u64);
    for event in step.events.iter().flatten() {
        if let plan::EventKind::Send { bytes: sent, .. } = event.kind {
            messages += 1;
            bytes += sent;
        }
    }
    Some((messages as f64, bytes as f64))
}

/// The gradient's norm by the kept run's, at the first step that both have done.
fn ratio(ours: &Curve, kept: &Curve) -> Option<f64> {
    ours.steps().find_map(|(step, numbers)| Some(numbers.grad_norm? / kept.step(step)?.grad_norm?))
}

fn verdict(state: &State) -> &'static str {
    match state.doctor.report().filter(|_| !state.doctor.is_behind()).map(|report| report.verdict) {
        Some(Verdict::Ok) => "ok",
        Some(Verdict::Warning) => "warning",
        Some(Verdict::Error) => "error",
        None => NONE,
    }
}

/// What the backend's view decides.
fn backend(state: &State, what: &str) -> Option<Value> {
    let backend = &state.backend;
    match what {
        "preset" => return Some(Value::Word(backend.preset.name().to_owned())),
        "force_cpu" => {
            let word = if backend.force_cpu { "yes" } else { "no" };
            return Some(Value::Word(word.to_owned()));
        }
        _ => {}
    }
    let detection = backend.probe().zip(backend.request().ok());
    let detection = detection.map(|(probe, request)| detect(&probe, &request));
    let profile = detection.as_ref().and_then(|detection| match &detection.outcome {
        Outcome::Runs(profile) => Some(profile),
        Outcome::Refused(_) => None,
    });
    let refused = || "refused".to_owned();
    Some(match what {
        "device" => {
            Value::Word(profile.map_or_else(refused, |p| kebab(&format!("{:?}", p.device))))
        }
        "backend" => Value::Word(profile.map_or_else(refused, |p| p.backend.name().to_owned())),
        "world" => Value::Number(profile.map(|profile| profile.world_size.get() as f64)),
        "branch" => {
            let path = detection.iter().flat_map(|detection| &detection.path);
            Value::Among(path.copied().map(branch_name).collect())
        }
        _ => return None,
    })
}

/// What a lesson calls a branch of the decision tree.
pub fn branch_name(branch: Branch) -> String {
    kebab(&format!("{branch:?}"))
}

/// `NoGpu` as `no-gpu`.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
