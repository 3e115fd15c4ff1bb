//! Each known situation, version by version: what is found, or nothing.

use super::support::{CP_2, CP_FLAGS, PLAIN_CPU, config, flags, ids, on, set, yaml};
use doctor::Input;
use plan::runtime::Preset;

const SHARD_4: &str = "parallelism_config_dp_shard_size: 4";
const CP: &str = "parallelism_config_cp_size: 2";

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

#[test]
fn a_configuration_in_order_gives_no_finding() {
    for version in ["1.10.0", "1.11.0", "1.13.0", "1.14.0", "1.15.0"] {
        check(&config(CP_2, version), &[]);
        check(&flags(CP_FLAGS, version), &[]);
        check(&config(PLAIN_CPU, version), &[]);
    }
    check(&on(config(CP_2, "1.13.0"), Preset::H100Node), &[]);
    check(&on(config(PLAIN_CPU, "1.13.0"), Preset::ColabCpu), &[]);
    check(&on(config(PLAIN_CPU, "1.13.0"), Preset::Mac), &[]);
    check(&flags("train.py", "1.13.0"), &[]);
}

#[test]
fn the_context_is_never_built_in_1_12_0() {
    check(&config(CP_2, "1.12.0"), &["cp-context-never-built"]);
    check(&flags(CP_FLAGS, "1.12.0"), &["cp-context-never-built"]);
    check(&config(CP_2, "1.13.0"), &[]);
    // Without CP the fault has nothing to break.
    check(
        &config(
            yaml(&[
                (CP, "parallelism_config_cp_size: 1"),
                (SHARD_4, "parallelism_config_dp_shard_size: 8"),
            ]),
            "1.12.0",
        ),
        &[],
    );
}

#[test]
fn a_context_entered_before_prepare_fails_in_every_version() {
    for version in ["1.10.0", "1.13.0", "1.15.0"] {
        let input = set(config(CP_2, version), &[("context", "before-prepare")]);
        check(&input, &["cp-context-before-prepare"]);
        check(&set(config(CP_2, version), &[("context", "after-prepare")]), &[]);
    }
    let both = set(config(CP_2, "1.12.0"), &[("context", "before-prepare")]);
    check(&both, &["cp-context-never-built", "cp-context-before-prepare"]);
}

#[test]
fn before_1_10_0_there_is_no_cp() {
    for version in ["1.9.0", "1.0.0", "0.34.2"] {
        check(&config(CP_2, version), &["no-cp-in-version"]);
        check(&flags(CP_FLAGS, version), &["no-cp-in-version"]);
        let variables =
            [("ACCELERATE_USE_PARALLELISM_CONFIG", "true"), ("PARALLELISM_CONFIG_CP_SIZE", "2")];
        check(&set(flags("train.py", version), &variables), &["no-cp-in-version"]);
    }
    check(&config(CP_2, "1.10.0"), &[]);
    check(&config(CP_2, "1.11.0"), &[]);
}

#[test]
fn cp_needs_torch_2_6() {
    let with_torch =
        |version: &str| Input { torch: Some(version.to_owned()), ..config(CP_2, "1.13.0") };
    check(&with_torch("2.5.1"), &["torch-too-old"]);
    check(&with_torch("2.5.1+cu124"), &["torch-too-old"]);
    check(&with_torch("2.6.0"), &[]);
}

#[test]
fn colab_without_a_gpu_stops_at_nvidia_smi_until_1_13_0() {
    let colab = |version: &str, settings: &[(&str, &str)]| {
        let input = Input { accelerate: Some(version.into()), ..Input::default() };
        on(set(input, settings), Preset::ColabCpu)
    };
    check(&colab("1.12.0", &[]), &["nvidia-smi-missing"]);
    check(&colab("1.12.0", &[("launcher", "notebook")]), &["nvidia-smi-missing"]);
    check(&colab("1.12.0", &[("launcher", "accelerate")]), &[]);
    check(&colab("1.13.0", &[]), &[]);
    // The number of processes is not looked at there.
    check(&colab("1.13.0", &[("num_processes", "2")]), &["processes-ignored"]);
    // With a file it may be either launcher.
    check(&on(config(PLAIN_CPU, "1.12.0"), Preset::ColabCpu), &["nvidia-smi-missing"]);
    let t4 = Input { accelerate: Some("1.12.0".into()), ..Input::default() };
    check(&on(t4, Preset::ColabT4), &[]);
}

