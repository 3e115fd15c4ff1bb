//! `cargo xtask size`: what a visitor downloads, beside the limits.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use flate2::{Compression, write::GzEncoder};

use crate::site;

/// Flags of `cargo xtask size`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder that holds the built page [default: dist at the root]
    #[arg(long, value_name = "DIR")]
    dist: Option<PathBuf>,
}

/// Bytes in the KB of the table and the limits.
const KB: usize = 1000;

/// One of the page's binaries, with the limit on its wasm and its JavaScript together, gzipped.
struct Binary {
    name: &'static str,
    limit: usize,
}

/// Every visit loads the page and the workers; doctor and bench are loaded when
/// their places are first opened.
const BINARIES: [Binary; 4] = [
    Binary { name: "app", limit: 600 * KB },
    Binary { name: "worker", limit: 700 * KB },
    Binary { name: "doctor", limit: 205 * KB },
    Binary { name: "bench", limit: 300 * KB },
];

/// Bytes of one file as it is and as a host sends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    raw: usize,
    gzip: usize,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let dist = args.dist.clone().unwrap_or_else(site::default_dist);
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["binary", "file", "raw KB", "gzip KB", "limit KB"]);
    for column in 2..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut above = Vec::new();
    for Binary { name, limit } in BINARIES {
        let mut total = Size::default();
        for (file, size) in files_of(&dist, name)? {
            total = Size { raw: total.raw + size.raw, gzip: total.gzip + size.gzip };
            table.add_row([name.to_owned(), file, kb(size.raw), kb(size.gzip), String::new()]);
        }
        table.add_row([
            name.to_owned(),
            "together".into(),
            kb(total.raw),
            kb(total.gzip),
            kb(limit),
        ]);
        if total.gzip > limit {
            above.push(format!(
                "{name} is {} KB, {} KB above its limit",
                kb(total.gzip),
                kb(total.gzip - limit)
            ));
        }
    }
    println!("{table}");
    if above.is_empty() { Ok(()) } else { bail!("{}", above.join("; ")) }
}

/// The wasm and JavaScript files of `binary`, each with its size.
fn files_of(dist: &Path, binary: &str) -> Result<Vec<(String, Size)>> {
    let advice = || format!("{}: run `cargo xtask build` first", dist.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(dist).with_context(advice)? {
        let path = entry.with_context(advice)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if belongs_to(&name, binary) {
            let bytes = fs::read(&path).with_context(|| format!("could not read {name}"))?;
            files.push((name, Size { raw: bytes.len(), gzip: gzipped(&bytes) }));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    let count = |end: &str| files.iter().filter(|(name, _)| name.ends_with(end)).count();
    // A binary may come with a loader beside wasm-bindgen's file, but its wasm is one.
    match (count(".wasm"), count(".js")) {
        (1, 1..) => Ok(files),
        (wasm, js) => bail!(
            "expected one .wasm and its .js of {binary} in {}, found {wasm} and {js}: run \
             `cargo xtask build` first",
            dist.display()
        ),
    }
}

/// Whether Trunk wrote `file` for `binary`: `worker_bg.wasm`, `app-0123abcd.js` and the like.
fn belongs_to(file: &str, binary: &str) -> bool {
    let Some((stem, extension)) = file.rsplit_once('.') else { return false };
    let Some(rest) = stem.strip_prefix(binary) else { return false };
    matches!(extension, "wasm" | "js") && (rest.is_empty() || rest.starts_with(['-', '_']))
}

/// Length at gzip's level 9, which is what static hosts send or better.
fn gzipped(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("writing to memory does not fail");
    encoder.finish().expect("writing to memory does not fail").len()
}

fn kb(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / KB as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_binary_of_their_name() {
        for (file, binary, expected) in [
            ("app-0123abcd.js", "app", true),
            ("app-0123abcd_bg.wasm", "app", true),
            ("worker.js", "worker", true),
            ("worker_bg.wasm", "worker", true),
            ("application.js", "app", false),
            ("app.css", "app", false),
            ("worker.js", "app", false),
        ] {
            assert_eq!(belongs_to(file, binary), expected, "{file} of {binary}");
        }
    }

    #[test]
    fn gzip_shrinks_what_repeats() {
        assert!(gzipped(&[0; 10_000]) < 100);
    }

    #[test]
    fn a_loader_counts_to_its_binary() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["app-0123.js", "worker.js", "worker_bg.wasm", "worker_loader.js"] {
            fs::write(folder.path().join(file), file).unwrap();
        }
        let names: Vec<_> =
            files_of(folder.path(), "worker").unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["worker.js", "worker_bg.wasm", "worker_loader.js"]);
        let error = files_of(folder.path(), "app").unwrap_err().to_string();
        assert!(error.contains("found 0 and 1"), "{error}");
    }

    #[test]
    fn missing_folder_or_file_says_what_to_run() {
        let folder = tempfile::tempdir().unwrap();
        for dist in [folder.path().to_path_buf(), folder.path().join("absent")] {
            let error = format!("{:#}", files_of(&dist, "app").unwrap_err());
            assert!(error.contains("cargo xtask build"), "{error}");
        }
    }
}
