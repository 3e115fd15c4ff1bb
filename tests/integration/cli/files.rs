//! What the files hold, and what is left of them when a run fails.

use serde_json::Value;

use super::{Folder, keys, numbers};

#[test]
fn a_line_of_metrics_for_every_step() {
    let folder = Folder::new();
    let end = folder.done("train --steps 4 --cp 2 --dp 2 --seq-len 32 --metrics m.jsonl --json");
    let lines = folder.lines("m.jsonl");
    assert_eq!(lines.len(), 4);
    let mut bytes = [0; 4];
    for (step, line) in lines.iter().enumerate() {
        assert_eq!(
            keys(line),
            ["bytes_sent", "grad_norm", "loss", "messages", "step", "tokens_per_s", "valid_tokens"]
        );
        assert_eq!(line["step"], step);
        assert_eq!(line["valid_tokens"], 2 * 31);
        assert!(line["tokens_per_s"].as_f64().unwrap() > 0.0);
        assert!(line["grad_norm"].as_f64().unwrap() > 0.0);
        assert_eq!(numbers(&line["messages"]).len(), 4);
        for (sum, sent) in bytes.iter_mut().zip(numbers(&line["bytes_sent"])) {
            *sum += sent;
        }
    }
    assert_eq!(lines[0]["loss"], end.json()["loss_first"]);
    assert_eq!(lines[3]["loss"], end.json()["loss_last"]);
    assert_eq!(bytes.to_vec(), numbers(&end.json()["bytes_measured"]));
    assert_eq!(folder.names(), ["m.jsonl"]);
}

#[test]
fn evaluations_are_in_the_metrics_of_their_step() {
    let folder = Folder::new();
    folder.done("train --steps 4 --seq-len 32 --eval-every 2 --eval-batches 1 --metrics m.jsonl");
    let evaluated: Vec<_> =
        folder.lines("m.jsonl").iter().map(|line| line["eval_loss"].is_number()).collect();
    assert_eq!(evaluated, [false, true, false, true]);
}

#[test]
fn the_trace_shows_every_rank() {
    let folder = Folder::new();
    folder.done("train --steps 2 --cp 3 --seq-len 48 --trace t.json");
    let trace: Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of_rank = |rank: u64, phase: &str| {
        let events = events.iter().filter(move |e| e["tid"] == rank && e["ph"] == phase);
        events.cloned().collect::<Vec<_>>()
    };
    for rank in 0..3 {
        assert_eq!(of_rank(rank, "M")[0]["args"]["name"], format!("rank {rank}"));
        let complete = of_rank(rank, "X");
        for event in &complete {
            assert!(event["ts"].is_u64() && event["dur"].is_u64(), "{event}");
        }
        let count = |start: &str| {
            let named = |e: &&Value| e["name"].as_str().unwrap().starts_with(start);
            complete.iter().filter(named).count()
        };
        assert_eq!(count("step "), 2);
        // 2 steps x 2 layers x 3 tiles each way.
        assert_eq!(count("attention forward"), 12);
        assert_eq!(count("attention backward"), 12);
        // 2 steps x (2 layers x (3 W - 2) hops + 2 (W - 1) of each of 3 pieces' all_reduce).
        assert_eq!(count("send "), 2 * (2 * 7 + 3 * 4));
        assert!(count("wait for") > 0 && count("forward") > 0 && count("optimizer") > 0);
    }
    let losses = events.iter().filter(|e| e["ph"] == "C" && e["name"] == "loss").count();
    assert_eq!(losses, 2);
}

#[test]
fn a_run_that_fails_keeps_its_whole_lines_and_no_checkpoint() {
    let folder = Folder::new();
    let line = "train --steps 100 --seq-len 32 --layers 1 --optimizer sgd --lr 100 --grad-clip 0 \
                --warmup-steps 0 --metrics m.jsonl --trace t.json --save s.safetensors --json";
    let end = folder.run(line);
    assert_eq!(end.code, Some(1), "{end:#?}");
    assert!(end.stderr.contains("the loss is") && end.stderr.contains("smaller lr"), "{end:#?}");
    assert!(!end.stderr.contains("it stopped"), "an echo instead of the cause: {end:#?}");
    assert_eq!(end.stdout, "");
    assert_eq!(folder.names(), ["m.jsonl", "t.json"]);
    assert!(!folder.lines("m.jsonl").is_empty());
    let trace: Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    assert!(trace["traceEvents"].is_array());
}

#[cfg(unix)]
#[test]
fn files_are_as_readable_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("other", "");
    folder.done("train --steps 1 --seq-len 16 --metrics m.jsonl");
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("m.jsonl"), mode("other"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_keeps_its_lines_and_leaves_no_rubbish() {
    let folder = Folder::new();
    let child = folder.start("train --steps 1000000 --seq-len 16 --metrics m.jsonl --save s.st");
    // Its log lies beside the target as long as the run goes on.
    while !folder.names().iter().any(|name| name.ends_with(".part")) {
        std::thread::yield_now();
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let steps = folder.lines("m.jsonl").len();
    assert!(stderr.contains(&format!("interrupted after {steps} steps")), "{stderr}");
    assert_eq!(folder.names(), ["m.jsonl"]);
}
