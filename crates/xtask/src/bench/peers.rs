//! Other programs that train the same step, timed beside ours where they are set up.
//!
//! Their folder holds `torch_step.py` and `browser.mjs`, which print times, and in `data` the
//! weights and the reference that all of them start from and are checked against.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use super::said::{self, Time};
use crate::{
    child,
    toolbox::{Toolbox, as_named},
};

/// (library, its entry, what it is asked without and with a second thread).
const LIBRARIES: [(&str, &str, [&str; 2]); 2] = [
    (
        "tfjs",
        "runTf",
        [
            r#"{"cfgs":[0,1,2],"modes":["tuned"],"bud":3000}"#,
            r#"{"cfgs":[0,1,2],"modes":["tuned"],"bud":3000,"hc":4}"#,
        ],
    ),
    (
        "jax-js",
        "runJax",
        [
            r#"{"cfgs":[0,1,2],"opt":{},"bud":3000}"#,
            r#"{"cfgs":[0,1,2],"opt":{},"bud":3000,"hc":2}"#,
        ],
    ),
];

/// Programs without a browser are timed in turn as often as this: a machine's speed drifts.
const ROUNDS: usize = 3;

/// Where the peers are.
pub struct Peers {
    folder: PathBuf,
    python: String,
}

impl Peers {
    /// The peers in `folder`, PyTorch's by `python`.
    pub fn new(folder: &Path, python: &Path) -> Result<Self> {
        Ok(Self { folder: std::path::absolute(folder)?, python: as_named(python)? })
    }

