//! Other builds of the page, as a later deploy would bring them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use super::page::Page;
use super::site::dist;

/// The built page as if its sources were others: each of its files is another, named as Trunk
/// would name it, and page and workers know each other by another build id.
pub async fn another(page: &Page) -> Result<TempDir> {
    let build = build_id(page).await?;
    let from = dist()?;
    let names = files(&from, "")?;
    let mut marks: Vec<&str> = names.iter().filter_map(|name| hash_of(name)).collect();
    ensure!(marks.len() >= 4, "page, binary, style and icon have hashes: {marks:?}");
    marks.push(&build);
    let to = tempfile::tempdir()?;
    for name in &names {
        let mut bytes = fs::read(from.join(name))?;
        marks.iter().for_each(|mark| replace(&mut bytes, mark));
        if name == "index.html" {
            bytes = without_digests(&String::from_utf8(bytes)?).into_bytes();
        }
        let mut name = name.clone().into_bytes();
        marks.iter().for_each(|mark| replace(&mut name, mark));
        write(to.path(), &String::from_utf8(name)?, &bytes)?;
    }
    seal(to.path())?;
    Ok(to)
}

/// The same files with one changed that keeps its name.
pub fn with_one_file_changed() -> Result<TempDir> {
    let to = copy(&dist()?)?;
    let file = to.path().join("worker_loader.js");
    let text = fs::read_to_string(&file)? + "// Changed.\n";
    fs::write(file, text)?;
    seal(to.path())?;
    Ok(to)
}

/// `new` while it is being copied over the built page: its service worker is there, and a file of
/// the workers is not.
pub fn half_way_to(new: &Path) -> Result<TempDir> {
    let to = copy(new)?;
    fs::copy(dist()?.join("worker_bg.wasm"), to.path().join("worker_bg.wasm"))?;
    Ok(to)
}

fn copy(from: &Path) -> Result<TempDir> {
    let to = tempfile::tempdir()?;
    for name in files(from, "")? {
        write(to.path(), &name, &fs::read(from.join(&name))?)?;
    }
    Ok(to)
}

/// Every file below `folder` by its path there; the folders between are named by `below`.
fn files(folder: &Path, below: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a name in UTF-8")?;
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        match entry.file_type()?.is_dir() {
            true => names.extend(files(folder, &path)?),
            false => names.push(path),
        }
    }
    Ok(names)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(fs::write(path, bytes)?)
}

fn seal(dist: &Path) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["xtask", "seal"]).arg(dist).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// The build id that the page asks its workers by.
async fn build_id(page: &Page) -> Result<String> {
    let script = "return performance.getEntriesByType('resource').map(entry => entry.name)
         .filter(name => name.includes('worker_loader.js'))
         .map(name => new URL(name).searchParams.get('build'))[0] ?? null;";
    let id = page.script(script, json!([])).await?;
    Ok(id.as_str().context("the page has asked for a worker")?.to_owned())
}

/// The hash in a name like `app-0123456789abcdef_bg.wasm`.
fn hash_of(name: &str) -> Option<&str> {
    let hash = name.split_once('-')?.1.split(['_', '.']).next()?;
    (hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

/// Puts another mark of the same length in place of `mark`.
fn replace(bytes: &mut [u8], mark: &str) {
    let other: Vec<u8> = mark.bytes().map(|byte| if byte == b'0' { b'1' } else { b'0' }).collect();
    let length = mark.len();
    let places: Vec<usize> = bytes
        .windows(length)
        .enumerate()
        .filter_map(|(at, window)| (window == mark.as_bytes()).then_some(at))
        .collect();
    for at in places {
        bytes[at..at + length].copy_from_slice(&other);
    }
}

/// Digests that Trunk wrote would not fit files that have changed.
fn without_digests(html: &str) -> String {
    let mut parts = html.split(" integrity=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('"').map_or(part, |(_, rest)| rest))
}
