//! What the user has entered, and the run that it means.

use plan::memory::{RankMemory, memory};
use plan::run::check_text;
use plan::simulate::Model;
use plan::{
    Fault, Layout, Message, Optimizer, Refusal, RunConfig, RunPlan, StrategyKind, Task, message,
};

use crate::app::fields::{Field, Kind, MAX_WORLD};
use crate::app::format;
use crate::app::shared::Shared;
use crate::app::whole::{is_whole, shown};
use crate::cluster::Limits;

/// A field with what stood in it and what stands there now.
pub type Change = (Field, String, String);

/// What stands in each field, right or wrong, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    values: Vec<String>,
}

impl Default for Form {
    fn default() -> Self {
        Self::of(&RunConfig::default())
    }
}

impl Form {
    /// The form that means `config`.
    pub fn of(config: &RunConfig) -> Self {
        let mut form = Self { values: vec![String::new(); Field::ALL.len()] };
        for field in Field::ALL {
            form.set(field, text_of(config, field));
        }
        form
    }

    /// What stands in `field`.
    pub fn get(&self, field: Field) -> &str {
        &self.values[field as usize]
    }

    /// Enters `value` into `field`.
    pub fn set(&mut self, field: Field, value: impl Into<String>) {
        self.values[field as usize] = value.into();
    }

    /// The same form with another value in `field`.
    pub fn with(&self, field: Field, value: &str) -> Self {
        let mut form = self.clone();
        form.set(field, value);
        form
    }

    /// The fields in which `other` differs, with what stands here and there.
    pub fn changes(&self, other: &Self) -> Vec<Change> {
        let change = |field: Field| {
            let (was, is) = (self.get(field).trim(), other.get(field).trim());
            (was != is).then(|| (field, was.to_owned(), is.to_owned()))
        };
        Field::ALL.into_iter().filter_map(change).collect()
    }

    /// The config that the fields mean, or everything that cannot be read.
    pub fn config(&self) -> Result<RunConfig, Vec<Refusal>> {
        let mut config = RunConfig::default();
        let mut refusals = Vec::new();
        // The length comes before the documents that share it out.
        for field in Field::ALL {
            if let Err(refusal) = self.read(field, &mut config) {
                refusals.push(refusal);
            }
        }
        if refusals.is_empty() { Ok(config) } else { Err(refusals) }
    }

    /// The run that the fields mean, checked; `text_bytes` is the length of the user's own text.
    pub fn plan(&self, text_bytes: Option<usize>) -> Result<Shared<RunPlan>, Vec<Refusal>> {
        let config = self.checked(text_bytes)?;
        let plan = RunPlan::new(config).and_then(|plan| check_memory(&plan).map(|()| plan));
        plan.map(Shared::new).map_err(|refusal| vec![refusal])
    }

    /// The config that the fields mean, if it can be had; far quicker than the plan of it.
    pub fn checked(&self, text_bytes: Option<usize>) -> Result<RunConfig, Vec<Refusal>> {
        let config = self.config()?;
        let check = || {
            check_world(config.cp, config.dp)?;
            RunPlan::check(&config)?;
            match text_bytes {
                Some(bytes) if config.task == Task::Text => check_text(config.seq_len, bytes),
                _ => Ok(()),
            }
        };
        check().map_err(|refusal: Refusal| vec![refusal])?;
        Ok(config)
    }

    /// The same run, watched and stopped as `other` is.
    pub fn with_limits_of(&self, other: &Self) -> Self {
        let limits = Field::ALL.into_iter().filter(|field| field.is_limit());
        limits.fold(self.clone(), |form, field| form.with(field, other.get(field)))
    }

    /// How fast the run may go and when it pauses; what cannot be read does not limit it.
    pub fn limits(&self) -> Limits {
        let number = |field| maybe_real(field, self.get(field).trim()).ok().flatten();
        Limits {
            step_ms: number(Field::Speed).filter(|&speed| speed > 0.0).map(|speed| 1e3 / speed),
            stop_loss: number(Field::StopLoss),
            stop_seconds: number(Field::StopSeconds),
        }
    }

    /// The links and the slow rank that are asked about; a rank that is not among `world` is not
    /// slow.
    pub fn model(&self, world: usize) -> Model {
        let number = |field| maybe_real(field, self.get(field).trim()).ok().flatten();
        let slow = number(Field::SlowRank).map(|rank| rank as u16);
        Model {
            latency_us: number(Field::LinkLatency).map(|us| us.max(0.0)),
            bandwidth: number(Field::LinkBandwidth).filter(|&bytes| bytes > 0.0),
            slow: slow
                .filter(|&rank| usize::from(rank) < world)
                .map(|rank| (rank, number(Field::SlowFactor).unwrap_or(1.0))),
        }
    }

