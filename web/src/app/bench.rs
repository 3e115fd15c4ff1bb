//! The bench as a value: what is being timed, what was found so far, and another machine's file.

use std::collections::BTreeMap;

use plan::bench::{
    Bench as Found, Hop, KIND, Profiled, SHAPE_RANKS, SHAPES, SHARING_RANKS, Shape, Sharing, Sizes,
    Step, VERSION,
};
use plan::command::Report;
use plan::profile::Profile;
use plan::{RunConfig, RunPlan};
use serde::{Deserialize, Serialize};

use crate::app::language::told;
use crate::app::share::File;
use crate::cluster::ClusterEvent;
use crate::t;

/// The longest file of another machine that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// One thing to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A step of a shape on some ranks.
    Shape(Sizes, usize),
    /// A step of one long sequence on some ranks.
    Sharing(usize),
    /// Messages between two ranks.
    Hops,
}

/// What is entered and found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    /// What was found so far.
    pub found: Found,
    /// What another machine found, with the name of its file.
    pub other: Option<(String, Found)>,
    /// Why a file was not read, or why it ended early.
    pub wrong: Option<String>,
    /// Which of the profiles is shown.
    pub shown: usize,
    under_way: Option<UnderWay>,
    cores: usize,
    launch: u32,
}

/// The task under way, by its number, and what its ranks have said.
#[derive(Clone, Debug, Default, PartialEq)]
struct UnderWay {
    number: usize,
    heard: BTreeMap<u16, (Vec<u64>, Profile)>,
}

/// What happens.
#[derive(Debug)]
pub enum Act {
    /// The user wants this machine measured: what it says of itself, and its cores.
    Begin(String, usize),
    /// The user has seen enough.
    Stop,
    /// The workers of a launch say something.
    Hear(u32, ClusterEvent),
    /// The user opened another machine's file: its name, and its bytes or why there are none.
    Open(String, Result<Vec<u8>, String>),
    /// The user closed it.
    Close,
    /// The user wants another profile.
    Show(usize),
    /// The user wants what was found as a file.
    Save,
}

/// What the world outside must do.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// End the workers, if any, and let fresh ones do this; they are of this launch.
    Measure(u32, Task),
    /// End the workers.
    End,
    /// Give the user a file.
    Save(File),
}

impl Task {
    /// All of them, in their order.
    pub fn all() -> Vec<Self> {
        let shapes = SHAPES.into_iter();
        let shapes = shapes.flat_map(|sizes| SHAPE_RANKS.map(|ranks| Self::Shape(sizes, ranks)));
        shapes.chain(SHARING_RANKS.map(Self::Sharing)).chain([Self::Hops]).collect()
    }

    /// Ranks that take part.
    pub fn ranks(self) -> usize {
        match self {
            Self::Shape(_, ranks) | Self::Sharing(ranks) => ranks,
            Self::Hops => 2,
        }
    }

    /// The run that is timed, with steps that warm up and steps that count; none for messages.
    pub fn run(self) -> Option<(RunConfig, u32, u32)> {
        let (sizes, ranks) = self.sizes()?;
        // Short steps are repeated more: the browser compiles what runs often, and a clock that
        // moves in tenths of a millisecond says little of one.
        let steps = (40.0 / gflop(sizes, ranks)).clamp(6.0, 60.0) as u32;
        let warm_up = steps / 2;
        Some((sizes.run(ranks, warm_up + 2 * steps), warm_up, steps))
    }

    fn sizes(self) -> Option<(Sizes, usize)> {
        match self {
            Self::Shape(sizes, ranks) => Some((sizes, ranks)),
            Self::Sharing(ranks) => Some((Sizes::shared(), ranks)),
            Self::Hops => None,
        }
    }

    fn title(self) -> String {
        match self.sizes() {
            Some((sizes, ranks)) => t!("bench.of", sizes = named(sizes), ranks = ranks).into(),
            None => t!("bench.messages").into(),
        }
    }
}

/// Width, heads, layers and tokens in a row.
pub fn named(Sizes { d_model, heads, layers, seq_len }: Sizes) -> String {
    format!("{d_model}, {heads}, {layers}, {seq_len}")
}

/// Billions of floating-point operations in a step's matrix products, all ranks together.
fn gflop(sizes: Sizes, ranks: usize) -> f64 {
    let plan = RunPlan::new(sizes.run(ranks, 1)).expect("the bench's runs are possible");
    let work = plan.mesh().world().ranks().map(|rank| plan::work::step(&plan, rank));
    work.sum::<u64>() as f64 * 1e-9
}

impl Bench {
    /// Whether something is being timed.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// What is being timed, in words, with its place among all.
    pub fn words(&self) -> Option<String> {
        let number = self.under_way.as_ref()?.number;
        let all = Task::all();
        let what = all.get(number)?.title();
        Some(t!("bench.going", at = number + 1, all = all.len(), what = what).into())
    }

    /// Takes what happens; what the world outside must do comes back.
    pub fn apply(&mut self, act: Act) -> Option<Order> {
        match act {
            Act::Begin(machine, cores) => {
                self.found = Found { machine, ..Found::default() };
                (self.wrong, self.shown, self.cores) = (None, 0, cores);
                self.go_on(0)
            }
            Act::Stop => self.under_way.take().map(|_| Order::End),
            Act::Hear(launch, event) if launch == self.launch => self.hear(event),
            Act::Hear(..) => None,
            Act::Open(name, bytes) => {
                match bytes.and_then(|bytes| read(&bytes)) {
                    Ok(found) => (self.other, self.wrong) = (Some((name, found)), None),
                    Err(why) => {
                        self.wrong = Some(t!("bench.unread", name = name, why = why).into());
                    }
                }
                None
            }
            Act::Close => {
                self.other = None;
                None
            }
            Act::Show(number) => {
                self.shown = number;
                None
            }
            Act::Save => Some(Order::Save(self.file())),
        }
    }

