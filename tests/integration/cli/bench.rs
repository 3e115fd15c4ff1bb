//! `ringside bench`: what it tells and what it refuses; timing is not tested.

use super::{Folder, done};

#[test]
fn a_child_tells_its_peak_of_memory() {
    let json = done("bench --json --peak-of 64").json();
    assert!(json["growth"].is_null() || json["growth"].as_u64().unwrap() > 0, "{json}");
}

#[test]
fn a_profile_is_a_whole_step() {
    let folder = Folder::new();
    let json = folder.done("bench --profile 16,2,1,32 --ranks 2 --json").json();
    assert_eq!((&json["kind"], &json["world_size"]), (&"profile".into(), &2.into()), "{json}");
    let mean = &json["mean"];
    let told = mean["operations"].as_array().unwrap();
    let sum: f64 = told.iter().map(|operation| operation["seconds"].as_f64().unwrap()).sum();
    assert!(sum > 0.0 && sum <= mean["seconds"].as_f64().unwrap(), "{json}");
    assert_eq!(json["ranks"].as_array().unwrap().len(), 2);

    let text = folder.done("bench --profile 16,2,1,32").stdout;
    for word in ["qkv matmul forward", "attention backward", "the rest", "% in kernels"] {
        assert!(text.contains(word), "no `{word}` in {text}");
    }
    folder.write("a.json", json.to_string());
    let same = folder.done("bench --compare a.json a.json").stdout;
    assert!(same.contains("mean.operations[adamw].seconds") && same.contains("1.00"), "{same}");
}

#[test]
fn what_cannot_be_compared_or_profiled_is_refused() {
    let folder = Folder::new();
    folder.write("old.json", r#"{"kind":"bench","version":0}"#);
    folder.write("bench.json", r#"{"kind":"bench","version":1}"#);
    folder.write("profile.json", r#"{"kind":"profile","version":1}"#);
    let refused = |line: &str, words: &[&str]| {
        let end = folder.run(line);
        assert_eq!(end.code, Some(2), "{line}: {end:#?}");
        for word in words {
            assert!(end.stderr.contains(word), "{line}: no `{word}` in {}", end.stderr);
        }
    };
    refused(
        "bench --compare bench.json old.json",
        &["compare = old.json", "version 0", "version 1"],
    );
    refused("bench --compare bench.json gone.json", &["compare = gone.json"]);
    refused("bench --compare bench.json profile.json", &["profile.json", "is a profile"]);
    refused("bench --compare bench.json", &["--compare"]);
    refused("bench --profile 16,2", &["--profile", "128,4,4,1024"]);
    refused("bench --profile 16,3,1,32", &["heads"]);
    refused("bench --ranks 2", &["--profile"]);
}
