//! What a bench measures and what it found: one form of JSON for the native command and the page,
//! so that any two machines can be set side by side.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;
use crate::{Layout, RunConfig, RunPlan};

/// What a file of a bench calls itself.
pub const KIND: &str = "bench";
/// Of its form; a field that changes its meaning or name makes another.
pub const VERSION: u64 = 1;

/// A file of JSON: what it holds, by which version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File<T> {
    /// What kind of findings these are.
    pub kind: &'static str,
    /// Of its form.
    pub version: u64,
    /// The findings.
    #[serde(flatten)]
    pub holds: T,
}

impl<T> File<T> {
    /// A file of this version.
    pub fn new(kind: &'static str, holds: T) -> Self {
        Self { kind, version: VERSION, holds }
    }
}

/// Sizes of a model and its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Width.
    pub d_model: usize,
    /// Heads.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Tokens in the whole sequence.
    pub seq_len: usize,
}

/// Those at which a step is timed.
pub const SHAPES: [Sizes; 3] = [
    Sizes { d_model: 64, heads: 4, layers: 2, seq_len: 256 },
    Sizes { d_model: 128, heads: 4, layers: 4, seq_len: 256 },
    Sizes { d_model: 128, heads: 4, layers: 4, seq_len: 1024 },
];
/// On so many ranks each.
pub const SHAPE_RANKS: [usize; 2] = [1, 2];
/// And on so many replicas, a rank each: what as many cores do where only gradients are exchanged.
pub const REPLICAS: usize = 2;
/// One rank, several and replicas are timed in turn as often as this, since a machine's speed drifts;
/// of each the quickest step counts.
pub const ROUNDS: usize = 3;
/// Tokens of the default model's sequence that more and more ranks share.
pub const SHARED_TOKENS: usize = 4096;
/// On so many ranks.
pub const SHARING_RANKS: [usize; 4] = [1, 2, 4, 8];

impl Sizes {
    /// Those of [`SHARED_TOKENS`].
    pub fn shared() -> Self {
        let RunConfig { d_model, heads, layers, .. } = RunConfig::default();
        Self { d_model, heads, layers, seq_len: SHARED_TOKENS }
    }

    /// Two replicas that train a sequence of this each for `steps` steps.
    pub fn replicas(self, steps: u32) -> RunConfig {
        RunConfig { dp: REPLICAS, ..self.run(1, steps) }
    }

    /// A ring of `cp` ranks with a balanced layout that trains this for `steps` steps.
    pub fn run(self, cp: usize, steps: u32) -> RunConfig {
        let Self { d_model, heads, layers, seq_len } = self;
        let layout = Layout::Zigzag;
        RunConfig { d_model, heads, layers, seq_len, cp, layout, steps, ..RunConfig::default() }
    }
}

/// A step of one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Width.
    pub d_model: usize,
    /// Heads.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Tokens.
    pub seq_len: usize,
    /// Billions of floating-point operations in a step's matrix products, all ranks together.
    pub gflop: f64,
    /// By number of ranks.
    pub milliseconds: Vec<Step>,
    /// On [`REPLICAS`], by sequence: half of a step that trains two. About the best that two
    /// cores can do for ranks that share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<Step>,
}

impl Shape {
    fn new(sizes: Sizes, gflop: f64) -> Self {
        let Sizes { d_model, heads, layers, seq_len } = sizes;
        let milliseconds = Vec::new();
        Self { d_model, heads, layers, seq_len, gflop, milliseconds, replicas: None }
    }

    /// Its sizes.
    pub fn sizes(&self) -> Sizes {
        let Self { d_model, heads, layers, seq_len, .. } = *self;
        Sizes { d_model, heads, layers, seq_len }
    }

    /// What was timed, each with who shared the work: the number of ranks, or `dp` and that of
    /// replicas.
    pub fn steps(&self) -> impl Iterator<Item = (String, &Step)> {
        let ranks = self.milliseconds.iter().map(|step| (step.world_size.to_string(), step));
        ranks.chain(self.replicas.iter().map(|step| (format!("dp {}", step.world_size), step)))
    }
}

