//! `ringside verify`: the ranks equal one rank.

use serde_json::Value;

use super::{done, keys};

#[test]
fn runs_of_every_kind_are_equal_to_one_rank() {
    for (world, flags) in [
        (4, ""),
        (1, "--cp 1 --seq-len 40"),
        (3, "--cp 3 --seq-len 50 --layout striped"),
        (8, "--cp 8 --seq-len 100 --layout zigzag --kv-heads 2"),
        (4, "--cp 4 --seq-len 64 --strategy all-gather --documents 10,20,34"),
        (4, "--cp 4 --seq-len 64 --strategy ulysses --kv-heads 1 --layout zigzag"),
        (8, "--cp 4 --dp 2 --seq-len 60 --strategy usp --batch 2 --grad-accum 2 --layout zigzag"),
        (2, "--cp 2 --seq-len 64 --window 9 --task recall --optimizer sgd"),
    ] {
        let json = done(format!("verify --json {flags}").trim()).json();
        assert_eq!(keys(&json), ["ok", "tensors", "world_size", "worst"]);
        assert_eq!((&json["ok"], &json["world_size"]), (&Value::from(true), &Value::from(world)));
        let tensors = json["tensors"].as_array().unwrap();
        assert_eq!(tensors.len(), 2 + 15, "{flags}");
        let largest = tensors.iter().map(|t| t["rel_norm"].as_f64().unwrap()).fold(0.0, f64::max);
        assert_eq!(json["worst"]["rel_norm"], largest);
        assert!(largest > 0.0 && largest <= 1e-5, "{flags}: {largest}");
    }
}

#[test]
fn tensors_are_in_order_and_named() {
    let json = done("verify --json --layers 1 --seq-len 32").json();
    let names: Vec<_> =
        json["tensors"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "loss",
            "logits",
            "embed.weight",
            "layers.0.attn_norm.weight",
            "layers.0.attn.qkv.weight",
            "layers.0.attn.out.weight",
            "layers.0.mlp_norm.weight",
            "layers.0.mlp.up.weight",
            "layers.0.mlp.down.weight",
            "norm.weight",
            "head.weight"
        ]
    );
}

#[test]
fn the_table_marks_the_worst() {
    let table = done("verify --layers 1 --seq-len 32").stdout;
    assert_eq!(table.matches("worst").count(), 1, "{table}");
    assert!(table.contains("4 ranks in f32 and one rank in f64 are equal within 1e-5"), "{table}");
}
