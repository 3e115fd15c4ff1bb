//! Bad input: it is named, with its place, and the rest is still diagnosed.

use super::support::{CP_2, CP_FLAGS, config, flags, ids, report, set, yaml};
use doctor::{Input, Verdict};

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

#[test]
fn broken_yaml_has_line_and_column() {
    for (text, line) in [
        ("distributed_type: FSDP\nfsdp_config: [1\nuse_cpu: false\n", 3),
        ("distributed_type: FSDP\n\tuse_cpu: false\n", 2),
        ("a: b: c\n", 1),
        ("a: 'b\n", 1),
    ] {
        let report = report(&config(text, "1.13.0"));
        let [finding] = &report.findings[..] else { panic!("{text:?}: {:?}", report.findings) };
        assert_eq!(finding.id.name(), "bad-yaml", "{text:?}");
        assert_eq!(finding.place.map(|place| place.line), Some(line), "{finding:?}");
        assert!(finding.message.contains(&format!("line {line}, column")), "{finding:?}");
        assert_eq!(report.verdict, Verdict::Error);
        assert_eq!(report.corrected, None);
    }
}

#[test]
fn what_is_no_configuration_is_no_yaml_for_it() {
    for text in ["", "# nothing\n", "- a\n- b\n", "just text", "---\na: 1\n---\nb: 2\n"] {
        check(&config(text, "1.13.0"), &["bad-yaml"]);
    }
    check(&config("x".repeat(10 << 20), "1.13.0"), &["bad-yaml"]);
    check(&config(format!("a: {}", "[".repeat(100_000)), "1.13.0"), &["bad-yaml"]);
}

#[test]
fn unknown_keys_are_named_with_the_nearest_and_the_rest_is_diagnosed() {
    let slip = yaml(&[("num_machines", "num_machine")]);
    let found = report(&config(slip, "1.12.0"));
    let names: Vec<_> = found.findings.iter().map(|f| f.id.name()).collect();
    assert_eq!(names, ["unknown-key", "cp-context-never-built"]);
    assert!(found.findings[0].fix.contains("num_machines"), "{:?}", found.findings[0]);
    let bare = yaml(&[("parallelism_config_cp_size", "cp_size")]);
    let found = report(&config(bare, "1.13.0"));
    assert_eq!(found.findings[0].id.name(), "unknown-key");
    assert!(found.findings[0].fix.contains("parallelism_config_cp_size"));
    check(&config(format!("{CP_2}use_parallelism_config: true\n"), "1.13.0"), &["unknown-key"]);
    check(&config(format!("{CP_2}my_own: 1\n"), "1.13.0"), &["unknown-key"]);
    check(&config(format!("{CP_2}debug: true\n"), "1.13.0"), &["duplicate-key"]);
    check(&config(format!("{CP_2}ipex_config:\n  ipex: true\n"), "1.11.0"), &[]);
    check(&config(format!("{CP_2}ipex_config:\n  ipex: true\n"), "1.13.0"), &["unknown-key"]);
    let sp = yaml(&[("  parallelism_config_tp_size: 1", "  parallelism_config_sp_size: 1")]);
    check(&config(sp.clone(), "1.11.0"), &["unknown-key"]);
    check(&config(sp, "1.13.0"), &[]);
}

#[test]
fn sizes_that_cannot_be_are_named() {
    for size in ["0", "-2", "two", "1.5", "99999999999999999999999999", "true", "[2]", "{a: 2}"] {
        let line = format!("parallelism_config_cp_size: {size}");
        let text = yaml(&[("parallelism_config_cp_size: 2", &line)]);
        let found = ids(&config(text, "1.13.0"));
        assert_eq!(found.first(), Some(&"bad-value"), "{size}: {found:?}");
    }
    // In quotes it is understood all the same.
    let quoted = yaml(&[("parallelism_config_cp_size: 2", "parallelism_config_cp_size: '2'")]);
    check(&config(quoted, "1.12.0"), &["bad-value", "cp-context-never-built"]);
    for processes in ["0", "-1", "eight", "12345678901234567890"] {
        let text = yaml(&[("num_processes: 8", &format!("num_processes: {processes}"))]);
        check(&config(text, "1.13.0"), &["bad-value"]);
    }
    check(
        &config(yaml(&[("use_cpu: false", "use_cpu: maybe")]), "1.13.0").clone(),
        &["bad-value", "cpu-with-fsdp", "cp-on-cpu"],
    );
    check(
        &config(yaml(&[("mixed_precision: bf16", "mixed_precision: no")]), "1.13.0"),
        &["bad-value"],
    );
    check(&config(yaml(&[("distributed_type: FSDP\n", "")]), "1.13.0"), &["missing-key"]);
}

