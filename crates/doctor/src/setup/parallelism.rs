//! The sizes of the mesh's axes, and whether anyone acts on them.

/// The sizes that are asked for, 1 where none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Replicas.
    pub dp_replicate: u64,
    /// Shards of the parameters.
    pub dp_shard: u64,
    /// Context parallelism.
    pub cp: u64,
    /// Sequence parallelism (DeepSpeed's Ulysses).
    pub sp: u64,
    /// Tensor parallelism.
    pub tp: u64,
}

impl Sizes {
    /// Everything 1.
    pub const ONES: Self = Self { dp_replicate: 1, dp_shard: 1, cp: 1, sp: 1, tp: 1 };

    /// The size along an axis.
    pub fn get(&self, axis: Axis) -> u64 {
        match axis {
            Axis::DpReplicate => self.dp_replicate,
            Axis::DpShard => self.dp_shard,
            Axis::Cp => self.cp,
            Axis::Sp => self.sp,
            Axis::Tp => self.tp,
        }
    }

    /// Sets the size along an axis.
    pub fn set(&mut self, axis: Axis, size: u64) {
        match axis {
            Axis::DpReplicate => self.dp_replicate = size,
            Axis::DpShard => self.dp_shard = size,
            Axis::Cp => self.cp = size,
            Axis::Sp => self.sp = size,
            Axis::Tp => self.tp = size,
        }
    }

    /// The product; it stays at the largest number rather than wrap.
    pub fn product(&self) -> u64 {
        Axis::ALL.iter().fold(1, |product, &axis| product.saturating_mul(self.get(axis)))
    }
}

/// An axis of accelerate's mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Replicas.
    DpReplicate,
    /// Shards of the parameters.
    DpShard,
    /// Context parallelism.
    Cp,
    /// Sequence parallelism.
    Sp,
    /// Tensor parallelism.
    Tp,
}

impl Axis {
    /// The axes in the mesh's order; the last varies fastest.
    pub const ALL: [Self; 5] = [Self::DpReplicate, Self::DpShard, Self::Cp, Self::Sp, Self::Tp];

    /// The axis as accelerate names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::DpReplicate => "dp_replicate",
            Self::DpShard => "dp_shard",
            Self::Cp => "cp",
            Self::Sp => "sp",
            Self::Tp => "tp",
        }
    }

    /// Its key in the configuration, and its flag without dashes.
    pub fn key(self) -> &'static str {
        match self {
            Self::DpReplicate => "parallelism_config_dp_replicate_size",
            Self::DpShard => "parallelism_config_dp_shard_size",
            Self::Cp => "parallelism_config_cp_size",
            Self::Sp => "parallelism_config_sp_size",
            Self::Tp => "parallelism_config_tp_size",
        }
    }

    /// Its environment variable.
    pub fn variable(self) -> &'static str {
        match self {
            Self::DpReplicate => "PARALLELISM_CONFIG_DP_REPLICATE_SIZE",
            Self::DpShard => "PARALLELISM_CONFIG_DP_SHARD_SIZE",
            Self::Cp => "PARALLELISM_CONFIG_CP_SIZE",
            Self::Sp => "PARALLELISM_CONFIG_SP_SIZE",
            Self::Tp => "PARALLELISM_CONFIG_TP_SIZE",
        }
    }
}

/// Whether anyone acts on the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// Nothing is asked for.
    Unasked,
    /// Sizes are given and nobody listens.
    Ignored(Ignored),
    /// The version of accelerate has no CP.
    Unsupported,
    /// A `ParallelismConfig` is built from the sizes.
    On,
}

/// Why nobody listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// The flags lack `--use_parallelism_config`.
    NoUseFlag,
    /// A flag that names the kind of run keeps the file's section from being switched on.
    KindFlag,
    /// The section says `use_parallelism_config: false`.
    SwitchedOff,
    /// The variables lack `ACCELERATE_USE_PARALLELISM_CONFIG`.
    NoUseVariable,
    /// `notebook_launcher` reads neither file nor flags.
    Notebook,
    /// `torchrun` and `python` read neither.
    OtherStarter,
}
