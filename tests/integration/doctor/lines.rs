//! Lines and settings as people paste them: taken apart, or said not to be understood.

use super::support::{CP_2, CP_FLAGS, config, flags, ids, on, report, set};
use doctor::{Input, Verdict};
use plan::runtime::Preset;

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

#[test]
fn what_stands_before_the_launcher_is_taken_off() {
    for before in [
        "accelerate launch",
        "$ accelerate launch",
        "!accelerate launch",
        "nohup accelerate launch",
        "accelerate-launch",
        "python -m accelerate.commands.launch",
        "OMP_NUM_THREADS=1 NCCL_DEBUG=INFO accelerate launch",
    ] {
        for (version, expect) in [("1.13.0", vec![]), ("1.12.0", vec!["cp-context-never-built"])] {
            check(&flags(&format!("{before} {CP_FLAGS}"), version), &expect);
        }
    }
}

#[test]
fn variables_in_front_count() {
    let line = format!("CUDA_VISIBLE_DEVICES=0,1 accelerate launch {CP_FLAGS}");
    check(&on(flags(&line, "1.13.0"), Preset::H100Node), &["more-ranks-than-gpus"]);
    let line = "ACCELERATE_USE_PARALLELISM_CONFIG=true PARALLELISM_CONFIG_CP_SIZE=2 \
                accelerate launch --use_fsdp --fsdp_version 2 --num_processes 2 t.py";
    check(&flags(line, "1.12.0"), &["cp-context-never-built"]);
    let slip = format!("PARALLELISM_CONFIG_CP_SIZES=2 accelerate launch {CP_FLAGS}");
    check(&flags(&slip, "1.13.0"), &["unknown-key"]);
}

#[test]
fn what_is_no_launch_is_not_understood() {
    for line in [
        "accelerate launch",
        "torchrun --nproc_per_node 8 train.py",
        "python train.py",
        "mpirun -n 4 python t.py",
        "python -m torch.distributed.run t.py",
        "srun accelerate launch t.py",
        "cd here && accelerate launch --cpu --use_fsdp t.py",
        "accelerate test",
        "train",
    ] {
        check(&flags(line, "1.13.0"), &["not-understood"]);
        let report = report(&flags(line, "1.13.0"));
        assert_eq!(report.verdict, Verdict::Warning, "{line}");
    }
    check(&flags("--module train", "1.13.0"), &[]);
    check(&flags("t.py", "1.13.0"), &[]);
    let with_file = Input { config: Some(CP_2.into()), ..flags("torchrun t.py", "1.13.0") };
    check(&with_file, &["not-understood", "cp-flag-ignored"]);
}

#[test]
fn unknown_settings_are_listed() {
    for (name, meant) in [
        ("seqlen", "seq_len"),
        ("cp_size", "PARALLELISM_CONFIG_CP_SIZE"),
        ("foo", "help"),
        ("parallelism_config_tp_size", "PARALLELISM_CONFIG_TP_SIZE"),
        ("accelerate_use_cpu", "ACCELERATE_USE_CPU"),
    ] {
        let input = set(config(CP_2, "1.13.0"), &[(name, "4")]);
        check(&input, &["unknown-key"]);
        let found = report(&input).findings;
        assert!(found[0].message.contains(name) && found[0].fix.contains(meant), "{found:?}");
    }
    let real = [("TOKENIZERS_PARALLELISM", "false"), ("http_proxy", "x"), ("NCCL_DEBUG", "INFO")];
    check(&set(config(CP_2, "1.13.0"), &real), &[]);
}

#[test]
fn a_truth_value_that_is_none_is_named() {
    check(&set(config(CP_2, "1.13.0"), &[("ACCELERATE_USE_CPU", "maybe")]), &["bad-value"]);
    check(&set(config(CP_2, "1.13.0"), &[("ACCELERATE_USE_CPU", "no")]), &[]);
}

#[test]
fn the_last_of_several_values_is_said_to_count() {
    let once = set(config(CP_2, "1.13.0"), &[("WORLD_SIZE", "8")]);
    let said = |input: &Input| {
        report(input).assumed.iter().any(|a| a.to_string().starts_with("WORLD_SIZE=8"))
    };
    assert!(!said(&once));
    assert!(said(&Input { repeated: vec!["WORLD_SIZE".into()], ..once }));
}

#[test]
fn variables_that_the_launcher_sets_anew_do_not_matter() {
    let size = |value: &str| [("PARALLELISM_CONFIG_CP_SIZE".to_owned(), value.to_owned())];
    for value in ["abc", "0", "8"] {
        let input = Input { settings: size(value).into(), ..config(CP_2, "1.13.0") };
        check(&input, &[]);
        let input = Input { settings: size(value).into(), ..flags(CP_FLAGS, "1.13.0") };
        check(&input, &[]);
    }
    let python = [("ACCELERATE_USE_PARALLELISM_CONFIG", "true"), ("ACCELERATE_USE_FSDP", "true")];
    let python = set(Input { settings: size("abc").into(), ..Input::default() }, &python);
    assert!(ids(&python).contains(&"bad-value"));
}

#[test]
fn versions_that_never_were_are_named() {
    for (version, like) in [("1.12.1", "1.12.0"), ("1.9.99", "1.9.0"), ("1.13.5", "1.13.0")] {
        let found = report(&config(CP_2, version)).findings;
        assert_eq!(found[0].id.name(), "unknown-version", "{version}");
        assert!(found[0].message.contains(&format!("assumed to behave like {like}")), "{found:?}");
    }
    for version in ["1.10.1", "1.14.0", "0.34.2", "0.20.3"] {
        assert!(!ids(&config(CP_2, version)).contains(&"unknown-version"), "{version}");
    }
    let trl = |text: &str| Input {
        trl: Some(text.into()),
        ..set(config(CP_2, "1.13.0"), &[("packing", "true")])
    };
    check(&trl("latest"), &["unknown-version", "packing-with-cp"]);
    let message = |text: &str| report(&trl(text)).findings.pop().map(|finding| finding.message);
    assert_eq!(message("latest"), message("1.11.0"));
    assert_ne!(message("latest"), message("1.10.0"));
}

#[test]
fn a_refused_window_is_refused_since_1_15_0() {
    let history = |version| {
        let input = set(config(CP_2, version), &[("sliding_window", "4096")]);
        let finding = report(&input).findings.pop().expect("there is one");
        (finding.since, finding.fixed_in)
    };
    assert_eq!(history("1.13.0"), (Some("1.10.0"), Some("1.15.0")));
    assert_eq!(history("1.15.0"), (Some("1.15.0"), None));
}