#[test]
fn flags_that_are_slips_are_named() {
    let slip = CP_FLAGS.replace("--num_processes", "--num_proceses");
    check(&flags(&slip, "1.13.0"), &["unknown-key"]);
    let text = CP_FLAGS.replace("cp_size 2", "cp_size two");
    let found = ids(&flags(&text, "1.13.0"));
    assert_eq!(found.first(), Some(&"bad-value"), "{found:?}");
    let file = flags("--config_file my.yaml train.py", "1.13.0");
    check(&file, &["not-understood"]);
}

#[test]
fn variables_that_are_slips_are_named() {
    let with = |settings: &[(&str, &str)]| set(flags(CP_FLAGS, "1.13.0"), settings);
    check(&with(&[("PARALLELISM_CONFIG_CP_SIZES", "2")]), &["unknown-key"]);
    // The launcher sets the sizes anew, so what the variable was before does not matter.
    check(&with(&[("PARALLELISM_CONFIG_CP_SIZE", "two")]), &[]);
    let by_variable =
        [("ACCELERATE_USE_PARALLELISM_CONFIG", "true"), ("PARALLELISM_CONFIG_CP_SIZE", "two")];
    check(&set(flags("t.py", "1.13.0"), &by_variable), &["bad-value"]);
    check(&with(&[("seq_len", "long")]), &["bad-value"]);
    check(&with(&[("launcher", "slurm")]), &["bad-value"]);
    check(&with(&[("HOME", "/root"), ("OMP_NUM_THREADS", "1")]), &[]);
}

#[test]
fn an_unknown_version_is_named_with_what_is_assumed() {
    let version = |text: Option<&str>| Input {
        accelerate: text.map(str::to_owned),
        ..config(CP_2, "1.13.0")
    };
    for text in [None, Some("banana"), Some("9.9.9"), Some("1.13.0.dev0")] {
        let report = report(&version(text));
        let [finding] = &report.findings[..] else { panic!("{text:?}: {:?}", report.findings) };
        assert_eq!(finding.id.name(), "unknown-version", "{text:?}");
        assert!(finding.message.contains("assumed"), "{finding:?}");
        assert_eq!(report.verdict, Verdict::Warning);
    }
    check(&version(Some("1.15.0.dev0")), &[]);
    check(&version(Some("1.13.0")), &[]);
    check(&Input { torch: Some("new".into()), ..config(CP_2, "1.13.0") }, &["unknown-version"]);
    // Without CP nothing depends on it.
    check(&Input { config: Some(super::support::PLAIN_CPU.into()), ..Input::default() }, &[]);
}

#[test]
fn deepspeed_and_sagemaker_are_recognised() {
    let deepspeed = "\
compute_environment: LOCAL_MACHINE
deepspeed_config:
  deepspeed_multinode_launcher: standard
  zero3_init_flag: true
  zero_stage: 3
distributed_type: DEEPSPEED
mixed_precision: bf16
num_machines: 1
num_processes: 8
";
    check(&config(deepspeed, "1.13.0"), &[]);
    let sagemaker =
        "compute_environment: AMAZON_SAGEMAKER\ndistributed_type: 'NO'\nnum_machines: 1\n";
    check(&config(sagemaker, "1.13.0"), &["not-understood"]);
    let fsdp1 = yaml(&[("fsdp_version: 2", "fsdp_version: 1")]);
    check(&config(fsdp1, "1.13.0"), &["cp-needs-fsdp2"]);
}

#[test]
fn nothing_is_refused() {
    let refusal = doctor::diagnose(&Input::default()).expect_err("there is nothing");
    assert_eq!(refusal.field, "doctor");
}
