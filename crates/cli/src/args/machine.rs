//! The flags that say where a run runs.

use clap::{Args, ValueEnum};
use plan::runtime::{BackendChoice, DeviceChoice};

/// Flags that say where a run runs.
#[derive(Clone, Debug, Default, Args)]
pub struct MachineArgs {
    /// Where tensors live [default: auto]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Machine")]
    pub device: Option<DeviceName>,
    /// What carries messages between ranks [default: auto]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Machine")]
    pub backend: Option<BackendName>,
    /// Stay on the CPU whatever else is asked and whatever the machine has
    #[arg(long, help_heading = "Machine")]
    pub force_cpu: bool,
}

/// A device as typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    /// The best that this program and machine have
    #[default]
    Auto,
    /// The CPU
    Cpu,
    /// NVIDIA GPUs
    Cuda,
}

/// A backend as typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// The one that suits the device
    #[default]
    Auto,
    /// Ranks are threads of this process
    Threads,
    /// Ranks are processes that mpirun started
    Mpi,
    /// Ranks are GPUs that talk over NCCL
    Nccl,
}

impl MachineArgs {
    /// These flags, and those of `base` where these are left out.
    pub fn over(self, base: Self) -> Self {
        Self {
            device: self.device.or(base.device),
            backend: self.backend.or(base.backend),
            force_cpu: self.force_cpu || base.force_cpu,
        }
    }
}

impl From<DeviceName> for DeviceChoice {
    fn from(name: DeviceName) -> Self {
        match name {
            DeviceName::Auto => Self::Auto,
            DeviceName::Cpu => Self::Cpu,
            DeviceName::Cuda => Self::Cuda,
        }
    }
}

impl From<BackendName> for BackendChoice {
    fn from(name: BackendName) -> Self {
        match name {
            BackendName::Auto => Self::Auto,
            BackendName::Threads => Self::Threads,
            BackendName::Mpi => Self::Mpi,
            BackendName::Nccl => Self::Nccl,
        }
    }
}