    /// It ends before its end, since a run begins that wants the cores.
    pub fn give_way(&mut self) -> Option<Order> {
        let order = self.apply(Act::Stop)?;
        self.wrong = Some(t!("bench.disturbed").into());
        Some(order)
    }

    /// Begins the task with this number; after the last one it is over.
    fn go_on(&mut self, number: usize) -> Option<Order> {
        self.under_way = None;
        self.launch += 1;
        let Some(task) = Task::all().get(number).copied() else { return Some(Order::End) };
        self.under_way = Some(UnderWay { number, ..UnderWay::default() });
        Some(Order::Measure(self.launch, task))
    }

    fn hear(&mut self, event: ClusterEvent) -> Option<Order> {
        let under_way = self.under_way.as_mut()?;
        let number = under_way.number;
        let task = *Task::all().get(number)?;
        let why = match event {
            ClusterEvent::Report { rank, report } => match report {
                Report::Measured { peak_gflops, took_us, profile, .. } => {
                    if self.found.peak_gflops.is_none() {
                        self.found.peak_gflops = peak_gflops;
                    }
                    under_way.heard.insert(rank, (took_us, profile));
                    if under_way.heard.len() < task.ranks() {
                        return None;
                    }
                    let heard = std::mem::take(&mut under_way.heard);
                    self.note(task, heard.into_values().collect());
                    return self.go_on(number + 1);
                }
                Report::SelfTested { round_trips, failed, .. } if failed.is_empty() => {
                    let hop = |(bytes, us): (u64, f64)| Hop::copied(bytes, us / 2.0);
                    self.found.hops = round_trips.into_iter().map(hop).collect();
                    return self.go_on(number + 1);
                }
                Report::SelfTested { failed, .. } => failed.join("; "),
                Report::Failed { message, .. } | Report::Panicked { message } => message,
                _ => return None,
            },
            ClusterEvent::Failure(failure) => told(&failure.message),
            ClusterEvent::Ready { .. } | ClusterEvent::Stopped(..) => return None,
        };
        self.wrong = Some(t!("bench.failed", what = task.title(), why = why).into());
        self.apply(Act::Stop)
    }

    /// Notes what all ranks have said of `task`.
    fn note(&mut self, task: Task, ranks: Vec<(Vec<u64>, Profile)>) {
        let Some((sizes, world_size)) = task.sizes() else { return };
        // A step is over when its slowest rank is.
        let steps = ranks.iter().map(|(took, _)| took.len()).min().unwrap_or_default();
        let slowest = |step: usize| ranks.iter().map(|(took, _)| took[step]).max().unwrap_or(0);
        let quickest = (0..steps).map(slowest).min().unwrap_or_default() as f64 / 1e6;
        let profiles: Vec<Profile> = ranks.iter().map(|(_, profile)| profile.clone()).collect();
        if let Some(mean) = Profile::mean(&profiles) {
            self.found.profiles.push(Profiled { sizes, world_size, mean });
        }
        if let Task::Sharing(_) = task {
            let one = self.found.sharing.first().map_or(quickest, |first| first.wall_seconds);
            let cores = world_size.min(self.cores.max(1)) as f64;
            let efficiency = one / (quickest * cores);
            let (seconds, ratio) = (None, None);
            let wall_seconds = quickest;
            let line = Sharing { world_size, seconds, ratio, wall_seconds, efficiency };
            return self.found.sharing.push(line);
        }
        let gflop = gflop(sizes, world_size);
        let peak = self.found.peak_gflops.unwrap_or(f64::NAN) * world_size as f64;
        let of_peak = gflop / quickest / peak;
        let step = Step { world_size, milliseconds: 1e3 * quickest, of_peak };
        match self.found.shapes.last_mut().filter(|_| world_size > 1) {
            Some(shape) => shape.milliseconds.push(step),
            None => {
                let Sizes { d_model, heads, layers, seq_len } = sizes;
                let milliseconds = vec![step];
                self.found.shapes.push(Shape {
                    d_model,
                    heads,
                    layers,
                    seq_len,
                    gflop,
                    milliseconds,
                });
            }
        }
    }

    /// What was found as a file that this page and `ringside bench --compare` read.
    fn file(&self) -> File {
        #[derive(Serialize)]
        struct Whole<'a> {
            kind: &'a str,
            version: u64,
            #[serde(flatten)]
            found: &'a Found,
        }
        let whole = Whole { kind: KIND, version: VERSION, found: &self.found };
        File {
            name: "ringside-bench.json".to_owned(),
            mime: "application/json",
            bytes: serde_json::to_vec_pretty(&whole).unwrap_or_default(),
        }
    }
}

/// What is in the file of a bench, or why it is none.
fn read(bytes: &[u8]) -> Result<Found, String> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        kind: String,
        #[serde(default)]
        version: u64,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if (head.kind.as_str(), head.version) != (KIND, VERSION) {
        let got = format!("{} {}", head.kind, head.version);
        let want = format!("{KIND} {VERSION}");
        return Err(t!("bench.other_kind", got = got.trim(), want = want).into());
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
