//! A fix is clean when it is diagnosed again, and where there is none, none is offered.

use super::support::{CP_2, config, report, set, yaml};
use doctor::{Input, Severity, corrected_input};

/// The configuration with other sizes.
fn sizes(cp: &str, shard: &str) -> Input {
    let cp = format!("parallelism_config_cp_size: {cp}");
    let shard = format!("parallelism_config_dp_shard_size: {shard}");
    let changes = [
        ("parallelism_config_cp_size: 2", cp.as_str()),
        ("parallelism_config_dp_shard_size: 4", shard.as_str()),
    ];
    config(yaml(&changes), "1.13.0")
}

#[test]
fn a_size_that_is_none_stays_open() {
    for size in ["0", "-1", "four", "1e99", "null", "[2]"] {
        let input = sizes(size, "4");
        assert_eq!(corrected_input(&input), None, "{size}");
        assert_eq!(report(&input).corrected, None, "{size}");
        // What else is wrong is corrected all the same, and CP is not lost by it.
        let two = Input { accelerate: Some("1.9.0".into()), ..input };
        let text = corrected_input(&two).and_then(|after| after.config);
        assert!(text.is_none_or(|text| text.contains("cp_size:")), "{size}");
    }
}

#[test]
fn nothing_absurd_is_offered() {
    for (cp, shard) in [("1000000", "4"), ("1000000", "1000000"), ("1e99", "1e99"), ("7", "1")] {
        let input = sizes(cp, shard);
        if let Some(after) = corrected_input(&input) {
            let left = report(&after).findings;
            assert!(left.iter().all(|f| f.severity == Severity::Info), "{cp} {shard}: {left:?}");
        }
    }
    for setting in [("seq_len", "long"), ("launcher", "slurm"), ("foo", "1"), ("packing", "maybe")]
    {
        assert_eq!(corrected_input(&set(config(CP_2, "1.13.0"), &[setting])), None, "{setting:?}");
    }
}

#[test]
fn advice_does_not_contradict_itself() {
    let fix = |from: &str, to: &str| {
        let input = config(yaml(&[(from, to)]), "1.13.0");
        report(&input).findings.into_iter().map(|finding| finding.fix).collect::<Vec<_>>()
    };
    for fixes in [
        fix("num_processes: 8", "num_processes: eight"),
        fix("distributed_type: FSDP", "distributed_type: sharded"),
        fix("parallelism_config_cp_size: 2", "parallelism_config_cp_size: 0"),
    ] {
        assert_eq!(fixes.len(), 1, "{fixes:?}");
        assert!(!fixes[0].contains("leave it out"), "{fixes:?}");
    }
    assert_eq!(fix("fsdp_version: 2", "fsdp_version: 3"), ["Write fsdp_version: 2."]);
}
