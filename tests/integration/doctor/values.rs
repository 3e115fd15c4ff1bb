//! Values that accelerate stops at, and those that it takes although they look wrong.

use super::support::{CP_2, CP_FLAGS, config, flags, ids, report, set, yaml};
use doctor::{Input, Severity};

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

/// The configuration with another value for a key.
fn with(key: &str, value: &str) -> Input {
    let line = CP_2.lines().find(|line| line.trim_start().starts_with(&format!("{key}:")));
    let line = line.expect("there is such a key");
    let indent = &line[..line.len() - line.trim_start().len()];
    config(CP_2.replace(line, &format!("{indent}{key}: {value}")), "1.13.0")
}

#[test]
fn empty_values_are_named_where_accelerate_needs_one() {
    for empty in ["", "null", "~"] {
        for key in [
            "parallelism_config_cp_size",
            "parallelism_config_dp_shard_size",
            "parallelism_config_dp_replicate_size",
            "parallelism_config_cp_comm_strategy",
            "num_processes",
            "num_machines",
            "fsdp_version",
            "distributed_type",
            "compute_environment",
        ] {
            let input = with(key, empty);
            assert_eq!(ids(&input), ["bad-value"], "{key}: {empty:?}");
        }
        for key in ["mixed_precision", "debug", "rdzv_backend", "main_training_function"] {
            check(&with(key, empty), &[]);
        }
    }
    check(&with("parallelism_config_cp_comm_strategy", "[a]"), &["bad-value"]);
}

#[test]
fn gpu_ids_are_text() {
    check(&config(format!("{CP_2}gpu_ids: 0\n"), "1.13.0"), &["bad-value", "more-ranks-than-gpus"]);
    check(&config(format!("{CP_2}gpu_ids: all\n"), "1.13.0"), &[]);
    check(&config(format!("{CP_2}gpu_ids:\n"), "1.13.0"), &[]);
    check(&config(format!("{CP_2}gpu_ids: 0,1,2,3,4,5,6,7\n"), "1.13.0"), &[]);
}

#[test]
fn quotes_harm_only_what_is_compared() {
    let quoted = |key: &str, value: &str| with(&format!("parallelism_config_{key}_size"), value);
    check(&quoted("dp_shard", "'4'"), &[]);
    check(&quoted("tp", "'1'"), &[]);
    check(&quoted("dp_replicate", "\"1\""), &[]);
    check(&quoted("cp", "'2'"), &["bad-value"]);
    check(&quoted("dp_shard", "'four'"), &["bad-value"]);
    let sp = yaml(&[("  parallelism_config_tp_size: 1", "  parallelism_config_sp_size: '1'")]);
    check(&config(sp, "1.13.0"), &["bad-value"]);
}

#[test]
fn tags_count() {
    check(&with("num_processes", "!foo 8"), &["bad-yaml"]);
    check(&with("num_processes", "!!int '8'"), &[]);
    check(&with("num_processes", "!!int eight"), &["bad-yaml"]);
    check(&with("num_processes", "!!str 8"), &["bad-value"]);
    check(&with("use_cpu", "!!bool 'no'"), &[]);
}

#[test]
fn nothing_follows_from_what_was_not_understood() {
    let bad = ["bad-value"];
    check(&with("distributed_type", "FSDP2"), &bad);
    check(&with("distributed_type", "sharded"), &bad);
    check(&with("fsdp_version", "two"), &bad);
    check(&with("fsdp_version", "3"), &bad);
    check(&with("parallelism_config_cp_size", "four"), &bad);
    check(&with("parallelism_config_cp_size", "0"), &bad);
    for (from, to) in [
        ("cp_size 2", "cp_size four"),
        ("fsdp_version 2", "fsdp_version two"),
        ("num_processes 8", "num_processes eight"),
    ] {
        check(&flags(&CP_FLAGS.replace(from, to), "1.13.0"), &bad);
    }
    check(&flags("--parallelism_config_cp_size four t.py", "1.13.0"), &["bad-value"]);
    for setting in [("packing", "maybe"), ("sliding_window", "abc"), ("seq_len", "long")] {
        check(&set(config(CP_2, "1.13.0"), &[setting]), &bad);
    }
}

#[test]
fn variables_that_hold_no_number_are_named() {
    let alone = |name: &str, value: &str| {
        set(Input { accelerate: Some("1.13.0".into()), ..Input::default() }, &[(name, value)])
    };
    for (name, good) in [
        ("WORLD_SIZE", &["1", " 8 "][..]),
        ("LOCAL_WORLD_SIZE", &["8"]),
        ("RANK", &["0", "7"]),
        ("LOCAL_RANK", &["0", "-1"]),
        ("MASTER_PORT", &["29500"]),
        ("OMP_NUM_THREADS", &["1", "4,2"]),
        ("FSDP_VERSION", &["1", "2"]),
        ("OMPI_COMM_WORLD_SIZE", &["2"]),
        ("PMI_RANK", &["0"]),
        ("MPI_LOCALNRANKS", &["2"]),
    ] {
        for bad in ["abc", "", "-2", "1.5", "99999999999"] {
            let input = alone(name, bad);
            let found = report(&input).findings;
            let [finding] = &found[..] else { panic!("{name}={bad}: {found:?}") };
            assert_eq!(finding.id.name(), "bad-value", "{finding:?}");
            assert!(finding.message.contains(&format!("{name} = {bad}")), "{finding:?}");
            assert!(finding.fix.contains(&format!("{name}=")), "{finding:?}");
            // Beside others it is named as well, though the launcher may set it anew.
            check(&set(config(CP_2, "1.13.0"), &[(name, bad)]), &["bad-value"]);
            let two = set(input, &[("ACCELERATE_USE_CPU", "maybe")]);
            check(&two, &["bad-value", "bad-value"]);
        }
        for good in good {
            check(&alone(name, good), &[]);
        }
    }
    let severity = |input: &Input| report(input).findings[0].severity;
    let launched = |name: &str| set(config(CP_2, "1.13.0"), &[(name, "abc")]);
    assert_eq!(severity(&launched("WORLD_SIZE")), Severity::Warning);
    // The launcher itself reads it.
    assert_eq!(severity(&launched("OMP_NUM_THREADS")), Severity::Error);
    assert_eq!(severity(&alone("OMP_NUM_THREADS", "abc")), Severity::Warning);
    assert_eq!(severity(&alone("WORLD_SIZE", "abc")), Severity::Error);
}

#[test]
fn the_keys_of_sagemaker_are_known() {
    let file = "\
base_job_name: accelerate-sagemaker-1
compute_environment: AMAZON_SAGEMAKER
debug: false
distributed_type: DATA_PARALLEL
ec2_instance_type: ml.p3.2xlarge
gpu_ids: all
iam_role_name: role
mixed_precision: bf16
num_machines: 1
profile: default
py_version: py38
pytorch_version: 1.10.2
region: us-east-1
transformers_version: 4.17.0
use_cpu: false
";
    check(&config(file, "1.13.0"), &["not-understood"]);
    assert_eq!(super::support::report(&config(file, "1.13.0")).corrected, None);
    let elsewhere = format!("{CP_2}region: us-east-1\n");
    check(&config(elsewhere, "1.13.0"), &["unknown-key"]);
}
