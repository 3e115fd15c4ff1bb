//! What this machine has, as far as runtime detection asks.

use std::path::Path;

use crate::device::cuda;
use plan::runtime::{Build, Gpu, Gpus, Launch, MIB, Place, Probe};

/// Where NVIDIA's driver shows itself and its devices.
const DRIVER: &str = "/proc/driver/nvidia";

/// Looks at this machine; `build` is what the program in question was compiled with.
pub fn this(build: Build) -> Probe {
    Probe {
        place: Place::Native,
        build,
        gpus: cuda::gpus().unwrap_or_else(|| gpus(Path::new(DRIVER))),
        launch: Launch::from_variables(|name| std::env::var(name).ok()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory: memory(),
    }
}

/// The devices by the names that the driver gives; their memory is not to be read there.
fn gpus(driver: &Path) -> Gpus {
    if !driver.join("version").exists() {
        return Gpus::NoDriver;
    }
    let mut folders: Vec<_> = match std::fs::read_dir(driver.join("gpus")) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => return Gpus::Devices(vec![]),
    };
    folders.sort();
    let name = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("information")).unwrap_or_default();
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"));
        model.unwrap_or("NVIDIA GPU").trim().to_owned()
    };
    Gpus::Devices(folders.iter().map(|path| Gpu { name: name(path), memory: 0 }).collect())
}

/// Bytes of memory of this machine, where the system tells.
pub fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * (MIB / 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_from_the_drivers_folder() -> anyhow::Result<()> {
        let driver = tempfile::tempdir()?;
        assert_eq!(gpus(driver.path()), Gpus::NoDriver);
        std::fs::write(driver.path().join("version"), "")?;
        assert_eq!(gpus(driver.path()), Gpus::Devices(vec![]));
        let folder = driver.path().join("gpus/0000:01:00.0");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("information"), "Model: \t\t Tesla T4\nIRQ: 1\n")?;
        let t4 = Gpu { name: "Tesla T4".to_owned(), memory: 0 };
        assert_eq!(gpus(driver.path()), Gpus::Devices(vec![t4]));
        Ok(())
    }
}