    fn read(&self, field: Field, config: &mut RunConfig) -> Result<(), Refusal> {
        let text = self.get(field).trim();
        let whole = || whole(field, text);
        let small = || Ok::<u32, Refusal>(whole()?.unwrap_or_default() as u32);
        let size = || Ok::<usize, Refusal>(whole()?.unwrap_or_default() as usize);
        let maybe = || Ok::<Option<usize>, Refusal>(whole()?.map(|n| n as usize));
        match field {
            Field::Task => config.task = named(field, text, &Task::ALL, Task::name)?,
            Field::Strategy => {
                config.strategy = named(field, text, &StrategyKind::ALL, StrategyKind::name)?;
            }
            Field::Layout => config.layout = named(field, text, &Layout::ALL, Layout::name)?,
            Field::Optimizer => {
                let all = [Optimizer::Adamw, Optimizer::Sgd];
                config.optimizer = named(field, text, &all, Optimizer::name)?;
            }
            Field::Cp => config.cp = size()?,
            Field::Dp => config.dp = size()?,
            Field::UlyssesDegree => config.ulysses_degree = maybe()?,
            Field::SeqLen => config.seq_len = size()?,
            Field::Documents => config.documents = lengths(text, config.seq_len)?,
            Field::Window => config.window = maybe()?,
            Field::Batch => config.batch = size()?,
            Field::GradAccum => config.grad_accum = size()?,
            Field::Layers => config.layers = size()?,
            Field::DModel => config.d_model = size()?,
            Field::Heads => config.heads = size()?,
            Field::KvHeads => config.kv_heads = maybe()?,
            Field::Steps => config.steps = small()?,
            Field::WarmupSteps => config.warmup_steps = small()?,
            Field::EvalEvery => config.eval_every = small()?,
            Field::EvalBatches => config.eval_batches = size()?,
            Field::Lr => config.lr = real(field, text)?,
            Field::WeightDecay => config.weight_decay = real(field, text)?,
            Field::GradClip => config.grad_clip = real(field, text)?,
            Field::Seed => config.seed = whole()?.unwrap_or_default(),
            Field::Fault if text.is_empty() => config.fault = None,
            Field::Fault => config.fault = Some(named(field, text, &Fault::ALL, Fault::name)?),
            // What the page does with these, no run knows of.
            Field::Speed
            | Field::StopLoss
            | Field::StopSeconds
            | Field::LinkLatency
            | Field::LinkBandwidth
            | Field::SlowRank
            | Field::SlowFactor => {
                maybe_real(field, text)?;
            }
        }
        Ok(())
    }
}

/// Refuses more workers than the page starts.
fn check_world(cp: usize, dp: usize) -> Result<(), Refusal> {
    let world = cp as u64 * dp as u64;
    if world <= MAX_WORLD {
        return Ok(());
    }
    let works = message!("try {cp} × {dp}", cp, dp = MAX_WORLD / cp as u64);
    let reason = message!(
        "{cp} × {dp} would be {world} workers; this page starts {most} at most",
        cp,
        dp,
        world,
        most = MAX_WORLD
    );
    Err(Refusal::new("dp", dp, reason, works))
}

/// The most that a worker can ever have: its addresses have 32 bits.
const WORKER_BYTES: u64 = 4 << 30;

fn check_memory(plan: &RunPlan) -> Result<(), Refusal> {
    let most = memory(plan).iter().map(RankMemory::total).max().unwrap_or(0);
    if most <= WORKER_BYTES {
        return Ok(());
    }
    let reason = message!(
        "a rank would need {needed}, and a worker can have {most} at most",
        needed = format::bytes(most),
        most = format::bytes(WORKER_BYTES)
    );
    let works = message!("try fewer tokens, a smaller batch or network, or more ranks");
    Err(Refusal::new("seq_len", plan.config().seq_len, reason, works))
}

/// `count` lengths, as equal as they can be, that add up to `seq_len`.
pub fn equal_lengths(seq_len: usize, count: usize) -> Vec<usize> {
    let count = count.max(1);
    (0..count).map(|i| seq_len / count + usize::from(i < seq_len % count)).collect()
}