#[test]
fn ranks_of_a_notebook_on_a_cpu_are_alone() {
    let notebook = [("launcher", "notebook"), ("num_processes", "2")];
    // Seen by running: 1.12.0 makes a group of them, 1.13.0 makes none.
    let old = Input { accelerate: Some("1.12.0".into()), ..Input::default() };
    let old = on(set(old, &notebook), Preset::Laptop);
    check(&old, &["ranks-alone"]);
    assert_eq!(super::support::report(&old).verdict, doctor::Verdict::Ok);
    for version in ["1.13.0", "1.15.0"] {
        let input = Input { accelerate: Some(version.into()), ..Input::default() };
        check(&on(set(input.clone(), &notebook), Preset::Laptop), &["ranks-alone"]);
        check(&on(set(input.clone(), &notebook), Preset::H100Node), &[]);
        let one = [("launcher", "notebook"), ("num_processes", "1")];
        check(&on(set(input.clone(), &one), Preset::Laptop), &[]);
        let cpu = [notebook[0], notebook[1], ("ACCELERATE_USE_CPU", "true")];
        check(&on(set(input.clone(), &cpu), Preset::Laptop), &[]);
        let torchrun = [("launcher", "torchrun"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "2")];
        let input = on(set(input, &torchrun), Preset::Laptop);
        let found = ids(&input);
        assert!(found.contains(&"ranks-alone"), "{found:?}");
    }
}

#[test]
fn cp_and_sp_are_refused_together_from_1_13_0() {
    let both =
        yaml(&[(SHARD_4, "parallelism_config_dp_shard_size: 2\n  parallelism_config_sp_size: 2")]);
    check(&config(both.clone(), "1.13.0"), &["cp-and-sp"]);
    check(&config(both.clone(), "1.15.0"), &["cp-and-sp"]);
    check(&config(both, "1.12.0"), &["cp-context-never-built"]);
}

#[test]
fn cp_with_replicas_that_shard_nothing_is_refused() {
    let pure = yaml(&[
        (SHARD_4, "parallelism_config_dp_shard_size: 1"),
        ("parallelism_config_dp_replicate_size: 1", "parallelism_config_dp_replicate_size: 4"),
    ]);
    check(&config(pure.clone(), "1.13.0"), &["cp-with-pure-dp"]);
    check(&config(pure, "1.12.0"), &["cp-with-pure-dp", "cp-context-never-built"]);
    let hybrid = yaml(&[
        (SHARD_4, "parallelism_config_dp_shard_size: 2"),
        ("parallelism_config_dp_replicate_size: 1", "parallelism_config_dp_replicate_size: 2"),
    ]);
    check(&config(hybrid, "1.13.0"), &[]);
}

#[test]
fn cp_without_fsdp2_is_refused() {
    let kind =
        |name: &str| yaml(&[("distributed_type: FSDP", &format!("distributed_type: {name}"))]);
    let needs = ["cp-needs-fsdp2"];
    check(&config(kind("MULTI_GPU"), "1.13.0"), &needs);
    check(&config(kind("DEEPSPEED"), "1.13.0"), &needs);
    check(&config(kind("MEGATRON_LM"), "1.13.0"), &needs);
    check(&config(yaml(&[("fsdp_version: 2", "fsdp_version: 1")]), "1.13.0"), &needs);
    check(&config(yaml(&[("  fsdp_version: 2\n", "")]), "1.13.0"), &needs);
    check(&config(kind("MULTI_GPU"), "1.12.0"), &["cp-needs-fsdp2", "cp-context-never-built"]);
    let standalone = [("ACCELERATE_ALLOW_CP_STANDALONE", "true")];
    check(&set(config(kind("MULTI_GPU"), "1.13.0"), &standalone), &[]);
    let line = "--num_processes 2 --multi_gpu --use_parallelism_config --parallelism_config_cp_size 2 t.py";
    check(&flags(line, "1.13.0"), &needs);
}

