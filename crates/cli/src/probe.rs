//! What this machine has, as far as runtime detection asks.

mod gpus;

use plan::runtime::{Build, Launch, MIB, Place, Probe};

/// Looks at this machine; `build` is what the program in question was compiled with.
pub fn this(build: Build) -> Probe {
    Probe {
        place: Place::Native,
        build,
        gpus: gpus::find(),
        launch: Launch::from_variables(|name| std::env::var(name).ok()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory: memory(),
    }
}

/// Bytes of memory of this machine, where the system tells.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * (MIB / 1024))
}
