//! `ringside inspect runtime`: the decisions of detection as a table and as JSON.

use serde_json::{Value, json};

use super::{Folder, done, keys};

fn view(line: &str) -> Value {
    done(&format!("inspect runtime {line} --json")).json()
}

#[test]
fn machines_come_to_what_fits_them() {
    let check = |line: &str, device: &str, backend: &str, ranks: usize| {
        let profile = &view(line)["profile"];
        assert_eq!(profile["device"], device, "{line}");
        assert_eq!(profile["backend"], backend, "{line}");
        assert_eq!(profile["world_size"], ranks, "{line}");
    };
    check("--simulate colab-cpu", "cpu", "threads", 4);
    check("--simulate colab-t4 --world-size 2", "cuda", "threads", 2);
    check("--simulate mac --world-size 3", "cpu", "threads", 3);
    check("--simulate h100-node", "cuda", "nccl", 8);
    check("--simulate h100-two-nodes", "cuda", "nccl", 16);
    check("--simulate h100-node --force-cpu --device cuda --backend nccl", "cpu", "threads", 4);
    check("--device cpu", "cpu", "threads", 4);
}

#[test]
fn the_trail_tells_each_decision_and_its_reason() {
    let view = view("--simulate h100-node --device cuda --force-cpu");
    assert_eq!(keys(&view), ["machine", "probe", "profile", "refusal", "request", "trail"]);
    assert_eq!((&view["machine"], &view["refusal"]), (&json!("h100-node"), &Value::Null));
    assert_eq!(view["request"]["force_cpu"], true);
    let trail: Vec<_> = view["trail"]
        .as_array()
        .unwrap()
        .iter()
        .map(|decision| {
            assert!(!decision["reason"].as_str().unwrap().is_empty(), "{decision}");
            ["step", "standing", "choice"].map(|key| decision[key].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        trail,
        [
            ["device", "overruled", "device = cuda"],
            ["device", "taken", "cpu"],
            ["backend", "taken", "threads"],
            ["world-size", "taken", "4"],
        ]
    );
}

#[test]
fn what_cannot_be_had_ends_the_trail() {
    let folder = Folder::new();
    let check = |line: &str, field: &str, words: &[&str]| {
        let end = folder.run(&format!("inspect runtime {line} --json"));
        assert_eq!(end.code, Some(2), "{line}: {end:#?}");
        let view = end.json();
        assert_eq!((&view["profile"], &view["refusal"]["field"]), (&Value::Null, &json!(field)));
        assert_eq!(view["trail"].as_array().unwrap().last().unwrap()["standing"], "refused");
        for word in words {
            assert!(end.stderr.contains(word), "{line}: no `{word}` in {}", end.stderr);
        }
    };
    check("--device cuda", "device", &["built without CUDA", "--features cuda"]);
    check("--simulate laptop --device cuda", "device", &["no NVIDIA driver", "device cpu"]);
    check(
        "--simulate h100-node --world-size 9 --backend nccl",
        "world_size",
        &["has 8 GPUs", "8 or fewer"],
    );
    check("--simulate h100-two-nodes --world-size 4", "world_size", &["MPI started 16"]);
    check("--simulate colab-cpu --feature fsdp", "feature", &["fsdp", "plain data parallelism"]);
    check("--world-size 0", "world_size", &["try 1"]);
    check("--simulate mac --backend nccl", "backend", &["built without CUDA", "backend auto"]);
}

#[test]
fn the_table_shows_the_same() {
    let check = |line: &str, words: &[&str]| {
        let table = done(&format!("inspect runtime {line}")).stdout;
        for word in words {
            assert!(table.contains(word), "{line}: no `{word}` in\n{table}");
        }
    };
    let machine =
        ["Colab with one T4: 2 cores; 13.0 GiB; 1 x Tesla T4 of 15.0 GiB", "CUDA, NCCL, MPI"];
    check("--simulate colab-t4", &machine);
    check("--simulate colab-t4", &["1 GPU found: Tesla T4", "runs on CUDA over threads, 4 ranks"]);
    check("--simulate h100-two-nodes", &["rank 0 of 16 under Open MPI", "over NCCL, 16 ranks"]);
    check(
        "--simulate h100-node --device cuda --force-cpu",
        &["overruled", "force_cpu outranks it"],
    );
    check(
        "--device cpu",
        &["this machine: ", "a program without CUDA, NCCL, MPI", "runs on the CPU"],
    );
}
