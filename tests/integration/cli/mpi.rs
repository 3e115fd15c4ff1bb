//! Ranks that are processes under mpirun: the laws of the collectives, and runs that equal those
//! of threads bit for bit. A real MPI carries every message.

use std::path::Path;
use std::process::Command;

use super::built::{binary, built};
use super::{End, Folder, numbers};

/// Starts `command` with the words of `line` on `ranks` processes; none is without mpirun.
fn run(folder: &Folder, ranks: Option<usize>, program: &Path, line: &str) -> End {
    let mut command = match ranks {
        None => Command::new(program),
        Some(ranks) => {
            let mut command = Command::new("mpirun");
            // More ranks than cores, and by root, as in a container.
            command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
            command.arg(program);
            command
        }
    };
    let output = command.args(line.split_whitespace()).current_dir(&folder.0).output().unwrap();
    End {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn mpi_keeps_every_law() {
    let program = built("mpi_conformance", |build| build.example("mpi_conformance"));
    for ranks in [1, 2, 3, 4, 8] {
        let end = run(&Folder::new(), Some(ranks), &program, "");
        assert_eq!(end.code, Some(0), "{end:#?}");
        assert_eq!(end.stdout.trim(), format!("10 laws hold on {ranks} ranks"), "{end:#?}");
    }
}

#[test]
fn a_run_over_mpi_is_the_run_over_threads_bit_for_bit() {
    for (ranks, flags) in [
        (4, "--cp 4"),
        (4, "--cp 2 --dp 2 --layout zigzag --strategy all-gather --eval-every 2"),
        (2, "--cp 2 --strategy ulysses --batch 2 --grad-accum 2"),
        (4, "--cp 4 --strategy usp --layout striped --kv-heads 2"),
    ] {
        let folder = Folder::new();
        let line = |name: &str| {
            format!(
                "train --steps 4 --seq-len 50 --layers 1 {flags} --json --metrics {name}.jsonl \
                 --save {name}.st"
            )
        };
        let mpi = run(&folder, Some(ranks), binary(), &format!("{} --backend mpi", line("mpi")));
        assert_eq!(mpi.code, Some(0), "{flags}: {mpi:#?}");
        let threads = run(&folder, None, binary(), &line("threads"));
        assert_eq!(threads.code, Some(0), "{flags}: {threads:#?}");
        // One process speaks for all.
        assert_eq!(mpi.stdout.lines().count(), 1, "{mpi:#?}");
        for key in ["loss_first", "loss_last", "bytes_measured", "messages_measured"] {
            assert_eq!(mpi.json()[key], threads.json()[key], "{flags}: {key}");
        }
        assert_eq!(numbers(&mpi.json()["bytes_predicted"]), numbers(&mpi.json()["bytes_measured"]));
        let steps = |name: &str| {
            let of = |line: &serde_json::Value| {
                ["step", "loss", "grad_norm", "bytes_sent", "eval_loss"].map(|k| line[k].clone())
            };
            folder.lines(name).iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(steps("mpi.jsonl"), steps("threads.jsonl"), "{flags}");
        let file = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert_eq!(file("mpi.st"), file("threads.st"), "{flags}");
    }
}

#[test]
fn the_trace_of_processes_shows_every_rank() {
    let folder = Folder::new();
    let line = "train --steps 2 --seq-len 32 --cp 3 --trace t.json";
    let end = run(&folder, Some(3), binary(), line);
    assert_eq!(end.code, Some(0), "{end:#?}");
    assert!(end.stdout.contains("backend mpi (Open MPI started 3 processes)"), "{end:#?}");
    let trace: serde_json::Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    for rank in 0..3 {
        let events = trace["traceEvents"].as_array().unwrap();
        assert!(events.iter().any(|e| e["tid"] == rank && e["ph"] == "X"), "rank {rank}");
    }
}

#[test]
fn what_does_not_fit_the_launch_is_refused() {
    let check = |ranks: Option<usize>, line: &str, words: &[&str]| {
        let end = run(&Folder::new(), ranks, binary(), line);
        assert_eq!(end.code, Some(2), "{line}: {end:#?}");
        for word in words {
            assert!(end.stderr.contains(word), "{line}: no `{word}` in {}", end.stderr);
        }
    };
    check(Some(3), "train --cp 4", &["world_size = 4", "MPI started 3", "mpirun -n 4"]);
    check(Some(2), "train --cp 2 --backend threads", &["backend = threads", "alone"]);
    check(Some(2), "verify --cp 2", &["backend = mpi", "in one process"]);
    check(None, "train --backend mpi", &["no MPI launcher", "mpirun -n"]);
}

#[test]
fn a_run_that_diverges_ends_every_process_with_its_cause() {
    let line = "train --steps 100 --seq-len 32 --layers 1 --optimizer sgd --lr 100 --grad-clip 0 \
                --warmup-steps 0 --cp 2 --json";
    let end = run(&Folder::new(), Some(2), binary(), line);
    assert_eq!(end.code, Some(1), "{end:#?}");
    assert!(end.stderr.contains("smaller lr"), "{end:#?}");
}
