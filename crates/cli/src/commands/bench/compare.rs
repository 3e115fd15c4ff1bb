//! Two files of `ringside bench --json` side by side: every number by its name, with the ratio.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use plan::Refusal;
use plan::bench::VERSION;
use serde::Serialize;
use serde_json::Value;

use crate::output::{self, Style, table};

/// What tells one entry of a list from another.
const NAMES: [&str; 9] =
    ["operation", "layout", "d_model", "heads", "layers", "seq_len", "world_size", "bytes", "rank"];

/// A number of both files.
#[derive(Debug, PartialEq, Serialize)]
struct Line {
    field: String,
    /// `None` where a file does not have it.
    a: Option<f64>,
    b: Option<f64>,
    /// b by a.
    ratio: Option<f64>,
}

/// Prints both beside each other.
pub fn run(paths: &[PathBuf], style: Style) -> Result<()> {
    let [a, b] = paths else {
        let works = "give two files";
        return Err(Refusal::new("compare", paths.len(), "two are compared", works).into());
    };
    let (first, second) = (read(a)?, read(b)?);
    let of = |value: &Value| value["kind"].as_str().unwrap_or_default().to_owned();
    if of(&first) != of(&second) {
        let reason = format!("it is a {}, {} is a {}", of(&second), a.display(), of(&first));
        let works = "compare two of a kind";
        return Err(Refusal::new("compare", b.display(), reason, works).into());
    }
    let lines = lines(&first, &second);
    if style == Style::Json {
        return output::json(&lines);
    }
    let heading = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).display().to_string();
    let mut rows = table::new(["field".to_owned(), heading(a), heading(b), "ratio".to_owned()]);
    let known = |value: Option<f64>| table::right(value.map_or_else(|| "-".to_owned(), short));
    for line in lines {
        let ratio = line.ratio.map_or_else(|| table::right("-"), super::ratio);
        rows.add_row([line.field.into(), known(line.a), known(line.b), ratio]);
    }
    output::line(rows)
}

/// Refuses what is no such file, or one of another version.
fn read(path: &Path) -> Result<Value, Refusal> {
    let works = "give what `ringside bench --json` of this version printed";
    let refuse = |reason: String| Refusal::new("compare", path.display(), reason, works);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| refuse(format!("it is not JSON: {error}")))?;
    match value["version"].as_u64() {
        Some(VERSION) => Ok(value),
        Some(other) => {
            Err(refuse(format!("it is of version {other}, this program reads version {VERSION}")))
        }
        None => Err(refuse("it does not say of which version of the bench it is".to_owned())),
    }
}

fn lines(a: &Value, b: &Value) -> Vec<Line> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    numbers("", a, &mut first);
    numbers("", b, &mut second);
    let of_b: BTreeMap<&str, f64> = second.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let of_a: BTreeMap<&str, f64> = first.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    // In the order of the first file; what only the second has comes last.
    let only_b = second.iter().filter(|(name, _)| !of_a.contains_key(name.as_str()));
    first
        .iter()
        .chain(only_b)
        .map(|(name, _)| {
            let (a, b) = (of_a.get(name.as_str()).copied(), of_b.get(name.as_str()).copied());
            let ratio = a.zip(b).filter(|(a, _)| *a != 0.0).map(|(a, b)| b / a);
            Line { field: name.clone(), a, b, ratio }
        })
        .collect()
}

/// Every number below `value` with its way there; what names an entry is no number of its own.
fn numbers(way: &str, value: &Value, into: &mut Vec<(String, f64)>) {
    let below = |key: &str| if way.is_empty() { key.to_owned() } else { format!("{way}.{key}") };
    match value {
        Value::Number(number) => {
            into.extend(number.as_f64().map(|number| (way.to_owned(), number)))
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let names = NAMES.contains(&key.as_str());
                if !names && key != "version" {
                    numbers(&below(key), field, into);
                }
            }
        }
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                numbers(&format!("{way}[{}]", name(entry, index)), entry, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn name(entry: &Value, index: usize) -> String {
    let known = NAMES.into_iter().filter_map(|key| match &entry[key] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(format!("{key} {number}")),
        _ => None,
    });
    let name = known.collect::<Vec<_>>().join(", ");
    if name.is_empty() { index.to_string() } else { name }
}

/// As many digits as are worth reading.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => table::grouped(size.round() as u64),
        size if size >= 0.1 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bench(seconds: f64, extra: &str) -> Value {
        json!({
            "kind": "bench", "version": VERSION, "peak_gflops": 50.0, extra: 7.0,
            "speed": [{ "world_size": 1, "seconds": seconds }, { "world_size": 2, "seconds": 2.0 }],
            "balance": [{ "layout": "zigzag", "pairs": 1.0 }],
            "memory": [{ "seq_len": 64, "measured": null }],
        })
    }

    #[test]
    fn numbers_meet_by_their_names() {
        let lines = lines(&bench(1.0, "old"), &bench(0.5, "new"));
        let told: Vec<_> = lines.iter().map(|l| (l.field.as_str(), l.a, l.b, l.ratio)).collect();
        let both = |field, a, b| (field, Some(a), Some(b), Some(b / a));
        let expect = [
            both("balance[zigzag].pairs", 1.0, 1.0),
            ("old", Some(7.0), None, None),
            both("peak_gflops", 50.0, 50.0),
            both("speed[world_size 1].seconds", 1.0, 0.5),
            both("speed[world_size 2].seconds", 2.0, 2.0),
            ("new", None, Some(7.0), None),
        ];
        assert_eq!(told, expect);
    }

    #[test]
    fn what_is_no_bench_of_this_version_is_refused_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |text: &str, reason: &str| {
            let path = folder.path().join("there.json");
            std::fs::write(&path, text).expect("a file");
            let refusal = read(&path).expect_err(text).to_string();
            assert!(refusal.contains("there.json") && refusal.contains(reason), "{refusal}");
        };
        check("so fast", "it is not JSON");
        check("{}", "of which version");
        let other = format!("version {}", VERSION + 1);
        check(&json!({ "version": VERSION + 1 }).to_string(), &other);
        assert!(read(Path::new("nowhere.json")).is_err());
    }
}