/// Lengths as they are typed.
pub fn join(lengths: &[usize]) -> String {
    lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn lengths(text: &str, seq_len: usize) -> Result<Vec<usize>, Refusal> {
    let refuse = |reason: Message| {
        Err(Refusal::new("documents", text, reason, message!("try lengths such as 96,64,96")))
    };
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(count) = text.strip_prefix('x') {
        return match count.parse::<usize>() {
            Ok(count) if (1..=64).contains(&count) => Ok(equal_lengths(seq_len, count)),
            _ => refuse(message!("it is not a number of equal documents from x1 to x64")),
        };
    }
    let parts: Result<Vec<usize>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match parts {
        Ok(lengths) if lengths.len() <= 256 => Ok(lengths),
        Ok(_) => refuse(message!("it lists more than 256 documents")),
        Err(_) => refuse(message!("it is not a list of whole numbers")),
    }
}

fn named<T: Copy>(
    field: Field,
    text: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Refusal> {
    all.iter().copied().find(|&value| name(value) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&value| name(value)).collect();
        Refusal::new(
            field.key(),
            text,
            message!("there is no such choice"),
            message!("try one of {numbers}", numbers = names.join(", ")),
        )
    })
}

/// The number in a field of whole numbers; `None` for an empty one that may be empty.
fn whole(field: Field, text: &str) -> Result<Option<u64>, Refusal> {
    let (low, high, may_be_empty) = match field.kind() {
        Kind::Whole(low, high, empty) => (low, high, empty.is_some()),
        Kind::Few(_, low, high) => (low, high, false),
        _ => (1, MAX_WORLD, true),
    };
    if text.is_empty() && may_be_empty {
        return Ok(None);
    }
    let refuse = |reason: Message| {
        let works = message!("try a number from {low} to {high}", low, high);
        Err(Refusal::new(field.key(), shown(text), reason, works))
    };
    match text.parse::<u64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(Some(value)),
        Ok(_) => refuse(message!("it is out of range")),
        Err(_) if is_whole(text) => refuse(message!("it is out of range")),
        Err(_) => refuse(message!("it is not a whole number")),
    }
}

fn real(field: Field, text: &str) -> Result<f64, Refusal> {
    let (low, high) = match field.kind() {
        Kind::Real(low, high) | Kind::MaybeReal(low, high) => (low, high),
        _ => (f64::MIN, f64::MAX),
    };
    let refuse = |reason: Message| {
        let works = message!("try a number from {low} to {high}", low, high);
        Err(Refusal::new(field.key(), shown(text), reason, works))
    };
    match text.parse::<f64>() {
        Ok(value) if value >= low && value <= high => Ok(value),
        Ok(value) if !value.is_nan() => refuse(message!("it is out of range")),
        _ => refuse(message!("it is not a number")),
    }
}

/// The number in a field that may be empty; a choice of numbers is one.
fn maybe_real(field: Field, text: &str) -> Result<Option<f64>, Refusal> {
    match text {
        "" => Ok(None),
        text => real(field, text).map(Some),
    }
}

