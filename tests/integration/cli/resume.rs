//! A run that was interrupted and resumed is the unbroken run, bit for bit.

use safetensors::SafeTensors;

use super::Folder;

const RUN: &str = "train --steps 8 --seq-len 48 --cp 2 --warmup-steps 2 --layers 1";

/// Every tensor of a checkpoint by name, as bytes.
fn tensors(folder: &Folder, name: &str) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let mut all: Vec<_> =
        file.tensors().into_iter().map(|(name, view)| (name, view.data().to_vec())).collect();
    all.sort();
    all
}

#[test]
fn a_resumed_run_equals_an_unbroken_one() {
    for optimizer in ["adamw", "sgd"] {
        let folder = Folder::new();
        let run = format!("{RUN} --optimizer {optimizer}");
        folder.done(&format!("{run} --save whole.st --metrics whole.jsonl"));
        folder.done(&format!("{run} --until 3 --save half.st --metrics half.jsonl"));
        folder.done(&format!("{run} --resume half.st --save rest.st --metrics rest.jsonl"));
        assert_eq!(tensors(&folder, "rest.st"), tensors(&folder, "whole.st"), "{optimizer}");
        assert_ne!(tensors(&folder, "half.st"), tensors(&folder, "whole.st"), "{optimizer}");
        let numbers = |name: &str| {
            let lines = folder.lines(name);
            let of =
                |line: &serde_json::Value| ["step", "loss", "grad_norm"].map(|k| line[k].clone());
            lines.iter().map(of).collect::<Vec<_>>()
        };
        let halves = [numbers("half.jsonl"), numbers("rest.jsonl")].concat();
        assert_eq!(halves, numbers("whole.jsonl"), "{optimizer}");
    }
}

#[test]
fn a_checkpoint_of_numbers_that_are_none_is_refused() {
    let folder = Folder::new();
    folder.done(&format!("{RUN} --until 2 --save s.st"));
    let mut bytes = std::fs::read(folder.path("s.st")).unwrap();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    folder.write("bad.st", bytes);
    let end = folder.run(&format!("{RUN} --resume bad.st"));
    assert_eq!(end.code, Some(2), "{end:#?}");
    for word in ["1 numbers are NaN or infinite, the first at index", "saved before that"] {
        assert!(end.stderr.contains(word), "no `{word}` in {}", end.stderr);
    }
    assert!(!end.stderr.contains("does not fit"), "{}", end.stderr);
}

#[test]
fn a_file_may_be_resumed_and_saved_over() {
    let folder = Folder::new();
    folder.done(&format!("{RUN} --until 2 --save s.st"));
    let early = tensors(&folder, "s.st");
    folder.done(&format!("{RUN} --until 4 --resume s.st --save s.st"));
    assert_ne!(tensors(&folder, "s.st"), early);
}

#[test]
fn a_run_may_go_on_with_other_ranks() {
    let folder = Folder::new();
    folder.done(&format!("{RUN} --until 4 --save s.st"));
    folder.done("train --steps 8 --seq-len 48 --cp 3 --layers 1 --layout striped --resume s.st");
}

#[test]
fn metrics_of_a_resumed_run_stand_behind_the_earlier_ones() {
    let folder = Folder::new();
    let steps = |name: &str| {
        let lines = folder.lines(name);
        lines.iter().map(|line| line["step"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    folder.done(&format!("{RUN} --until 3 --save s.st --metrics m.jsonl"));
    let early = folder.read("m.jsonl");
    folder.done(&format!("{RUN} --until 5 --resume s.st --metrics m.jsonl"));
    assert_eq!(steps("m.jsonl"), [0, 1, 2, 3, 4]);
    assert!(folder.read("m.jsonl").starts_with(&early));
    // Again from the third step: lines 3 and 4 would be lost.
    let end = folder.run(&format!("{RUN} --resume s.st --metrics m.jsonl"));
    assert_eq!((end.code, end.stdout.as_str()), (Some(2), ""), "{end:#?}");
    for word in ["metrics = ", "m.jsonl", "line 4 is of step 3", "has done 3", "another path"] {
        assert!(end.stderr.contains(word), "no `{word}` in {}", end.stderr);
    }
    assert_eq!(steps("m.jsonl"), [0, 1, 2, 3, 4]);
    folder.write("notes.txt", "what I saw\n");
    let end = folder.run(&format!("{RUN} --resume s.st --metrics notes.txt"));
    assert!(end.code == Some(2) && end.stderr.contains("no line of metrics"), "{end:#?}");
    assert_eq!(folder.read("notes.txt"), "what I saw\n");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::new();
    folder.done(&format!("{RUN} --save done.st"));
    let before = folder.names();
    let refused = |line: &str, words: &[&str]| {
        let end = folder.run(line);
        assert_eq!((end.code, end.stdout.as_str()), (Some(2), ""), "{line}: {end:#?}");
        for word in words {
            assert!(end.stderr.contains(word), "{line}: no `{word}` in {}", end.stderr);
        }
        assert_eq!(folder.names(), before);
    };
    refused(&format!("{RUN} --resume done.st --save x"), &["steps = 8", "8 steps", "above 8"]);
    refused("train --layers 1 --resume done.st --until 5", &["until = 5", "8 steps", "above 8"]);
    let other = "train --seq-len 48 --layers 2 --resume done.st --save x --metrics y";
    refused(other, &["resume = done.st", "give the sizes", "expected layers=2", "got layers=1"]);
    for (change, expected, got) in [
        ("--d-model 32", "d_model=32", "d_model=64"),
        ("--heads 8", "heads=8", "heads=4"),
        ("--optimizer sgd", "optimizer=sgd", "optimizer=adamw"),
    ] {
        let line = format!("train --layers 1 --seq-len 48 {change} --resume done.st");
        refused(&line, &[expected, got]);
    }
}
