//! A stand-in for a CUDA toolkit: enough of nvcc for candle's build scripts to run through.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// Names a release and writes empty files where nvcc would write kernels.
const NVCC: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
  printf 'A stand-in for nvcc\n\n\nCuda compilation tools, release 13.0, V13.0\n'
  exit
fi
while [ $# -gt 0 ]; do
  case "$1" in
    -o) shift; : > "$1" ;;
    --output-directory) shift; folder=$1 ;;
    --ptx) ptx=1 ;;
    *.cu) source=${1##*/} ;;
  esac
  shift
done
if [ -n "$ptx" ]; then : > "$folder/${source%.cu}.ptx"; fi
"#;

/// Makes the toolkit in `folder` and returns where.
pub fn toolkit(folder: &Path) -> Result<PathBuf> {
    let toolkit = folder.join("toolkit");
    let nvcc = toolkit.join("bin/nvcc");
    // Cargo builds again what looks newer, so an unchanged script keeps its time.
    if fs::read_to_string(&nvcc).is_ok_and(|text| text == NVCC) {
        return Ok(toolkit);
    }
    write(&nvcc).with_context(|| format!("could not write {}", nvcc.display()))?;
    Ok(toolkit)
}

fn write(nvcc: &Path) -> std::io::Result<()> {
    let bin = nvcc.parent().unwrap_or(nvcc);
    fs::create_dir_all(bin)?;
    fs::write(nvcc, NVCC)?;
    #[cfg(unix)]
    fs::set_permissions(nvcc, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::child;
    use std::process::Command;

    #[test]
    fn the_stand_in_names_a_release_and_writes_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let nvcc = toolkit(folder.path()).unwrap().join("bin/nvcc");
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&nvcc);
            command.args(arguments).current_dir(folder.path());
            child::read(command).unwrap()
        };
        assert!(run(&["--version"]).lines().nth(3).unwrap().contains(", release 13.0,"));
        run(&["--ptx", "--output-directory", ".", "src/fill.cu"]);
        run(&["-c", "-o", "moe.o", "src/moe.cu"]);
        assert!(folder.path().join("fill.ptx").is_file() && folder.path().join("moe.o").is_file());
    }
}