fn text_of(config: &RunConfig, field: Field) -> String {
    let maybe = |value: Option<usize>| value.map(|n| n.to_string()).unwrap_or_default();
    match field {
        Field::Task => config.task.name().to_owned(),
        Field::Strategy => config.strategy.name().to_owned(),
        Field::Layout => config.layout.name().to_owned(),
        Field::Optimizer => config.optimizer.name().to_owned(),
        Field::Cp => config.cp.to_string(),
        Field::Dp => config.dp.to_string(),
        Field::UlyssesDegree => maybe(config.ulysses_degree),
        Field::SeqLen => config.seq_len.to_string(),
        Field::Documents => {
            let count = config.documents.len();
            if count > 0 && config.documents == equal_lengths(config.seq_len, count) {
                format!("x{count}")
            } else {
                join(&config.documents)
            }
        }
        Field::Window => maybe(config.window),
        Field::Batch => config.batch.to_string(),
        Field::GradAccum => config.grad_accum.to_string(),
        Field::Layers => config.layers.to_string(),
        Field::DModel => config.d_model.to_string(),
        Field::Heads => config.heads.to_string(),
        Field::KvHeads => maybe(config.kv_heads),
        Field::Steps => config.steps.to_string(),
        Field::WarmupSteps => config.warmup_steps.to_string(),
        Field::EvalEvery => config.eval_every.to_string(),
        Field::EvalBatches => config.eval_batches.to_string(),
        Field::Lr => config.lr.to_string(),
        Field::WeightDecay => config.weight_decay.to_string(),
        Field::GradClip => config.grad_clip.to_string(),
        Field::Seed => config.seed.to_string(),
        Field::Fault => config.fault.map(Fault::name).unwrap_or_default().to_owned(),
        Field::SlowFactor => "2".to_owned(),
        Field::Speed
        | Field::StopLoss
        | Field::StopSeconds
        | Field::LinkLatency
        | Field::LinkBandwidth
        | Field::SlowRank => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(field: Field, value: &str) -> Refusal {
        let refusals = Form::default().with(field, value).plan(None).expect_err("it is refused");
        assert_eq!(refusals.len(), 1);
        refusals.into_iter().next().expect("there is one")
    }

    #[test]
    fn a_form_means_the_config_that_it_was_made_of() {
        let config = RunConfig {
            kv_heads: Some(2),
            documents: vec![100, 156],
            window: Some(7),
            lr: 1.5e-4,
            seed: 12,
            fault: Some(Fault::NoExchange),
            ..RunConfig::default()
        };
        assert_eq!(Form::of(&config).config(), Ok(config));
        assert_eq!(Form::default().config(), Ok(RunConfig::default()));
    }

    #[test]
    fn what_cannot_be_read_is_refused_beside_its_field() {
        for (field, value) in [
            (Field::SeqLen, ""),
            (Field::SeqLen, "0"),
            (Field::SeqLen, "-3"),
            (Field::SeqLen, "5000"),
            (Field::SeqLen, "1e3"),
            (Field::SeqLen, "99999999999999999999"),
            (Field::Cp, "9"),
            (Field::Dp, "4"),
            (Field::Lr, "NaN"),
            (Field::Lr, "1e99"),
            (Field::Lr, "quick"),
            (Field::Documents, "1,,2"),
            (Field::Documents, "x0"),
            (Field::Documents, "100,100"),
            (Field::Window, "0"),
            (Field::Strategy, "magic"),
            (Field::KvHeads, "3"),
            (Field::DModel, "63"),
            (Field::Heads, "3"),
            (Field::GradAccum, "2"),
        ] {
            let refusal = refused(field, value);
            assert_eq!(Field::by_key(&refusal.field), Some(field), "{refusal}");
            assert!(!refusal.works.is_empty());
        }
    }

    #[test]
    fn a_number_out_of_range_is_still_a_number_and_shown_in_brief() {
        let digits = "9".repeat(99);
        for value in ["-3", "5000", &digits] {
            let refusal = refused(Field::SeqLen, value);
            assert_eq!(refusal.reason, "it is out of range");
            assert!(refusal.value.to_string().chars().count() <= 25, "{refusal}");
        }
        assert_eq!(refused(Field::SeqLen, "1.5").reason, "it is not a whole number");
    }

    #[test]
    fn all_unreadable_fields_are_told_at_once() {
        let form = Form::default().with(Field::Lr, "x").with(Field::Batch, "");
        let fields: Vec<_> =
            form.plan(None).expect_err("two").into_iter().map(|r| r.field).collect();
        assert_eq!(fields, ["batch", "lr"]);
    }

    #[test]
    fn equal_documents_follow_the_length() {
        let form = Form::default().with(Field::Documents, "x3").with(Field::SeqLen, "10");
        assert_eq!(form.config().expect("it reads").documents, [4, 3, 3]);
    }

    #[test]
    fn limits_are_read_beside_the_run() {
        let form = Form::default().with(Field::Speed, "10").with(Field::StopLoss, "2.5");
        let expect = Limits { step_ms: Some(100.0), stop_loss: Some(2.5), stop_seconds: None };
        assert_eq!((form.limits(), form.config()), (expect, Ok(RunConfig::default())));
        assert_eq!(Form::default().limits(), Limits::default());
        assert_eq!(refused(Field::StopSeconds, "0").works, "try a number from 0.1 to 1000000");
        assert_eq!(refused(Field::StopLoss, "low").reason, "it is not a number");
    }

    #[test]
    fn what_is_asked_of_links_and_ranks_leaves_the_run_as_it_is() {
        let form = Form::default().with(Field::LinkLatency, "10000").with(Field::SlowRank, "3");
        let asked = Model { latency_us: Some(1e4), bandwidth: None, slow: Some((3, 2.0)) };
        assert_eq!((form.model(4), form.config()), (asked, Ok(RunConfig::default())));
        assert_eq!(form.model(2).slow, None);
        assert!(Form::default().model(4).is_measured());
    }

    #[test]
    fn a_run_that_no_worker_can_hold_is_refused() {
        let large = [(Field::SeqLen, "4096"), (Field::Layers, "8"), (Field::DModel, "256")];
        let form =
            large.iter().fold(Form::default(), |form, (field, text)| form.with(*field, text));
        let form = form.with(Field::Batch, "8");
        let refusals = form.with(Field::Cp, "1").plan(None).expect_err("5 GB");
        let told = refusals[0].to_string();
        assert!(told.contains("5.2 GB") && told.contains("4.3 GB at most"), "{told}");
        assert!(form.plan(None).is_ok(), "four can");
    }

    #[test]
    fn a_short_text_matters_to_the_text_task_alone() {
        let form = Form::default();
        assert!(form.plan(Some(10)).is_err());
        assert!(form.plan(Some(256)).is_ok());
        assert!(form.with(Field::Task, "copy").plan(Some(10)).is_ok());
    }
}