    /// PyTorch beside our native step, as far as both are there.
    pub fn native(&self) -> Result<()> {
        println!(
            "\n== beside PyTorch: forward and backward from the same weights, mean step, the least of \
             {ROUNDS} rounds in turn"
        );
        if !self.has("data/ref.json", "the peers' set-up writes it")
            || !self.has("torch_step.py", "it times PyTorch")
        {
            return Ok(());
        }
        let mut probe = self.command(&self.python);
        probe.args(["-c", "import torch"]);
        let has_torch = match child::read(probe) {
            Ok(_) => true,
            Err(error) => {
                println!(
                    "missing: PyTorch ({error}); name an interpreter that has it with --torch"
                );
                false
            }
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..if has_torch { ROUNDS } else { 1 } {
            // It fails where loss or gradient norm are not the reference's.
            let mut command = Toolbox::default().native("cargo");
            command.args(["run", "--quiet", "--release", "--package", "cli", "--"]);
            command.args(["--json", "bench", "--equal-work"]).arg(&self.folder);
            let said = said::ours(&child::read(command).context("our own step")?)?;
            quicker(&mut ours, said.into_iter().map(|(_, mean)| mean));
            for threads in ["1", "2"].into_iter().filter(|_| has_torch) {
                let mut command = self.command(&self.python);
                command.args(["torch_step.py", threads]);
                quicker(&mut theirs, said::torch(&child::read(command).context("PyTorch's step")?));
            }
        }
        if has_torch {
            println!("{}", beside(&ours, &theirs));
        }
        Ok(())
    }

    /// Libraries in the browser beside the page's step, as far as both are there.
    pub fn page(&self, page_said: &str) -> Result<()> {
        println!("\n== beside libraries in the browser, quickest step; the page's updates as well");
        if !self.has("browser.mjs", "it times libraries in Chromium")
            || !self.has("node_modules", "the peers' set-up installs them, with npm")
            || !self.has("data/ref.json", "the peers' set-up writes it")
        {
            return Ok(());
        }
        let mut probe = self.command("node");
        probe.arg("--version");
        if let Err(error) = child::read(probe) {
            println!("missing: node ({error})");
            return Ok(());
        }
        let mut theirs = Vec::new();
        for (who, entry, asked) in LIBRARIES {
            for (isolated, asked) in asked.into_iter().enumerate() {
                let mut command = self.command("node");
                command.args(["browser.mjs", entry, &isolated.to_string(), asked]);
                match child::read(command) {
                    Ok(text) => theirs.extend(said::browser(who, isolated as u32 + 1, &text)),
                    Err(error) => println!("{who} did not run: {error}"),
                }
            }
        }
        println!("{}", beside(&said::page(page_said), &theirs));
        Ok(())
    }

    fn command(&self, program: &str) -> std::process::Command {
        let mut command = Toolbox::default().native(program);
        command.current_dir(&self.folder);
        command
    }

    fn has(&self, name: &str, what: &str) -> bool {
        let path = self.folder.join(name);
        let is_there = path.exists();
        if !is_there {
            println!("missing: {}; {what}", path.display());
        }
        is_there
    }
}

/// Puts `times` among `known`; of two of the same kind the quicker stays.
fn quicker(known: &mut Vec<Time>, times: impl IntoIterator<Item = Time>) {
    for time in times {
        let kind = |time: &Time| (time.who.clone(), time.shape, time.threads);
        match known.iter_mut().find(|known| kind(known) == kind(&time)) {
            Some(known) if known.milliseconds <= time.milliseconds => {}
            Some(known) => *known = time,
            None => known.push(time),
        }
    }
}

/// Each peer's time beside ours at the same shape with as many threads or ranks.
fn beside(ours: &[Time], theirs: &[Time]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header([
        "d, heads, layers, tokens",
        "threads",
        "peer",
        "ms",
        "ours, ms",
        "ours by it",
    ]);
    for index in [1, 3, 4, 5] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for peer in theirs {
        let own = ours.iter().find(|own| (own.shape, own.threads) == (peer.shape, peer.threads));
        let ms = |time: &Time| format!("{:.1}", time.milliseconds);
        let ratio = match own {
            _ if peer.is_other_work => "other work".to_owned(),
            Some(own) => format!("{:.2}", own.milliseconds / peer.milliseconds),
            None => "-".to_owned(),
        };
        table.add_row([
            peer.shape.map(|size| size.to_string()).join(", "),
            peer.threads.to_string(),
            peer.who.clone(),
            ms(peer),
            own.map_or_else(|| "-".to_owned(), ms),
            ratio,
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(who: &str, threads: u32, milliseconds: f64) -> Time {
        let who = who.to_owned();
        Time { who, shape: [64, 4, 2, 256], threads, milliseconds, is_other_work: false }
    }

    #[test]
    fn a_ratio_is_of_equal_work_with_as_many_threads() {
        let ours = [time("ringside", 1, 3.0), time("ringside", 2, 2.0)];
        let other = Time { is_other_work: true, ..time("odd", 1, 1.0) };
        let theirs = [time("fast", 1, 4.0), time("fast", 2, 4.0), other, time("fast", 3, 1.0)];
        let text = beside(&ours, &theirs).to_string();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(2)
            .map(|line| line.trim_matches('|').split('|').map(str::trim).skip(1).collect())
            .collect();
        let expect = [
            ["1", "fast", "4.0", "3.0", "0.75"],
            ["2", "fast", "4.0", "2.0", "0.50"],
            ["1", "odd", "1.0", "3.0", "other work"],
            ["3", "fast", "1.0", "-", "-"],
        ];
        assert_eq!(rows, expect, "{text}");
    }

    #[test]
    fn of_several_rounds_the_quickest_stays() {
        let mut known = vec![time("a", 1, 3.0)];
        quicker(&mut known, [time("a", 1, 2.0), time("a", 2, 9.0), time("b", 1, 4.0)]);
        quicker(&mut known, [time("a", 1, 2.5), time("b", 1, 3.5)]);
        let kept: Vec<f64> = known.iter().map(|time| time.milliseconds).collect();
        assert_eq!(kept, [2.0, 9.0, 3.5]);
    }

    #[test]
    fn peers_that_are_not_set_up_are_said_and_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let peers = Peers::new(folder.path(), Path::new("python3")).unwrap();
        assert!(!peers.has("data/ref.json", "the peers' set-up writes it"));
        peers.native().unwrap();
        peers.page("").unwrap();
    }
}
