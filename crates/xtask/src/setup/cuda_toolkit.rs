//! A CUDA toolkit: the machine's own, or one put together from NVIDIA's packages on PyPI.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use super::{Fetch, Tool, cargo_tool::cache, driver_stub};
use crate::{child, toolbox::Toolbox};

/// The release that is fetched. PTX of a newer one needs a newer driver; this one runs from
/// driver 580 on.
const RELEASE: &str = "13.0";

/// What the release is made of, and the NCCL of its time.
const PACKAGES: [&str; 9] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-nvrtc==13.0.88",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cublas==13.1.0.3",
    "nvidia-curand==10.4.0.35",
    "nvidia-nccl-cu13==2.28.9",
];

/// Releases that candle's bindings know.
const KNOWN: ((u32, u32), (u32, u32)) = ((11, 4), (13, 4));

/// Where toolkits are installed by hand.
const USUAL: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];

/// Which toolkit is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The machine's, and where it has none, the one from PyPI.
    Any,
    /// The one from PyPI.
    Packages,
}

/// Finds a toolkit or puts one together, and adds it to the toolbox.
pub fn ensure(toolbox: &mut Toolbox, source: Source, fetch: Fetch) -> Result<Tool> {
    ensure!(
        which::which("c++").is_ok() || which::which("g++").is_ok(),
        "nvcc needs a C++ compiler and there is none on PATH: try `apt-get install g++`"
    );
    let own = match source {
        Source::Any => machine(),
        Source::Packages => None,
    };
    let (folder, installed) = match own {
        Some(folder) => (folder, false),
        None => packaged(fetch)?,
    };
    let release = release(&folder.join("bin/nvcc"))?;
    let (first, last) = KNOWN;
    ensure!(
        (first..=last).contains(&release),
        "{} is CUDA {}.{}, and candle's bindings know {}.{} to {}.{}: fetch CUDA {RELEASE} with \
         --fetch, or set CUDARC_CUDA_VERSION=13040 and build with cargo to try",
        folder.display(),
        release.0,
        release.1,
        first.0,
        first.1,
        last.0,
        last.1,
    );
    toolbox.add_cuda(&folder);
    let name = format!("CUDA {}.{}", release.0, release.1);
    Ok(Tool { name, place: folder.display().to_string(), installed })
}

/// The folder of a toolkit that the machine has.
fn machine() -> Option<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let usual = USUAL.into_iter().map(PathBuf::from);
    let holds_nvcc = |folder: &PathBuf| folder.join("bin/nvcc").is_file();
    named
        .filter(holds_nvcc)
        .chain(which::which("nvcc").ok().and_then(|nvcc| Some(nvcc.parent()?.parent()?.to_owned())))
        .chain(usual.filter(holds_nvcc))
        .next()
}

/// The toolkit from PyPI and whether it had to be fetched.
fn packaged(fetch: Fetch) -> Result<(PathBuf, bool)> {
    let folder = cache()?.join("tools").join(format!("cuda-{RELEASE}"));
    let ready = folder.join("ready");
    let wanted = PACKAGES.join("\n");
    if fs::read_to_string(&ready).is_ok_and(|text| text == wanted) {
        return Ok((folder, false));
    }
    let missing = format!("no CUDA toolkit: neither nvcc on PATH nor CUDA_HOME, nor {USUAL:?}");
    if fetch == Fetch::Forbidden {
        bail!("{missing}, and --offline forbids to fetch CUDA {RELEASE}");
    }
    ensure!(
        cfg!(target_os = "linux"),
        "{missing}; its packages are for Linux alone: install NVIDIA's toolkit and set CUDA_HOME"
    );
    // What an interrupted run has left is not to be trusted.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("could not clear {}", folder.display()))?;
    }
    let site = folder.join("site");
    fetch_packages(&site).context(missing)?;
    lay_out(&site.join("nvidia"), &folder)
        .with_context(|| format!("could not lay out {}", folder.display()))?;
    fs::write(&ready, wanted).with_context(|| format!("could not write {}", ready.display()))?;
    Ok((folder, true))
}

fn fetch_packages(site: &Path) -> Result<()> {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(["-m", "pip"]).args(arguments);
        command
    };
    child::read(python(&["--version"]))
        .context("python3 with pip fetches it: try `apt-get install python3-pip`")?;
    let mut command = python(&["install", "--disable-pip-version-check", "--no-deps"]);
    // Wheels only: they hold the binaries, and a source package of that name would be another's.
    command.args(["--only-binary", ":all:", "--target"]).arg(site).args(PACKAGES);
    child::condensed(&format!("Fetching CUDA {RELEASE} from PyPI (0.9 GB)"), command)
        .context("could not fetch it: check the network, or install NVIDIA's toolkit")
}

/// The folders of a toolkit as compilers and linkers expect them.
fn lay_out(packages: &Path, folder: &Path) -> Result<()> {
    let cuda = packages.join("cu13");
    for name in ["bin", "include", "nvvm"] {
        link(&cuda.join(name), &folder.join(name))?;
    }
    let libraries = folder.join("lib64");
    fs::create_dir_all(&libraries)?;
    for source in [cuda.join("lib"), packages.join("nccl/lib")] {
        let entries =
            fs::read_dir(&source).with_context(|| format!("{} is missing", source.display()))?;
        for entry in entries {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            // The linker looks for libX.so, the program that it linked for libX.so.N.
            for alias in names(name) {
                link(&path, &libraries.join(alias))?;
            }
        }
    }
    driver_stub::build(&cuda.join("include/cuda.h"), &libraries)
}

/// The names under which a library of a package is linked.
fn names(library: &str) -> Vec<String> {
    match library.split_once(".so.") {
        Some((stem, _)) => vec![library.to_owned(), format!("{stem}.so")],
        None if library.ends_with(".a") => vec![library.to_owned()],
        None => Vec::new(),
    }
}

#[cfg(unix)]
fn link(target: &Path, name: &Path) -> Result<()> {
    ensure!(target.exists(), "{} is missing from the packages", target.display());
    Ok(std::os::unix::fs::symlink(target, name)?)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    bail!("the packages are for Linux alone")
}

fn release(nvcc: &Path) -> Result<(u32, u32)> {
    let mut command = Command::new(nvcc);
    command.arg("--version");
    let answer = child::read(command)?;
    parse_release(&answer).with_context(|| format!("{} names no release", nvcc.display()))
}

/// The `13.0` of `Cuda compilation tools, release 13.0, V13.0.88`.
fn parse_release(answer: &str) -> Option<(u32, u32)> {
    let (_, rest) = answer.split_once("release ")?;
    let (major, minor) = rest.split(',').next()?.split_once('.')?;
    Some((major.trim().parse().ok()?, minor.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_is_read() {
        let answer = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.8, V12.8.93\n";
        assert_eq!(parse_release(answer), Some((12, 8)));
        assert_eq!(parse_release("nvcc"), None);
    }

    #[test]
    fn a_library_is_found_by_linker_and_program() {
        assert_eq!(names("libcublas.so.13"), ["libcublas.so.13", "libcublas.so"]);
        assert_eq!(names("libnvrtc-builtins.so.13.0")[1], "libnvrtc-builtins.so");
        assert_eq!(names("libcudadevrt.a"), ["libcudadevrt.a"]);
        assert!(names("cmake").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn what_the_packages_lack_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = lay_out(&folder.path().join("nvidia"), folder.path()).unwrap_err();
        assert!(error.to_string().contains("cu13/bin is missing"), "{error}");
    }
}
