//! `ringside inspect` by hand-computed values.

use serde_json::{Value, json};

use super::done;

fn view(line: &str) -> Value {
    done(&format!("inspect {line} --json")).json()
}

#[test]
fn shards() {
    assert_eq!(
        view("shard --seq-len 8 --cp 2 --layout zigzag"),
        json!({"padded_len": 8, "ranks": [
            {"rank": 0, "positions": [0, 1, 6, 7], "valid": 4},
            {"rank": 1, "positions": [2, 3, 4, 5], "valid": 4},
        ]})
    );
    assert_eq!(
        view("shard --seq-len 5 --cp 2 --layout striped"),
        json!({"padded_len": 6, "ranks": [
            {"rank": 0, "positions": [0, 2, 4], "valid": 3},
            {"rank": 1, "positions": [1, 3], "valid": 2},
        ]})
    );
    assert_eq!(view("shard --seq-len 5 --cp 2 --layout zigzag")["padded_len"], 8);
    assert_eq!(view("shard --documents 3,5,8 --cp 4")["padded_len"], 16);
}

#[test]
fn targets_are_shifted_before_sharding() {
    let ranks = |layout: &str| {
        let view = view(&format!("targets --ids 1,2,3,4,5,6,7,8 --cp 2 --layout {layout}"));
        assert_eq!(view["valid"], 7);
        view["ranks"].clone()
    };
    assert_eq!(
        ranks("contiguous"),
        json!([
            {"rank": 0, "ids": [1, 2, 3, 4], "targets": [2, 3, 4, 5]},
            {"rank": 1, "ids": [5, 6, 7, 8], "targets": [6, 7, 8, -100]},
        ])
    );
    assert_eq!(
        ranks("zigzag"),
        json!([
            {"rank": 0, "ids": [1, 2, 7, 8], "targets": [2, 3, 8, -100]},
            {"rank": 1, "ids": [3, 4, 5, 6], "targets": [4, 5, 6, 7]},
        ])
    );
    let packed = view("targets --ids 1,2,3,4,5,6,7,8 --documents 3,5 --cp 1");
    assert_eq!(packed["valid"], 6);
    assert_eq!(packed["ranks"][0]["targets"], json!([2, 3, -100, 5, 6, 7, 8, -100]));
}

#[test]
fn schedules() {
    let check = |layout: &str, pairs: [u64; 2], percent: f64| {
        let view = view(&format!("schedule --seq-len 8 --cp 2 --heads 4 --layout {layout}"));
        let got: Vec<_> =
            view["ranks"].as_array().unwrap().iter().map(|rank| rank["pairs"].clone()).collect();
        assert_eq!(got, pairs, "{layout}");
        let efficiency = 100.0 * view["efficiency"].as_f64().unwrap();
        assert_eq!(efficiency.round(), percent, "{layout}");
    };
    check("contiguous", [10, 26], 69.0);
    check("striped", [16, 20], 90.0);
    check("zigzag", [18, 18], 100.0);
    assert_eq!(
        view("schedule --seq-len 8 --cp 2")["ranks"][1],
        json!({"rank": 1, "pairs": 26, "steps": [
            {"step": 0, "kv_from": 1, "kind": "partial", "pairs": 10},
            {"step": 1, "kv_from": 0, "kind": "full", "pairs": 16},
        ]})
    );
    assert_eq!(view("schedule --seq-len 8 --cp 2")["ranks"][0]["steps"][1]["kind"], "skip");
}

#[test]
fn a_long_contiguous_ring_is_bounded() {
    let efficiency = view("schedule --seq-len 8192 --cp 8")["efficiency"].as_f64().unwrap();
    assert!((efficiency - 8.0 / 15.0).abs() < 1e-3, "{efficiency}");
}

