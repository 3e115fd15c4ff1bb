//! What the machine decides.

use super::support::{CP_2, PLAIN_CPU, config, flags, ids, on, set, yaml};
use doctor::Input;
use plan::runtime::Preset;

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

#[test]
fn what_needs_a_gpu_is_named_where_there_is_none() {
    let on_cpu = |input| on(input, Preset::Laptop);
    let all = ["nccl-without-cuda", "gpu-only-feature", "cp-on-cpu"];
    check(&on_cpu(config(CP_2, "1.13.0")), &all);
    let plain = |kind: &str| {
        let kind = format!("'NO'\nnum_processes: 8\n{kind}");
        PLAIN_CPU
            .replace("num_processes: 1\n", "")
            .replace("use_cpu: true", "use_cpu: false")
            .replace("'NO'", &kind)
            .replacen("distributed_type: 'NO'\n", "", 1)
    };
    check(&on_cpu(config(plain("distributed_type: MULTI_GPU"), "1.13.0")), &["nccl-without-cuda"]);
    let deepspeed = plain("distributed_type: DEEPSPEED");
    check(&on_cpu(config(deepspeed, "1.13.0")), &["nccl-without-cuda", "gpu-only-feature"]);
    let flash = set(config(PLAIN_CPU, "1.13.0"), &[("attn_implementation", "flash_attention_2")]);
    check(&on_cpu(flash), &["gpu-only-feature"]);
    let fp8 = PLAIN_CPU.replace("mixed_precision: 'no'", "mixed_precision: fp8");
    check(&on_cpu(config(fp8, "1.13.0")), &["gpu-only-feature"]);
    let nccl = set(config(PLAIN_CPU, "1.13.0"), &[("ddp_backend", "nccl")]);
    check(&on_cpu(nccl), &["nccl-without-cuda"]);
}

#[test]
fn hidden_gpus_are_no_gpus() {
    let hidden = set(config(CP_2, "1.13.0"), &[("CUDA_VISIBLE_DEVICES", "")]);
    let found = ids(&on(hidden, Preset::H100Node));
    assert!(found.contains(&"nccl-without-cuda"), "{found:?}");
}

#[test]
fn more_processes_than_gpus_are_named() {
    let sixteen = yaml(&[
        ("num_processes: 8", "num_processes: 16"),
        ("parallelism_config_dp_shard_size: 4", "parallelism_config_dp_shard_size: 8"),
    ]);
    check(&on(config(sixteen.clone(), "1.13.0"), Preset::H100Node), &["more-ranks-than-gpus"]);
    check(&on(config(sixteen, "1.13.0"), Preset::H100TwoNodes), &[]);
}

#[test]
fn several_processes_on_cpus_need_mpirun() {
    let cpus =
        PLAIN_CPU.replace("'NO'", "MULTI_CPU").replace("num_processes: 1", "num_processes: 4");
    check(&config(cpus.clone(), "1.13.0"), &["processes-ignored"]);
    let mpirun = format!("{cpus}mpirun_config:\n  mpirun_hostfile: hosts\n");
    check(&config(mpirun, "1.13.0"), &[]);
    check(&set(config(cpus, "1.13.0"), &[("OMPI_COMM_WORLD_SIZE", "4")]), &[]);
}

#[test]
fn cp_on_several_cpus_is_out_of_reach() {
    let cpus = yaml(&[("distributed_type: FSDP", "distributed_type: MULTI_CPU")]);
    let found = ids(&config(cpus, "1.13.0"));
    assert!(found.contains(&"cp-on-cpu"), "{found:?}");
    let line = "--cpu --num_processes 2 --parallelism_config_cp_size 2 t.py";
    let found = ids(&flags(line, "1.13.0"));
    assert!(found.contains(&"cp-on-cpu") && found.contains(&"cp-flag-ignored"), "{found:?}");
}
