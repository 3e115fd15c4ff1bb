//! Flags of `ringside bench`.

use std::path::PathBuf;

use super::{BackendName, DeviceName, MachineArgs};

const EXAMPLES: &str = "\
Examples:
  ringside bench
  ringside bench --device cuda
  ringside bench --json > here.json
  ringside bench --compare there.json here.json
  ringside bench --profile                             the default run's step on one rank
  ringside bench --profile 128,4,4,1024 --ranks 2      another shape, on two ranks

Every rank is a thread with one kernel thread. It takes about two minutes. On CUDA only the time per
step is measured: the other sections are about the CPU's memory and its kernels.";

/// Flags of `ringside bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// Where tensors live
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu, value_name = "NAME")]
    pub device: DeviceName,
    /// What carries messages between ranks
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub backend: BackendName,
    /// Instead, where the time of one step goes, operation by operation: width, heads, layers and
    /// tokens; the default run's where they are left out
    #[arg(
        long,
        value_name = "D,HEADS,LAYERS,TOKENS",
        num_args = 0..=1,
        default_missing_value = DEFAULT_SHAPE,
        conflicts_with_all = ["device", "backend"]
    )]
    pub profile: Option<ProfileShape>,
    /// Ranks that share the profiled step
    #[arg(long, default_value_t = 1, value_name = "N", requires = "profile")]
    pub ranks: usize,
    /// Instead, what two files of --json say, side by side with their ratio
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with = "profile")]
    pub compare: Option<Vec<PathBuf>>,
    /// Instead, the step that the peers in this folder train, from the same weights: its loss and
    /// gradient norm are held to theirs, then it is timed
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["profile", "compare"])]
    pub equal_work: Option<PathBuf>,
    /// Train one step of this many tokens and print this process's peak of memory
    #[arg(long, hide = true, value_name = "SEQ_LEN")]
    pub peak_of: Option<usize>,
}

/// Sizes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileShape {
    /// Width.
    pub d_model: usize,
    /// Query heads.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Tokens of the sequence.
    pub seq_len: usize,
}

/// The default run's, which a test holds it to.
const DEFAULT_SHAPE: &str = "64,4,2,256";

impl BenchArgs {
    /// Where it runs.
    pub fn machine(&self) -> MachineArgs {
        MachineArgs { device: Some(self.device), backend: Some(self.backend), force_cpu: false }
    }
}

impl std::str::FromStr for ProfileShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<usize>, _> = text.split(',').map(|n| n.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[d_model, heads, layers, seq_len]) => Ok(Self { d_model, heads, layers, seq_len }),
            _ => Err("expected width, heads, layers and tokens, as in 128,4,4,1024".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::RunConfig;

    #[test]
    fn a_shape_is_four_numbers() {
        let shape = ProfileShape { d_model: 128, heads: 4, layers: 3, seq_len: 1024 };
        assert_eq!("128,4, 3,1024".parse(), Ok(shape));
        for wrong in ["", "128", "128,4,4", "128,4,4,x", "1,2,3,4,5"] {
            assert!(wrong.parse::<ProfileShape>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_shape_without_numbers_is_the_default_runs() {
        let RunConfig { d_model, heads, layers, seq_len, .. } = RunConfig::default();
        assert_eq!(DEFAULT_SHAPE.parse(), Ok(ProfileShape { d_model, heads, layers, seq_len }));
    }
}
