//! A library in the place of NVIDIA's driver, for the linker alone.
//!
//! Programs that use CUDA are linked with the driver's library, which comes with the driver and
//! not with the toolkit's packages. This one has its name and its functions, and is never run: on
//! a machine with a GPU the system's loader takes the driver's own.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::child;

/// What each function returns, should one ever be called: CUDA_ERROR_STUB_LIBRARY.
const ANSWER: u32 = 34;

/// Builds `libcuda.so` in `folder` with the functions that `header` declares.
pub fn build(header: &Path, folder: &Path) -> Result<()> {
    let text = fs::read_to_string(header)
        .with_context(|| format!("could not read {}", header.display()))?;
    let functions = functions(&text);
    ensure!(functions.contains("cuInit"), "{} declares no cuInit", header.display());
    let source = folder.join("libcuda.c");
    fs::write(&source, stub(&functions))
        .with_context(|| format!("could not write {}", source.display()))?;
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"]);
    command.arg(folder.join("libcuda.so")).arg(&source);
    child::read(command).context("could not compile a stand-in for the driver's library")?;
    Ok(())
}

/// Names like cuMemAlloc_v2; types begin with CU, and the integers' names go on in small letters.
fn functions(header: &str) -> BTreeSet<&str> {
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_function = |word: &&str| {
        word.strip_prefix("cu")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    words.filter(is_function).collect()
}

fn stub(functions: &BTreeSet<&str>) -> String {
    functions.iter().map(|name| format!("int {name}(void) {{ return {ANSWER}; }}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_types() {
        let header = "#define cuMemAlloc cuMemAlloc_v2\ntypedef cuuint64_t x; CUresult CUDAAPI cuInit(unsigned);";
        let found: Vec<_> = functions(header).into_iter().collect();
        assert_eq!(found, ["cuInit", "cuMemAlloc", "cuMemAlloc_v2"]);
        assert!(stub(&functions(header)).contains("int cuInit(void) { return 34; }"));
    }
}
