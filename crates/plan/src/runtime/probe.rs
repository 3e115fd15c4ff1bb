//! What a machine has, as found by whoever may look (the command line, the page).

use serde::{Deserialize, Serialize};

use crate::{Message, message};

/// Bytes in a mebibyte.
pub const MIB: u64 = 1 << 20;

/// What a machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Where the program runs.
    pub place: Place,
    /// What was compiled into it.
    pub build: Build,
    /// NVIDIA's driver and its devices.
    pub gpus: Gpus,
    /// Whether a launcher started this process as one of several.
    pub launch: Launch,
    /// Processor cores.
    pub cores: usize,
    /// Main memory in bytes, where it is known.
    pub memory: Option<u64>,
}

/// Where the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// As a program of the operating system.
    Native,
    /// As WebAssembly in a page.
    Browser(Browser),
}

/// What a browser offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Browser {
    /// 128-bit SIMD, which the rank worker's binary is built for.
    pub simd: Support,
    /// Dedicated module workers; a rank is one.
    pub workers: Support,
    /// Cross-origin isolation, which shared memory needs. Nothing here depends on it.
    pub isolation: Support,
}

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// It is there.
    Present,
    /// It is not.
    Absent,
}

impl Support {
    /// `Present` where `there` holds.
    pub fn of(there: bool) -> Self {
        if there { Self::Present } else { Self::Absent }
    }
}

/// What was compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// CUDA kernels.
    pub cuda: Support,
    /// NCCL.
    pub nccl: Support,
    /// MPI.
    pub mpi: Support,
}

impl Build {
    /// Everything, as the presets of machines assume.
    pub const FULL: Self =
        Self { cuda: Support::Present, nccl: Support::Present, mpi: Support::Present };
    /// Nothing beyond the core.
    pub const PLAIN: Self =
        Self { cuda: Support::Absent, nccl: Support::Absent, mpi: Support::Absent };
}

/// NVIDIA's driver and its devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gpus {
    /// No driver.
    NoDriver,
    /// A driver, and the devices that it shows; none where all are hidden or gone.
    Devices(Vec<Gpu>),
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its name as the driver gives it.
    pub name: String,
    /// Its memory in bytes, where the driver told it.
    pub memory: Option<u64>,
}

/// Whether a launcher started this process as one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launch {
    /// It was started by itself.
    Alone,
    /// MPI started it.
    Mpi {
        /// Which MPI.
        launcher: Launcher,
        /// This process's rank.
        rank: usize,
        /// Processes in all.
        size: usize,
        /// Processes on this machine.
        local_size: usize,
    },
}

/// The MPIs whose variables are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launcher {
    /// Open MPI.
    OpenMpi,
    /// MPICH and Intel MPI.
    Mpich,
    /// MVAPICH2.
    Mvapich,
}

impl Launcher {
    /// Every MPI whose variables are known, in the order in which they are looked for.
    pub const ALL: [Self; 3] = [Self::Mpich, Self::OpenMpi, Self::Mvapich];

    /// The variables that hold size, rank and local size.
    pub fn variables(self) -> [&'static str; 3] {
        match self {
            Self::OpenMpi => {
                ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"]
            }
            Self::Mpich => ["PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"],
            Self::Mvapich => {
                ["MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"]
            }
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
            Self::Mvapich => "MVAPICH2",
        }
    }
}

impl Launch {
    /// Reads the launch from environment variables; a size that is no number counts as absent.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name| get(name).and_then(|text| text.trim().parse::<usize>().ok());
        for launcher in Launcher::ALL {
            let [size, rank, local_size] = launcher.variables();
            if let Some(size) = number(size).filter(|&size| size > 0) {
                let rank = number(rank).unwrap_or(0);
                let local_size = number(local_size).unwrap_or(size);
                return Self::Mpi { launcher, rank, size, local_size };
            }
        }
        Self::Alone
    }
}

/// Why a machine has no CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNoCuda {
    /// A page cannot reach a CUDA device.
    Browser,
    /// CUDA is not compiled in, and there is a driver.
    NotCompiled,
    /// CUDA is not compiled in, nor is there a driver.
    Neither,
    /// There is no driver.
    NoDriver,
    /// The driver shows no device.
    NoDevice,
}

impl WhyNoCuda {
    /// The reason in words.
    pub fn reason(self) -> Message {
        match self {
            Self::Browser => message!("a page cannot reach a CUDA device"),
            Self::NotCompiled => message!("this program is built without CUDA"),
            Self::Neither => {
                message!(
                    "this program is built without CUDA, and this machine has no NVIDIA driver"
                )
            }
            Self::NoDriver => message!("there is no NVIDIA driver on this machine"),
            Self::NoDevice => message!("NVIDIA's driver is there but shows no device"),
        }
    }

    /// What would work.
    pub fn works(self) -> Message {
        match self {
            Self::Browser => message!("use device cpu, or run the native program"),
            Self::NotCompiled => message!("build with --features cuda, or use device cpu"),
            Self::Neither => {
                message!(
                    "use device cpu, or a machine with an NVIDIA GPU and its driver, and there build \
                 with --features cuda"
                )
            }
            Self::NoDriver => {
                message!("install the driver or move to a machine with a GPU, or use device cpu")
            }
            Self::NoDevice => {
                message!("check CUDA_VISIBLE_DEVICES and nvidia-smi, or use device cpu")
            }
        }
    }
}

impl Probe {
    /// The GPUs that can be used, or the first reason why there are none.
    pub fn cuda(&self) -> Result<&[Gpu], WhyNoCuda> {
        if matches!(self.place, Place::Browser(_)) {
            return Err(WhyNoCuda::Browser);
        }
        if self.build.cuda == Support::Absent {
            return Err(match self.gpus {
                Gpus::NoDriver => WhyNoCuda::Neither,
                Gpus::Devices(_) => WhyNoCuda::NotCompiled,
            });
        }
        match &self.gpus {
            Gpus::NoDriver => Err(WhyNoCuda::NoDriver),
            Gpus::Devices(devices) if devices.is_empty() => Err(WhyNoCuda::NoDevice),
            Gpus::Devices(devices) => Ok(devices),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Launch {
        Launch::from_variables(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_launch_is_read_from_each_mpi() {
        assert_eq!(launch(&[("HOME", "/root")]), Launch::Alone);
        assert_eq!(launch(&[("PMI_SIZE", "many")]), Launch::Alone);
        for launcher in Launcher::ALL {
            let [size, rank, local] = launcher.variables();
            assert_eq!(
                launch(&[(size, "16"), (rank, "9"), (local, "8")]),
                Launch::Mpi { launcher, rank: 9, size: 16, local_size: 8 }
            );
            assert_eq!(
                launch(&[(size, "2")]),
                Launch::Mpi { launcher, rank: 0, size: 2, local_size: 2 }
            );
        }
    }
}