#[test]
fn the_cpu_with_fsdp_is_refused() {
    check(&flags("--cpu --use_fsdp train.py", "1.13.0"), &["cpu-with-fsdp"]);
    let cpu = yaml(&[("use_cpu: false", "use_cpu: true")]);
    check(&config(cpu.clone(), "1.13.0"), &["cpu-with-fsdp", "cp-on-cpu"]);
    let all = ["cpu-with-fsdp", "cp-on-cpu", "cp-context-never-built"];
    check(&config(cpu, "1.12.0"), &all);
    let mut both = config(CP_2, "1.13.0");
    both.launch = Some(vec!["--cpu".into(), "train.py".into()]);
    check(&both, &["cpu-with-fsdp", "cp-on-cpu"]);
}

#[test]
fn a_window_is_lost_until_it_is_refused() {
    let window = [("sliding_window", "4096")];
    check(&set(config(CP_2, "1.13.0"), &window), &["window-with-cp"]);
    check(&set(config(CP_2, "1.15.0"), &window), &["window-with-cp"]);
    check(&set(config(CP_2, "1.13.0"), &[("sliding_window", "none")]), &[]);
    check(&set(config(PLAIN_CPU, "1.13.0"), &window), &[]);
}

#[test]
fn cp_reaches_no_attention_but_sdpa() {
    let with = |name: &str| set(config(CP_2, "1.13.0"), &[("attn_implementation", name)]);
    for name in ["flash_attention_2", "flash_attention_3", "eager", "kernels-community/flash-attn2"]
    {
        check(&with(name), &["attention-not-sdpa"]);
        let typed = format!("{CP_FLAGS} --attn_implementation {name}");
        check(&flags(&typed, "1.13.0"), &["attention-not-sdpa"]);
    }
    for name in ["sdpa", "none", ""] {
        check(&with(name), &[]);
    }
    check(&set(config(PLAIN_CPU, "1.13.0"), &[("attn_implementation", "eager")]), &[]);
    // DeepSpeed's exchange of heads takes others as well.
    let sp = yaml(&[(CP, "parallelism_config_sp_size: 2"), ("FSDP\n", "DEEPSPEED\n")]);
    let found = ids(&set(config(sp, "1.13.0"), &[("attn_implementation", "flash_attention_2")]));
    assert!(!found.contains(&"attention-not-sdpa"), "{found:?}");
}

#[test]
fn masks_and_packing_are_lost() {
    let with = |settings: &[(&str, &str)]| set(config(CP_2, "1.13.0"), settings);
    check(&with(&[("attention_mask", "custom")]), &["mask-dropped"]);
    check(&with(&[("padding_side", "left")]), &["mask-dropped"]);
    check(&with(&[("attention_mask", "causal"), ("padding_side", "right")]), &[]);
    check(&with(&[("packing", "true")]), &["packing-with-cp"]);
    check(&with(&[("packing", "false")]), &[]);
    let mut trl = config(CP_2, "1.13.0");
    trl.launch = Some(["sft.py", "--packing", "--max_length", "4096"].map(String::from).to_vec());
    check(&trl, &["packing-with-cp"]);
    trl.trl = Some("1.11.0".into());
    check(&trl, &["packing-with-cp"]);
}

