//! Machines to try without having them.

use super::probe::{Build, Gpu, Gpus, Launch, Launcher, MIB, Place, Probe, Support};
use crate::{Message, message};

const GIB: u64 = 1024 * MIB;

/// A machine to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Colab without an accelerator.
    ColabCpu,
    /// Colab with one T4.
    ColabT4,
    /// A laptop without an NVIDIA GPU.
    Laptop,
    /// A Mac.
    Mac,
    /// One node of eight H100.
    H100Node,
    /// Two such nodes, started by MPI.
    H100TwoNodes,
    /// The machine that the program runs on.
    This,
}

impl Preset {
    /// Every preset, in the order in which they are offered.
    pub const ALL: [Self; 7] = [
        Self::ColabCpu,
        Self::ColabT4,
        Self::Laptop,
        Self::Mac,
        Self::H100Node,
        Self::H100TwoNodes,
        Self::This,
    ];

    /// Its name on the command line and in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::ColabCpu => "colab-cpu",
            Self::ColabT4 => "colab-t4",
            Self::Laptop => "laptop",
            Self::Mac => "mac",
            Self::H100Node => "h100-node",
            Self::H100TwoNodes => "h100-two-nodes",
            Self::This => "this",
        }
    }

    /// What it stands for, in words.
    pub fn title(self) -> Message {
        match self {
            Self::ColabCpu => message!("Colab without a GPU"),
            Self::ColabT4 => message!("Colab with one T4"),
            Self::Laptop => message!("a laptop without an NVIDIA GPU"),
            Self::Mac => message!("a Mac"),
            Self::H100Node => message!("one node of 8 H100"),
            Self::H100TwoNodes => message!("two nodes of 8 H100 under MPI"),
            Self::This => message!("this machine"),
        }
    }

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// What the machine has; `this` is what was found here.
    pub fn probe(self, this: &Probe) -> Probe {
        match self {
            Self::ColabCpu => native(2, 13, Build::FULL, Gpus::NoDriver),
            Self::ColabT4 => native(2, 13, Build::FULL, gpus(1, "Tesla T4", 15)),
            Self::Laptop => native(8, 16, Build::FULL, Gpus::NoDriver),
            // CUDA has no macOS, so nothing can be built with it there.
            Self::Mac => {
                native(10, 16, Build { mpi: Support::Present, ..Build::PLAIN }, Gpus::NoDriver)
            }
            Self::H100Node => native(192, 2048, Build::FULL, gpus(8, "NVIDIA H100", 80)),
            Self::H100TwoNodes => Probe {
                launch: Launch::Mpi {
                    launcher: Launcher::OpenMpi,
                    rank: 0,
                    size: 16,
                    local_size: 8,
                },
                ..native(192, 2048, Build::FULL, gpus(8, "NVIDIA H100", 80))
            },
            Self::This => this.clone(),
        }
    }
}

fn native(cores: usize, gib: u64, build: Build, gpus: Gpus) -> Probe {
    Probe {
        place: Place::Native,
        build,
        gpus,
        launch: Launch::Alone,
        cores,
        memory: Some(gib * GIB),
    }
}

fn gpus(count: usize, name: &str, gib: u64) -> Gpus {
    Gpus::Devices(vec![Gpu { name: name.to_owned(), memory: Some(gib * GIB) }; count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
        assert_eq!(Preset::named("cray"), None);
    }
}
