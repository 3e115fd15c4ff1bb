//! The bench as a value: what is being timed, what was found so far, and another machine's file.

use std::collections::BTreeMap;

use plan::bench::{
    Bench as Found, File as Saved, Heard, Hop, KIND, REPLICAS, Sizes, Task, VERSION,
};
use plan::command::Report;
use serde::Deserialize;

use crate::app::language::told;
use crate::app::share::File;
use crate::cluster::ClusterEvent;
use crate::t;

/// The longest file of another machine that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// One thing to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Steps.
    Steps(Task),
    /// Messages between two ranks.
    Hops,
}

/// What is entered and found.
#[derive(Debug, Default, PartialEq)]
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

/// The job under way, by its number, and what its ranks have said.
#[derive(Debug, Default, PartialEq)]
struct UnderWay {
    number: usize,
    heard: BTreeMap<u16, Heard>,
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
    Measure(u32, Job),
    /// End the workers.
    End,
    /// Give the user a file.
    Save(File),
}

impl Job {
    /// All of them, in their order.
    pub fn all() -> Vec<Self> {
        Task::all().into_iter().map(Self::Steps).chain([Self::Hops]).collect()
    }

    /// Ranks that take part.
    pub fn ranks(self) -> usize {
        match self {
            Self::Steps(task) => task.sizes().1,
            Self::Hops => 2,
        }
    }

    fn title(self) -> String {
        match self {
            Self::Steps(Task::Replicas(sizes)) => {
                t!("bench.of_replicas", sizes = named(sizes), replicas = REPLICAS).into()
            }
            Self::Steps(task) => {
                let (sizes, ranks) = task.sizes();
                t!("bench.of", sizes = named(sizes), ranks = ranks).into()
            }
            Self::Hops => t!("bench.messages").into(),
        }
    }
}

/// Width, heads, layers and tokens in a row.
pub fn named(Sizes { d_model, heads, layers, seq_len }: Sizes) -> String {
    format!("{d_model}, {heads}, {layers}, {seq_len}")
}

impl Bench {
    /// What an earlier visit found on this machine, if `kept` holds it.
    pub fn of(kept: Option<String>) -> Self {
        let found = kept.and_then(|text| read(text.as_bytes()).ok()).unwrap_or_default();
        Self { found, ..Self::default() }
    }

    /// Whether something is being timed.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// What is being timed, in words, with its place among all.
    pub fn words(&self) -> Option<String> {
        let number = self.under_way.as_ref()?.number;
        let all = Job::all();
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

    /// Begins the job with this number; after the last one it is over.
    fn go_on(&mut self, number: usize) -> Option<Order> {
        self.under_way = None;
        self.launch += 1;
        let Some(job) = Job::all().get(number).copied() else { return Some(Order::End) };
        self.under_way = Some(UnderWay { number, ..UnderWay::default() });
        Some(Order::Measure(self.launch, job))
    }

    fn hear(&mut self, event: ClusterEvent) -> Option<Order> {
        let under_way = self.under_way.as_mut()?;
        let number = under_way.number;
        let job = *Job::all().get(number)?;
        let why = match (event, job) {
            (ClusterEvent::Report { rank, report }, job) => match (report, job) {
                (Report::Measured { peak_gflops, took_us, profile, .. }, Job::Steps(task)) => {
                    self.found.peak_gflops = self.found.peak_gflops.or(peak_gflops);
                    under_way.heard.insert(rank, (took_us, profile));
                    if under_way.heard.len() < job.ranks() {
                        return None;
                    }
                    let heard = std::mem::take(&mut under_way.heard);
                    self.found.note(task, self.cores, heard.into_values().collect());
                    return self.go_on(number + 1);
                }
                (Report::SelfTested { round_trips, failed, .. }, _) if failed.is_empty() => {
                    let hop = |(bytes, us): (u64, f64)| Hop::copied(bytes, us / 2.0);
                    self.found.hops = round_trips.into_iter().map(hop).collect();
                    return self.go_on(number + 1);
                }
                (Report::SelfTested { failed, .. }, _) => failed.join("; "),
                (Report::Failed { message, .. } | Report::Panicked { message }, _) => message,
                _ => return None,
            },
            (ClusterEvent::Failure(failure), _) => told(&failure.message),
            (ClusterEvent::Ready { .. } | ClusterEvent::Stopped(..), _) => return None,
        };
        self.wrong = Some(t!("bench.failed", what = job.title(), why = why).into());
        self.apply(Act::Stop)
    }

    /// What was found as a file that this page and `ringside bench --compare` read.
    pub fn file(&self) -> File {
        File {
            name: "ringside-bench.json".to_owned(),
            mime: "application/json",
            bytes: serde_json::to_vec_pretty(&Saved::new(KIND, &self.found)).unwrap_or_default(),
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