#[test]
fn a_length_must_be_a_multiple_of_twice_cp() {
    let with = |settings: &[(&str, &str)]| set(config(CP_2, "1.13.0"), settings);
    check(&with(&[("seq_len", "4098")]), &["length-not-divisible"]);
    check(&with(&[("seq_len", "4096")]), &[]);
    check(&with(&[("seq_len", "4098"), ("pad_to_multiple_of", "4")]), &[]);
    check(&with(&[("seq_len", "4096"), ("pad_to_multiple_of", "3")]), &["length-not-divisible"]);
    check(&set(config(PLAIN_CPU, "1.13.0"), &[("seq_len", "7")]), &[]);
}

#[test]
fn a_mean_of_means_is_wrong_on_unequal_shards() {
    let with = |settings: &[(&str, &str)]| set(config(CP_2, "1.13.0"), settings);
    check(&with(&[("valid_tokens", "unequal")]), &["loss-unequal-shards"]);
    check(&with(&[("valid_tokens", "unequal"), ("loss", "mean")]), &["loss-unequal-shards"]);
    check(&with(&[("valid_tokens", "unequal"), ("loss", "sum")]), &[]);
    check(&with(&[("valid_tokens", "equal"), ("loss", "mean")]), &[]);
}

#[test]
fn sizes_must_multiply() {
    let six = yaml(&[("num_processes: 8", "num_processes: 6")]);
    check(&config(six, "1.13.0"), &["sizes-do-not-multiply"]);
    let line = CP_FLAGS.replace("num_processes 8", "num_processes 7");
    check(&flags(&line, "1.13.0"), &["sizes-do-not-multiply"]);
}

#[test]
fn sizes_that_nobody_reads_are_named() {
    let without = CP_FLAGS.replace("--use_parallelism_config ", "");
    check(&flags(&without, "1.13.0"), &["cp-flag-ignored"]);
    check(&flags(&without, "1.12.0"), &["cp-flag-ignored"]);
    let off = yaml(&[(CP, "parallelism_config_cp_size: 2\n  use_parallelism_config: false")]);
    check(&config(off, "1.13.0"), &["cp-flag-ignored"]);
    let on_in_section =
        yaml(&[(CP, "parallelism_config_cp_size: 2\n  use_parallelism_config: true")]);
    check(&config(on_in_section, "1.13.0"), &[]);
    let mut kind = config(CP_2, "1.13.0");
    kind.launch = Some(["--use_fsdp", "--fsdp_version", "2", "t.py"].map(String::from).to_vec());
    check(&kind, &["cp-flag-ignored"]);
    let variable = set(flags("t.py", "1.13.0"), &[("PARALLELISM_CONFIG_CP_SIZE", "2")]);
    check(&variable, &["cp-flag-ignored"]);
    check(&set(config(CP_2, "1.13.0"), &[("launcher", "notebook")]), &["cp-flag-ignored"]);
}

#[test]
fn strategies_have_names() {
    let named = |name: &str| {
        let line = format!("parallelism_config_cp_comm_strategy: {name}");
        config(yaml(&[("parallelism_config_cp_comm_strategy: allgather", &line)]), "1.13.0")
    };
    check(&named("alltoall"), &["strategy-name"]);
    check(&named("ring"), &["strategy-name"]);
    check(&named("allgather"), &[]);
    assert_eq!(super::support::report(&named("alltoall")).verdict, doctor::Verdict::Ok);
    assert_eq!(super::support::report(&named("ring")).verdict, doctor::Verdict::Error);
}

#[test]
fn fsdp2_needs_something_to_shard() {
    let nothing = yaml(&[
        (CP, "parallelism_config_cp_size: 1"),
        (SHARD_4, "parallelism_config_dp_shard_size: 1"),
        ("parallelism_config_tp_size: 1", "parallelism_config_tp_size: 8"),
    ]);
    check(&config(nothing, "1.15.0"), &["nothing-to-shard"]);
}
