//! NVIDIA's GPUs: found where the driver shows itself, described by the driver's own tool.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plan::runtime::{Gpu, Gpus, MIB};

/// Where NVIDIA's driver shows itself and its devices.
const DRIVER: &str = "/proc/driver/nvidia";
/// The driver's tool, and what is asked of it: a line for each GPU.
const TOOL: &str = "nvidia-smi";
const QUERY: [&str; 2] = ["--query-gpu=uuid,name,memory.total", "--format=csv,noheader,nounits"];
/// A tool that takes longer is stuck with a driver that is; what is known without it stands.
const PATIENCE: Duration = Duration::from_secs(10);
/// Says which of the GPUs a program may use.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// The GPUs that a program started like this one may use.
pub fn find() -> Gpus {
    let visible = std::env::var(VISIBLE).ok();
    in_driver(Path::new(DRIVER), visible.as_deref(), || output(Command::new(TOOL).args(QUERY)))
}

/// A GPU as the driver counts it.
struct Found {
    uuid: String,
    gpu: Gpu,
}

fn in_driver(driver: &Path, visible: Option<&str>, ask: impl FnOnce() -> Option<String>) -> Gpus {
    if !driver.join("version").exists() {
        return Gpus::NoDriver;
    }
    let told = ask().as_deref().and_then(parse);
    let found = told.unwrap_or_else(|| folders(&driver.join("gpus")));
    Gpus::Devices(match visible {
        Some(list) => choose(&found, list),
        None => found.into_iter().map(|found| found.gpu).collect(),
    })
}

/// The tool's lines; `None` where one is not as asked, for then none is to be trusted.
fn parse(text: &str) -> Option<Vec<Found>> {
    let line = |line: &str| {
        let (uuid, rest) = line.split_once(',')?;
        let (name, memory) = rest.rsplit_once(',')?;
        // Some devices share the machine's memory, and the tool says so in words.
        let memory = memory.trim().parse::<u64>().ok().map(|mib| mib * MIB);
        let gpu = Gpu { name: name.trim().to_owned(), memory };
        uuid.trim().starts_with("GPU-").then(|| Found { uuid: uuid.trim().to_owned(), gpu })
    };
    text.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// The devices by the names in the driver's folder, which does not tell their memory.
fn folders(gpus: &Path) -> Vec<Found> {
    let Ok(entries) = std::fs::read_dir(gpus) else { return Vec::new() };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let found = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("information")).unwrap_or_default();
        let entry = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
            value.map(str::to_owned)
        };
        Found {
            uuid: entry("GPU UUID:").unwrap_or_default(),
            gpu: Gpu { name: entry("Model:").unwrap_or("NVIDIA GPU".to_owned()), memory: None },
        }
    };
    folders.iter().map(|folder| found(folder)).collect()
}

/// Those that `list` names by number or by the beginning of their UUID; as CUDA has it, nothing
/// counts from the first entry on that names none.
fn choose(found: &[Found], list: &str) -> Vec<Gpu> {
    let named = |entry: &str| match entry.parse::<usize>() {
        Ok(index) => found.get(index),
        Err(_) if entry.is_empty() => None,
        Err(_) => found.iter().find(|found| found.uuid.starts_with(entry)),
    };
    let chosen = list.split(',').map_while(|entry| named(entry.trim()));
    chosen.map(|found| found.gpu.clone()).collect()
}

/// What a command prints, unless it fails or takes too long.
fn output(command: &mut Command) -> Option<String> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = quiet.spawn().ok()?;
    let end = Instant::now() + PATIENCE;
    // A line for each of a few GPUs fits into the pipe, so the child can end unread.
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            None => {
                child.kill().ok()?;
                child.wait().ok()?;
                return None;
            }
        }
    };
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "GPU-1a2b, NVIDIA H100 80GB HBM3, 81559\nGPU-1c3d, NVIDIA GB10, [N/A]\n";

    fn names(gpus: &Gpus) -> Vec<&str> {
        match gpus {
            Gpus::NoDriver => vec!["no driver"],
            Gpus::Devices(devices) => devices.iter().map(|gpu| gpu.name.as_str()).collect(),
        }
    }

    fn driver() -> anyhow::Result<tempfile::TempDir> {
        let driver = tempfile::tempdir()?;
        std::fs::write(driver.path().join("version"), "")?;
        Ok(driver)
    }

    #[test]
    fn without_its_tool_devices_are_read_from_the_drivers_folder() -> anyhow::Result<()> {
        let empty = tempfile::tempdir()?;
        assert_eq!(in_driver(empty.path(), None, || panic!("no driver")), Gpus::NoDriver);
        let driver = driver()?;
        assert_eq!(in_driver(driver.path(), None, || None), Gpus::Devices(vec![]));
        let folder = driver.path().join("gpus/0000:01:00.0");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("information"), "Model: \t\t Tesla T4\nGPU UUID: \t GPU-9\n")?;
        let t4 = Gpus::Devices(vec![Gpu { name: "Tesla T4".to_owned(), memory: None }]);
        assert_eq!(in_driver(driver.path(), None, || None), t4);
        assert_eq!(in_driver(driver.path(), Some("GPU-9"), || Some("garbage".to_owned())), t4);
        Ok(())
    }

    #[test]
    fn the_tool_tells_names_and_memory() -> anyhow::Result<()> {
        let Gpus::Devices(devices) = in_driver(driver()?.path(), None, || Some(TWO.to_owned()))
        else {
            anyhow::bail!("there is a driver");
        };
        assert_eq!(devices[0].name, "NVIDIA H100 80GB HBM3");
        assert_eq!([devices[0].memory, devices[1].memory], [Some(81_559 * MIB), None]);
        Ok(())
    }

    #[test]
    fn hidden_devices_are_not_there() -> anyhow::Result<()> {
        let driver = driver()?;
        let check = |list: &str, expect: &[&str]| {
            let gpus = in_driver(driver.path(), Some(list), || Some(TWO.to_owned()));
            assert_eq!(names(&gpus), expect, "`{list}`");
        };
        check("", &[]);
        check("-1", &[]);
        check("1", &["NVIDIA GB10"]);
        check("1, 0", &["NVIDIA GB10", "NVIDIA H100 80GB HBM3"]);
        check("0,7,1", &["NVIDIA H100 80GB HBM3"]);
        check("GPU-1c", &["NVIDIA GB10"]);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_that_fails_or_is_not_there_tells_nothing() {
        let shell = |line: &str| output(Command::new("sh").args(["-c", line]));
        assert_eq!(shell("echo GPU-1").as_deref(), Some("GPU-1\n"));
        assert_eq!(shell("echo GPU-1; exit 9"), None);
        assert_eq!(output(&mut Command::new("no-such-tool-of-any-driver")), None);
    }
}
