//! What the launcher refuses, and what the machine makes of its processes.

use super::support::{CP_2, CP_FLAGS, config, flags, ids, on, report, set, yaml};
use doctor::{Input, Severity, corrected_input};
use plan::runtime::Preset;

#[track_caller]
fn check(input: &Input, expect: &[&str]) {
    assert_eq!(ids(input), expect, "{input:#?}");
}

/// Plain data parallelism with other keys.
pub fn ddp(keys: &str) -> Input {
    config(format!("distributed_type: MULTI_GPU\nnum_machines: 1\n{keys}"), "1.13.0")
}

/// A script under MPI on two nodes of 8 GPUs.
pub fn under_mpi(version: &str) -> Input {
    let input = Input { accelerate: Some(version.into()), ..Input::default() };
    on(set(input, &[("launcher", "python")]), Preset::H100TwoNodes)
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    for line in [
        "--multi_gpu --use_fsdp --num_processes 8 t.py",
        "--use_deepspeed --use_fsdp --num_processes 8 t.py",
        "--tpu --multi_gpu t.py",
        "--multi_gpu --num_processes 1 t.py",
    ] {
        check(&flags(line, "1.13.0"), &["flags-contradict"]);
        check(&flags(line, "1.10.0"), &["flags-contradict"]);
    }
    for line in ["--cpu --multi_gpu t.py", "--cpu --tpu t.py"] {
        check(&flags(line, "1.13.0"), &["flags-contradict"]);
    }
    check(&flags("--cpu --use_fsdp t.py", "1.13.0"), &["cpu-with-fsdp"]);
    check(&flags("--multi_gpu --num_processes 2 t.py", "1.13.0"), &[]);
    check(&flags("--use_fsdp --num_processes 2 t.py", "1.13.0"), &[]);
}

#[test]
fn the_mesh_flag_is_refused_at_launch_without_fsdp2() {
    let line = "--num_processes 4 --use_parallelism_config --parallelism_config_cp_size 4 t.py";
    for input in [
        flags(line, "1.13.0"),
        Input {
            launch: flags("--use_parallelism_config t.py", "").launch,
            ..config(CP_2, "1.13.0")
        },
    ] {
        check(&input, &["cp-needs-fsdp2"]);
        let found = report(&input);
        assert_eq!(found.findings[0].stage, doctor::Stage::Launch);
        let after = corrected_input(&input).expect("it can be corrected");
        check(&after, &[]);
    }
    check(&flags(CP_FLAGS, "1.13.0"), &[]);
}

#[test]
fn visible_gpus_are_counted() {
    let seen = |list: &str| {
        ids(&on(set(config(CP_2, "1.13.0"), &[("CUDA_VISIBLE_DEVICES", list)]), Preset::H100Node))
    };
    for few in ["0", "0,1,2,3", "0,1,2,3,4,5,6,-1", "0,1,2,3,4,5,6,99"] {
        assert_eq!(seen(few), ["more-ranks-than-gpus"], "{few}");
    }
    assert!(seen("0,1,2,3,4,5,6,7").is_empty());
    for none in ["", "-1"] {
        let found = seen(none);
        assert_eq!(found.first(), Some(&"more-ranks-than-gpus"), "{none:?}");
        assert!(found.contains(&"nccl-without-cuda"), "{none:?}");
        // Showing the GPUs again keeps CP.
        let hidden = set(config(CP_2, "1.13.0"), &[("CUDA_VISIBLE_DEVICES", none)]);
        let after = corrected_input(&on(hidden, Preset::H100Node)).expect("it can be corrected");
        assert_eq!(after.config.as_deref().map(|text| text.contains("cp_size: 2")), Some(true));
        check(&after, &[]);
    }
    check(&ddp("num_processes: 4\ngpu_ids: 0,1\n"), &["more-ranks-than-gpus"]);
    check(&ddp("num_processes: 2\ngpu_ids: 0,1\n"), &[]);
    check(&ddp("num_processes: 4\ngpu_ids: all\n"), &[]);
    // The launcher's list outranks the variable.
    let both = set(ddp("num_processes: 2\ngpu_ids: 0,1\n"), &[("CUDA_VISIBLE_DEVICES", "0")]);
    check(&both, &[]);
    let found = report(&ddp("num_processes: 4\ngpu_ids: '0'\n")).findings;
    assert!(found[0].message.contains("less than two GPU ids"), "{found:?}");
}

#[test]
fn machines_processes_and_ranks_fit_together() {
    let machines = |count: &str, more: &str| {
        let line = format!("num_machines: {count}\n{more}");
        config(yaml(&[("num_machines: 1\n", &line)]), "1.13.0")
    };
    let address = "main_process_ip: 10.0.0.1\nmain_process_port: 29500\n";
    check(&machines("3", address), &["machines-do-not-fit"]);
    check(&machines("2", address), &[]);
    check(&machines("2", ""), &["machines-do-not-fit"]);
    let sixth = config(yaml(&[("machine_rank: 0", "machine_rank: 5")]), "1.13.0");
    check(&sixth, &["machines-do-not-fit"]);
}

#[test]
fn the_panel_and_the_doctor_agree() {
    for (version, told) in [("1.12.0", "gpus-passed-over"), ("1.13.0", "ranks-alone")] {
        check(&under_mpi(version), &[told]);
        // With a LOCAL_RANK they take their GPUs.
        check(&set(under_mpi(version), &[("LOCAL_RANK", "0")]), &[]);
    }
    let notebook = |preset, processes| {
        let input = Input { accelerate: Some("1.13.0".into()), ..Input::default() };
        on(set(input, &[("launcher", "notebook"), ("num_processes", processes)]), preset)
    };
    check(&notebook(Preset::ColabT4, "2"), &["processes-ignored"]);
    check(&notebook(Preset::ColabT4, "1"), &[]);
    check(&notebook(Preset::H100Node, "9"), &["more-ranks-than-gpus"]);
    check(&notebook(Preset::H100Node, "8"), &[]);
}

#[test]
fn other_starters_do_not_read_the_file() {
    for launcher in ["python", "torchrun"] {
        let input = set(config(CP_2, "1.13.0"), &[("launcher", launcher)]);
        check(&input, &["cp-flag-ignored"]);
        let after = corrected_input(&input).expect("it can be corrected");
        let open =
            |input: &Input| report(input).findings.iter().any(|f| f.severity > Severity::Info);
        assert!(!open(&after), "{after:#?}");
    }
}
