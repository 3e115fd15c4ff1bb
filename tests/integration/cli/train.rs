//! `ringside train`: the default run, its JSON, and traffic predicted to the byte.

use super::{Folder, done, keys, numbers};

#[test]
fn without_arguments_it_trains_the_default_run() {
    let json = done("--json").json();
    let (first, last) = (&json["loss_first"], &json["loss_last"]);
    // ln 256 = 5.545: the model knows nothing yet.
    assert!((first.as_f64().unwrap() - 5.545).abs() < 0.1, "{first}");
    assert!(last.as_f64().unwrap() < 2.5, "{last}");
    assert_eq!(numbers(&json["bytes_measured"]).len(), 4);
}

#[test]
fn the_last_line_has_the_keys_of_the_contract() {
    let json = done("train --steps 2 --seq-len 32 --json").json();
    assert_eq!(
        keys(&json),
        [
            "bytes_measured",
            "bytes_predicted",
            "loss_first",
            "loss_last",
            "messages_measured",
            "messages_predicted",
            "seconds_per_step"
        ]
    );
    assert!(json["seconds_per_step"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_table_sets_predicted_beside_measured() {
    let end = done("train --steps 2 --seq-len 32");
    for word in ["first loss", "last loss", "seconds per step", "tokens per second", "equal"] {
        assert!(end.stdout.contains(word), "no `{word}` in\n{}", end.stdout);
    }
    assert!(!end.stdout.contains("DIFFERENT"));
    assert_eq!(end.stderr, "", "a progress bar where there is no terminal");
}

#[test]
fn the_second_line_says_where_it_runs_and_why() {
    let place = |line: &str| {
        let end = done(&format!("{line} --steps 1 --seq-len 32"));
        assert_eq!(end.stderr, "", "{line}");
        end.stdout.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(
        place("train --device cpu"),
        "device cpu (device = cpu was asked for); backend threads (one process; each rank is a \
         thread)"
    );
    for line in ["train --device cuda --force-cpu", "verify --device cuda --force-cpu"] {
        let forced = place(line);
        for word in ["device cpu (force_cpu is set", "device = cuda: force_cpu outranks it"] {
            assert!(forced.contains(word), "{line}: no `{word}` in {forced}");
        }
    }
}

fn predicted_is_measured(flags: &str) {
    let json = done(&format!("train --steps 2 --layers 1 --heads 4 --json {flags}")).json();
    for what in ["bytes", "messages"] {
        let predicted = numbers(&json[format!("{what}_predicted")]);
        assert_eq!(predicted, numbers(&json[format!("{what}_measured")]), "{what}: {flags}");
    }
}

#[test]
fn what_was_predicted_is_measured() {
    for strategy in ["ring", "all-gather", "ulysses", "usp"] {
        for layout in ["contiguous", "zigzag", "striped"] {
            for dp in [1, 2] {
                predicted_is_measured(&format!(
                    "--cp 4 --seq-len 50 --dp {dp} --strategy {strategy} --layout {layout}"
                ));
            }
        }
    }
}

#[test]
fn what_was_predicted_is_measured_in_odd_runs() {
    for flags in [
        "--cp 1 --seq-len 32",
        "--cp 3 --seq-len 40 --batch 4 --grad-accum 2",
        "--cp 4 --seq-len 64 --window 8",
        "--cp 4 --documents 10,20,34 --kv-heads 2",
        "--cp 4 --seq-len 64 --strategy ulysses --kv-heads 1",
        "--cp 8 --seq-len 64 --strategy usp --ulysses-degree 4 --kv-heads 2",
        "--cp 2 --seq-len 32 --eval-every 1 --eval-batches 3",
    ] {
        predicted_is_measured(flags);
    }
}

#[test]
fn tasks_texts_and_configs_train() {
    let folder = Folder::new();
    folder.write("my.txt", "How much wood would a woodchuck chuck? ".repeat(20));
    folder.write("run.toml", "seq_len = 64\nsteps = 2\nlayout = \"zigzag\"\n");
    let title = |line: &str| folder.done(line).stdout.lines().next().unwrap().to_owned();
    assert!(title("train --steps 2 --task recall").contains("256 tokens"));
    assert!(title("train --steps 2 --task copy --cp 2").contains("cp 2"));
    assert!(title("train --steps 2 --text my.txt").contains("ring"));
    assert!(title("train --config run.toml").contains("zigzag positions, 64 tokens"));
    // A flag wins over the file.
    assert!(title("train --config run.toml --layout striped").contains("striped positions"));
}

#[test]
fn the_seed_decides_everything() {
    let losses = |seed: u32| {
        let json = done(&format!("train --steps 3 --seq-len 32 --seed {seed} --json")).json();
        [json["loss_first"].clone(), json["loss_last"].clone()]
    };
    assert_eq!(losses(1), losses(1));
    assert_ne!(losses(1), losses(2));
}
