//! What a bench measures and what it found: one form of JSON for the native command and the page,
//! so that any two machines can be set side by side.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;
use crate::{Layout, RunConfig};

/// What a file of a bench calls itself.
pub const KIND: &str = "bench";
/// Of its form; a field that changes its meaning or name makes another.
pub const VERSION: u64 = 1;

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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub profiles: Vec<Profiled>,
}

impl Bench {
    /// The quickest step of `sizes` on `world_size` ranks.
    pub fn step(&self, sizes: Sizes, world_size: usize) -> Option<&Step> {
        let is_it = |shape: &&Shape| {
            let Shape { d_model, heads, layers, seq_len, .. } = **shape;
            sizes == Sizes { d_model, heads, layers, seq_len }
        };
        let shape = self.shapes.iter().find(is_it)?;
        shape.milliseconds.iter().find(|step| step.world_size == world_size)
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
        let shape = Shape { d_model, heads, layers, seq_len, gflop: 1.0, milliseconds };
        let bench = Bench { shapes: vec![shape], ..Bench::default() };
        assert_eq!(bench.step(SHAPES[1], 2), Some(&step));
        assert_eq!((bench.step(SHAPES[1], 1), bench.step(SHAPES[0], 2)), (None, None));
        assert_eq!(SHAPES[1].run(2, 9).cp, 2);
    }
}