/// The quickest step on some ranks, optimiser included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Ranks.
    pub world_size: usize,
    /// Milliseconds.
    pub milliseconds: f64,
    /// GFLOP/s by those of a large matrix product on one core and as many cores as ranks.
    pub of_peak: f64,
}

impl Step {
    /// A step of `gflop` in all that took `world_size` ranks so many seconds; `peak` in GFLOP/s is
    /// one core's.
    pub fn new(world_size: usize, gflop: f64, seconds: f64, peak: f64) -> Self {
        let of_peak = gflop / seconds / (peak * world_size as f64);
        Self { world_size, milliseconds: 1e3 * seconds, of_peak }
    }

    /// Becomes `other` where that took less.
    pub fn keep_quicker(&mut self, other: Self) {
        if other.milliseconds < self.milliseconds {
            *self = other;
        }
    }

    /// Of a step on replicas, what a sequence took.
    pub fn by_sequence(self) -> Self {
        Self { milliseconds: self.milliseconds / REPLICAS as f64, ..self }
    }
}

/// What sharing one sequence costs and saves on a world of some size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sharing {
    /// Ranks.
    pub world_size: usize,
    /// Seconds that a step's ranks compute, all together; absent where no clock tells a thread's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// That by one rank's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// That by one rank's while as many cores are busy with sequences of their own: cores that work
    /// at once are often slower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_ratio: Option<f64>,
    /// Seconds of a step on the wall, the quickest.
    pub wall_seconds: f64,
    /// Speed-up over one rank by the cores that there are for them.
    pub efficiency: f64,
}

/// A message to the next rank, half a round trip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hop {
    /// Bytes of the message.
    pub bytes: u64,
    /// Microseconds of a message that is handed on as it came; absent where memory is not shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microseconds: Option<f64>,
    /// Microseconds where each rank copies what came.
    pub copied_microseconds: f64,
    /// Gigabytes a second of that.
    pub copied_gigabytes_per_s: f64,
}

impl Hop {
    /// A hop of `bytes` that took `microseconds` with its copies.
    pub fn copied(bytes: u64, microseconds: f64) -> Self {
        let copied_gigabytes_per_s = bytes as f64 / microseconds * 1e-3;
        Self {
            bytes,
            microseconds: None,
            copied_microseconds: microseconds,
            copied_gigabytes_per_s,
        }
    }
}

/// Where a step of one shape goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profiled {
    /// The shape.
    #[serde(flatten)]
    pub sizes: Sizes,
    /// Ranks.
    pub world_size: usize,
    /// The mean over them.
    pub mean: Profile,
}

/// What was found of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// What the machine says of itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// GFLOP/s of a large matrix product on one core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_gflops: Option<f64>,
    /// Steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Shape>,
    /// More and more ranks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<Sharing>,
    /// Messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// Where steps go; `ringside bench --profile` writes a file of its own instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profiled>,
}

/// One thing to time with ranks that nobody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A step of a shape on some ranks.
    Shape(Sizes, usize),
    /// A step of a shape on replicas.
    Replicas(Sizes),
    /// A step of [`Sizes::shared`] on some ranks.
    Sharing(usize),
}

/// What a rank says of a [`Task`]: microseconds of each step, and where further steps went.
pub type Heard = (Vec<u64>, Profile);

impl Task {
    /// All of them in their order, the shapes' [`ROUNDS`] times; of each sizes one rank comes first,
    /// whom the others are held against.
    pub fn all() -> Vec<Self> {
        let of = |sizes| {
            let ranks = SHAPE_RANKS.map(|ranks| Self::Shape(sizes, ranks));
            let round: Vec<Self> = ranks.into_iter().chain([Self::Replicas(sizes)]).collect();
            round.repeat(ROUNDS)
        };
        SHAPES.into_iter().flat_map(of).chain(SHARING_RANKS.map(Self::Sharing)).collect()
    }

    /// Sizes, and ranks that take part.
    pub fn sizes(self) -> (Sizes, usize) {
        match self {
            Self::Shape(sizes, ranks) => (sizes, ranks),
            Self::Replicas(sizes) => (sizes, REPLICAS),
            Self::Sharing(ranks) => (Sizes::shared(), ranks),
        }
    }

