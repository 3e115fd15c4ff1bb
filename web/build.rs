//! Gives all binaries the build id, a hash of the sources that they are built from, and the page and
//! the doctor their tables of translated messages.

#[path = "src/app/language/key.rs"]
mod key;
mod po;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What is said in Chinese, and the table that it becomes: by all, and by the doctor alone.
const MESSAGES: [(&str, &str); 2] =
    [("locales/zh-CN.po", "messages.rs"), ("locales/doctor.zh-CN.po", "doctor_messages.rs")];

/// What decides how a binary behaves, below the root of the workspace.
const SOURCES: [&str; 14] = [
    "Cargo.lock",
    "crates/plan/src",
    "crates/doctor/src",
    "crates/lesson/src",
    "crates/comm/src",
    "crates/kernels/src",
    "crates/model/src",
    "crates/parallel/src",
    "crates/train/src",
    "crates/train/text",
    "web/locales",
    "web/recorded",
    "web/src",
    "web/worker_loader.js",
];

fn main() -> io::Result<()> {
    let web = env::var("CARGO_MANIFEST_DIR").map(PathBuf::from).map_err(io::Error::other)?;
    let root = web.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut hash = Fnv::default();
    for source in SOURCES {
        let path = root.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        collect(&path, &mut files)?;
        files.sort();
        for file in files {
            let name = file.strip_prefix(&root).unwrap_or(&file);
            hash.add(name.to_string_lossy().replace('\\', "/").as_bytes());
            hash.add(&fs::read(&file)?);
        }
    }
    println!("cargo::rustc-env=RINGSIDE_BUILD={:016x}", hash.0);
    MESSAGES.iter().try_for_each(|(catalogue, table)| write_messages(&web.join(catalogue), table))
}

/// Writes a table that `app::language::messages` includes.
fn write_messages(path: &Path, table: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", path.display());
    let entries = po::read(&fs::read_to_string(path)?).map_err(io::Error::other)?;
    let mut rows: Vec<(u32, &str)> = entries
        .iter()
        .filter(|(template, _)| !template.is_empty())
        .map(|(template, text)| (key::of(template), text.as_str()))
        .collect();
    rows.sort_unstable();
    if let Some(twice) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(io::Error::other(format!("two templates share a number: {twice:?}")));
    }
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join(table), format!("&{rows:?}\n"))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.exists() {
        files.push(path.to_path_buf());
    }
    Ok(())
}

/// FNV-1a, 64 bits: the same for ever, which the standard library's hashers do not promise.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a part; its length keeps two parts from running into one.
    fn add(&mut self, part: &[u8]) {
        for &byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