#[test]
fn traffic_by_the_formulas() {
    // c = 64, B = 2, D = 8, e = 4: Q = B c Hq D e with 8 heads, KV = 2 B c Hkv D e.
    let check = |flags: &str, forward: (u64, u64), backward: (u64, u64)| {
        let flow = |(messages, bytes)| json!({"messages": messages, "bytes": bytes});
        assert_eq!(
            view(&format!("traffic --seq-len 256 --cp 4 --batch 2 --heads 8 --head-dim 8 {flags}")),
            json!({"forward": flow(forward), "backward": flow(backward)}),
            "{flags}"
        );
    };
    let q = 2 * 64 * 8 * 8 * 4;
    let kv = |heads: u64| 2 * 2 * 64 * heads * 8 * 4;
    check("--strategy ring", (3, 3 * kv(8)), (7, 7 * kv(8)));
    check("--strategy ring --kv-heads 2", (3, 3 * kv(2)), (7, 7 * kv(2)));
    check("--strategy all-gather", (3, 3 * kv(8)), (6, 6 * kv(8)));
    let out_and_back = (6, 3 * (2 * q + kv(8)) / 4);
    check("--strategy ulysses", out_and_back, out_and_back);
    // Two key/value heads on four ranks: each has a copy of one.
    let replicated = (6, 3 * (2 * q + 2 * kv(2)) / 4);
    check("--strategy ulysses --kv-heads 2", replicated, replicated);
    let exchange = (2 * q + kv(8)) / 2;
    check(
        "--strategy usp --ulysses-degree 2",
        (2 + 1, exchange + kv(8)),
        (2 + 3, exchange + 3 * kv(8)),
    );
    check("--strategy ring --layers 9 --dp 2", (3, 3 * kv(8)), (7, 7 * kv(8)));
}

#[test]
fn memory_by_purpose() {
    let view = view("memory --seq-len 512 --cp 4 --dp 2 --layers 2 --heads 4 --head-dim 16");
    let ranks = view["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 8);
    let parameters = 4 * 131_392;
    for (number, rank) in ranks.iter().enumerate() {
        assert_eq!(rank["rank"], number);
        assert_eq!(rank["parameters"], parameters);
        assert_eq!(rank["gradients"], parameters);
        assert_eq!(rank["optimizer"], 2 * parameters);
        assert!(rank["activations"].as_u64().unwrap() > 0 && rank["kv"].as_u64().unwrap() > 0);
    }
    let plain = super::done("inspect memory --optimizer sgd --json").json();
    assert_eq!(plain["ranks"][0]["optimizer"], 0);
}

#[test]
fn meshes() {
    let view = view("mesh --dp 2 --cp 4");
    assert_eq!(view["axes"], json!({"dp": 2, "cp": 4}));
    assert_eq!(
        view["ranks"][5],
        json!({
            "rank": 5,
            "coordinate": {"dp": 1, "cp": 1},
            "groups": {"cp": [4, 5, 6, 7], "dp": [1, 5]},
        })
    );
    let view = super::done("inspect mesh --cp 4 --strategy usp --ulysses-degree 2 --json").json();
    assert_eq!(view["ranks"][2]["groups"]["ulysses"], json!([2, 3]));
    assert_eq!(view["ranks"][2]["groups"]["ring"], json!([0, 2]));
}

#[test]
fn every_view_is_a_table_too() {
    let check = |line: &str, words: &[&str]| {
        let table = done(&format!("inspect {line}")).stdout;
        for word in words {
            assert!(table.contains(word), "{line}: no `{word}` in\n{table}");
        }
    };
    check("shard --seq-len 8 --cp 2 --layout zigzag", &["0-1, 6-7", "2-5"]);
    check("shard --seq-len 5 --cp 2", &["1 of padding"]);
    check("targets --ids 1,2,3,4 --cp 2", &["2 3", "4 -100", "3 targets count"]);
    check("schedule --seq-len 8 --cp 2", &["10", "26", "■1", "·1", "69.2 %"]);
    check("traffic --cp 4", &["forward", "backward", "98,304"]);
    check("memory", &["optimizer", "total"]);
    check("mesh --dp 2 --cp 4", &["cp 4, dp 2", "[4-7]"]);
}