    /// The run that is timed, with steps that warm up and steps that count; as many again are
    /// profiled.
    pub fn run(self) -> (RunConfig, u32, u32) {
        // Short steps are repeated more: a browser compiles what runs often, and a clock that
        // moves in tenths of a millisecond says little of one.
        let steps = (40.0 / self.gflop()).clamp(6.0, 60.0) as u32;
        let warm_up = steps / 2;
        (self.config(warm_up + 2 * steps), warm_up, steps)
    }

    fn config(self, steps: u32) -> RunConfig {
        let (sizes, ranks) = self.sizes();
        match self {
            Self::Replicas(_) => sizes.replicas(steps),
            Self::Shape(..) | Self::Sharing(_) => sizes.run(ranks, steps),
        }
    }

    /// Billions of floating-point operations in a step's matrix products, all ranks together.
    fn gflop(self) -> f64 {
        let plan = RunPlan::new(self.config(1)).expect("the bench's runs are possible");
        let work = plan.mesh().world().ranks().map(|rank| crate::work::step(&plan, rank));
        work.sum::<u64>() as f64 * 1e-9
    }
}

impl Bench {
    /// Notes what all ranks have said of `task`, in the order of [`Task::all`]; `cores` are those
    /// that there are for ranks, and the peak is known.
    pub fn note(&mut self, task: Task, cores: usize, ranks: Vec<Heard>) {
        let (sizes, world_size) = task.sizes();
        // A step is over when its slowest rank is.
        let steps = ranks.iter().map(|(took, _)| took.len()).min().unwrap_or_default();
        let slowest = |step: usize| ranks.iter().map(|(took, _)| took[step]).max().unwrap_or(0);
        let quickest = (0..steps).map(slowest).min().unwrap_or_default() as f64 / 1e6;
        let profiles: Vec<Profile> = ranks.into_iter().map(|(_, profile)| profile).collect();
        // A profile is of a whole sequence, and told by its ranks; the first round's is enough.
        let is_wanted = !matches!(task, Task::Replicas(_))
            && !self
                .profiles
                .iter()
                .any(|known| (known.sizes, known.world_size) == (sizes, world_size));
        if let Some(mean) = Profile::mean(&profiles).filter(|_| is_wanted) {
            self.profiles.push(Profiled { sizes, world_size, mean });
        }
        let gflop = task.gflop();
        let peak = self.peak_gflops.unwrap_or(f64::NAN);
        let step = Step::new(world_size, gflop, quickest, peak);
        match task {
            Task::Sharing(_) => {
                let one = self.sharing.first().map_or(quickest, |first| first.wall_seconds);
                let efficiency = one / (quickest * world_size.min(cores.max(1)) as f64);
                self.sharing.push(Sharing {
                    world_size,
                    seconds: None,
                    ratio: None,
                    busy_ratio: None,
                    wall_seconds: quickest,
                    efficiency,
                });
            }
            Task::Replicas(_) => {
                let replicas = &mut self.shape(sizes, gflop).replicas;
                let step = step.by_sequence();
                match replicas {
                    Some(known) => known.keep_quicker(step),
                    None => *replicas = Some(step),
                }
            }
            Task::Shape(..) => {
                let steps = &mut self.shape(sizes, gflop).milliseconds;
                match steps.iter_mut().find(|known| known.world_size == world_size) {
                    Some(known) => known.keep_quicker(step),
                    None => steps.push(step),
                }
            }
        }
    }

    /// The shape of `sizes`, new or as it is.
    fn shape(&mut self, sizes: Sizes, gflop: f64) -> &mut Shape {
        let place = self.shapes.iter().position(|shape| shape.sizes() == sizes);
        let place = place.unwrap_or_else(|| {
            self.shapes.push(Shape::new(sizes, gflop));
            self.shapes.len() - 1
        });
        &mut self.shapes[place]
    }

