//! The `ringside` binary as its users meet it: arguments in; exit code, text and files out.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that panics fails its test, which is what it is for"
)]

mod bad_input;
mod bench;
mod built;
mod doctor;
mod faults;
mod files;
mod help;
mod inspect;
#[cfg(feature = "mpi")]
mod mpi;
mod resume;
mod runtime;
mod train;
mod verify;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

pub use built::binary;

/// How a run of the binary ended.
#[derive(Debug)]
pub struct End {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl End {
    /// The last line of stdout as JSON.
    fn json(&self) -> Value {
        let line = self.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {self:#?}"))
    }
}

/// A folder that the binary runs in, gone with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Starts `ringside` with the words of `line`.
    fn start(&self, line: &str) -> Child {
        self.start_with(line, &[])
    }

    fn start_with(&self, line: &str, variables: &[(&str, &str)]) -> Child {
        Command::new(binary())
            .args(line.split_whitespace())
            .envs(variables.iter().copied())
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs `ringside` with the words of `line`.
    fn run(&self, line: &str) -> End {
        self.run_with(line, &[])
    }

    /// The same with environment variables set.
    fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> End {
        let output = self.start_with(line, variables).wait_with_output().unwrap();
        End {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same, for lines that must do what they say.
    pub fn done(&self, line: &str) -> End {
        let end = self.run(line);
        assert_eq!(end.code, Some(0), "{line}: {end:#?}");
        end
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Names of all that lies in it, hidden files included.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The lines of a file, each as JSON.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs `ringside` with the words of `line` where no file matters; it must do what it says.
fn done(line: &str) -> End {
    Folder::new().done(line)
}

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}
