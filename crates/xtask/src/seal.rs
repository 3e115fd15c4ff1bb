//! `cargo xtask seal`: writes into a built page which files it is made of, with their digests.
//!
//! The page and its service worker then know the build by one name. A page without it works, but
//! is not kept for use without a network.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

use crate::site;

/// Flags of `cargo xtask seal`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder that holds the built page [default: dist at the root]
    #[arg(value_name = "DIR")]
    dist: Option<PathBuf>,
}

const PAGE: &str = "index.html";
const SERVICE_WORKER: &str = "service_worker.js";
/// The page asks for these with the name of its build, since their own names stay the same.
const ASKED_BY_SITE: [&str; 10] = [
    "worker_loader.js",
    "worker.js",
    "worker_bg.wasm",
    "doctor.js",
    "doctor_bg.wasm",
    "bench.js",
    "bench_bg.wasm",
    "lessons/en/index.bin",
    "lessons/zh-CN/index.bin",
    "zh-CN.json",
];

/// Where the build's name and its files are written: what stands before and after them.
const SITE_OF_PAGE: [&str; 2] = ["<meta name=\"site\" content=\"", "\""];
const SITE_OF_WORKER: [&str; 2] = ["\nconst SITE = \"", "\";\n"];
const FILES_OF_WORKER: [&str; 2] = ["\nconst FILES = {", "};\n"];

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let dist = args.dist.clone().unwrap_or_else(site::default_dist);
    let site = seal(&dist)?;
    println!("The page in {} is build {site}", dist.display());
    Ok(())
}

/// Seals the page in `dist`, again if it was sealed before; the build's name comes back.
pub fn seal(dist: &Path) -> Result<String> {
    let (page, worker) = (read(dist, PAGE)?, read(dist, SERVICE_WORKER)?);
    // A name cannot be part of what it is made of.
    let page = filled(&page, SITE_OF_PAGE, "").context(PAGE)?;
    let worker = filled(&worker, SITE_OF_WORKER, "").context(SERVICE_WORKER)?;
    let worker = filled(&worker, FILES_OF_WORKER, "").context(SERVICE_WORKER)?;
    let others = others(dist)?;
    let mut files = Vec::new();
    for name in &others {
        let bytes = fs::read(dist.join(name)).with_context(|| format!("could not read {name}"))?;
        files.push((name.as_str(), digest(&bytes)));
    }
    let site = name_of(&files, &[&page, &worker]);
    let page = filled(&page, SITE_OF_PAGE, &site)?;
    // The page is asked for by its folder: hosts may redirect from index.html to there.
    files.push(("./", digest(page.as_bytes())));
    files.sort();
    let list: String =
        files.iter().map(|(file, digest)| format!("\n  \"{file}\": \"{digest}\",")).collect();
    let worker = filled(&worker, SITE_OF_WORKER, &site)?;
    let worker = filled(&worker, FILES_OF_WORKER, &format!("{list}\n"))?;
    write(dist, PAGE, &page)?;
    write(dist, SERVICE_WORKER, &worker)?;
    Ok(site)
}

/// Paths of all other files, in order. Each must be told from that of another build.
fn others(dist: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    collect(dist, "", &mut files)?;
    files.retain(|file| file != PAGE && file != SERVICE_WORKER);
    files.sort();
    for file in &files {
        ensure!(
            ASKED_BY_SITE.contains(&file.as_str()) || has_hash(file),
            "{file} has the same name in every build, so a page could be given that of another: \
             let Trunk put a hash into its name, or name it in crates/xtask/src/seal.rs and ask \
             for it with ?site="
        );
    }
    Ok(files)
}

fn collect(dist: &Path, below: &str, files: &mut Vec<String>) -> Result<()> {
    let folder = dist.join(below);
    let advice = || format!("could not read {}", folder.display());
    for entry in fs::read_dir(&folder).with_context(advice)? {
        let entry = entry.with_context(advice)?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { bail!("{}: not in UTF-8", entry.path().display()) };
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if entry.path().is_dir() {
            collect(dist, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether Trunk has put a hash into the name: `app-0123456789abcdef_bg.wasm`.
fn has_hash(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split(['-', '_', '.'])
        .skip(1)
        .any(|part| part.len() >= 12 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What browsers call integrity.
fn digest(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(bytes)))
}

/// The build's name: any change of any file gives another.
fn name_of(files: &[(&str, String)], texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in files.iter().flat_map(|(file, digest)| [*file, digest]).chain(texts.iter().copied())
    {
        // Its length keeps a part from running into the next.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// `text` with `value` between the two ends, which it must hold once.
fn filled(text: &str, [before, after]: [&str; 2], value: &str) -> Result<String> {
    let (head, rest) = text.split_once(before).with_context(|| format!("lacks {before:?}"))?;
    let (_, tail) = rest.split_once(after).with_context(|| format!("lacks {after:?}"))?;
    Ok([head, before, value, after, tail].concat())
}

fn read(dist: &Path, name: &str) -> Result<String> {
    fs::read_to_string(dist.join(name))
        .with_context(|| format!("{name} in {}: run `cargo xtask build` first", dist.display()))
}

fn write(dist: &Path, name: &str, text: &str) -> Result<()> {
    fs::write(dist.join(name), text).with_context(|| format!("could not write {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: &str = include_str!("../../../web/service_worker.js");
    const HTML: &str = include_str!("../../../web/index.html");

    fn built() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (PAGE, HTML),
            (SERVICE_WORKER, WORKER),
            ("worker.js", "one"),
            ("app-92f0bf5fb5e9246_bg.wasm", "two"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn page_and_service_worker_know_the_build_by_one_name() {
        let folder = built();
        let site = seal(folder.path()).unwrap();
        let page = read(folder.path(), PAGE).unwrap();
        let worker = read(folder.path(), SERVICE_WORKER).unwrap();
        assert!(page.contains(&format!("<meta name=\"site\" content=\"{site}\"")), "{page}");
        assert!(worker.contains(&format!("const SITE = \"{site}\";")), "{worker}");
        for (file, text) in [("./", page.as_str()), ("worker.js", "one")] {
            let line = format!("\n  \"{file}\": \"{}\",", digest(text.as_bytes()));
            assert!(worker.contains(&line), "{line} in {worker}");
        }
    }

    #[test]
    fn the_name_follows_from_the_files_alone() {
        let folder = built();
        let first = seal(folder.path()).unwrap();
        assert_eq!(seal(folder.path()).unwrap(), first);
        for name in ["worker.js", PAGE, SERVICE_WORKER] {
            let before = seal(folder.path()).unwrap();
            let text = read(folder.path(), name).unwrap();
            fs::write(folder.path().join(name), text + "\n").unwrap();
            assert_ne!(seal(folder.path()).unwrap(), before, "{name}");
        }
    }

    #[test]
    fn a_name_that_no_build_changes_is_refused() {
        let folder = built();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/data.json"), "{}").unwrap();
        let error = seal(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("sub/data.json has the same name"), "{error}");
    }

    #[test]
    fn a_digest_is_what_browsers_compute() {
        let empty = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(digest(b""), empty);
    }
}