    /// The quickest step of `sizes` by who shared the work, as [`Shape::steps`] names it.
    pub fn step(&self, sizes: Sizes, ranks: &str) -> Option<&Step> {
        let shape = self.shapes.iter().find(|shape| shape.sizes() == sizes)?;
        shape.steps().find(|(name, _)| name == ranks).map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_less_or_more_is_read_for_what_it_has() {
        let text = r#"{"kind":"bench","version":1,"peak_gflops":80.0,"balance":[{"pairs":1.0}],
            "sharing":[{"world_size":2,"wall_seconds":0.5,"efficiency":0.9}],
            "hops":[{"bytes":64,"microseconds":1.0,"copied_microseconds":2.0,
            "copied_gigabytes_per_s":0.032}]}"#;
        let bench: Bench = serde_json::from_str(text).expect("it is one");
        assert_eq!((bench.peak_gflops, bench.shapes.len()), (Some(80.0), 0));
        assert_eq!((bench.sharing[0].ratio, bench.hops[0].microseconds), (None, Some(1.0)));
        assert_eq!(
            bench.hops[0].copied_gigabytes_per_s,
            Hop::copied(64, 2.0).copied_gigabytes_per_s
        );
    }

    #[test]
    fn a_step_is_found_by_its_sizes_and_ranks() {
        let Sizes { d_model, heads, layers, seq_len } = SHAPES[1];
        let step = Step { world_size: 2, milliseconds: 3.0, of_peak: 0.5 };
        let milliseconds = vec![step.clone()];
        let shape =
            Shape { d_model, heads, layers, seq_len, gflop: 1.0, milliseconds, replicas: None };
        let bench = Bench { shapes: vec![shape], ..Bench::default() };
        assert_eq!(bench.step(SHAPES[1], "2"), Some(&step));
        let missing = (bench.step(SHAPES[1], "1"), bench.step(SHAPES[0], "2"));
        assert_eq!(missing, (None, None));
        assert_eq!(SHAPES[1].run(2, 9).cp, 2);
    }

    fn profile() -> Profile {
        Profile { steps: 2, seconds: 1.0, operations: Vec::new() }
    }

    #[test]
    fn every_task_is_noted_as_it_was() {
        let mut bench = Bench { peak_gflops: Some(30.0), ..Bench::default() };
        let all = Task::all();
        for (place, &task) in all.iter().enumerate() {
            let (_, ranks) = task.sizes();
            // Every later round is slower.
            let round = all[..place].iter().filter(|earlier| **earlier == task).count() as u64;
            // The second step is the quicker one, as its slower rank says.
            let us = match task {
                Task::Replicas(_) => 110_000,
                _ => 100_000 / ranks as u64,
            };
            let heard = |rank: u64| (vec![3 * us, us - rank + 10_000 * round], profile());
            bench.note(task, 2, (0..ranks as u64).map(heard).collect());
        }
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
        for sizes in SHAPES {
            let (one, two) = (bench.step(sizes, "1").unwrap(), bench.step(sizes, "2").unwrap());
            assert!(near(one.milliseconds, 100.0) && near(two.milliseconds, 50.0));
            let work = Task::Shape(sizes, 1).gflop();
            assert!(near(one.of_peak, work / 0.1 / 30.0));
            // The same work in half the time on twice the cores.
            assert!((two.of_peak - one.of_peak).abs() < 1e-2 * one.of_peak, "{two:?} {one:?}");
        }
        for shape in &bench.shapes {
            let replicas = shape.replicas.as_ref().expect("it was noted");
            // Two whole sequences in a little more than the time of one.
            assert!(near(replicas.milliseconds, 55.0), "{replicas:?}");
            let one = shape.milliseconds[0].of_peak;
            assert!(near(replicas.of_peak, one / 1.1), "{replicas:?} {one}");
        }
        let rounded = |s: &Sharing| (s.world_size, (s.efficiency * 100.0).round());
        let sharing: Vec<_> = bench.sharing.iter().map(rounded).collect();
        // There are two cores.
        assert_eq!(sharing, [(1, 100.0), (2, 100.0), (4, 200.0), (8, 400.0)]);
        let profiled = SHAPES.len() * SHAPE_RANKS.len() + SHARING_RANKS.len();
        assert_eq!(bench.profiles.len(), profiled);
    }

    #[test]
    fn every_run_of_it_is_possible() {
        for task in Task::all() {
            let (config, warm_up, steps) = task.run();
            assert_eq!(config.steps, warm_up + 2 * steps);
            assert!(warm_up >= 3 && RunPlan::new(config).is_ok(), "{task:?}");
        }
    }
}
