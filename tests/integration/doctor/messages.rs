//! Every message as the user reads it; and every name is reached.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::support::{CP_2, CP_FLAGS, PLAIN_CPU, config, flags, on, report, set, yaml};
use doctor::{Id, Input};
use plan::runtime::Preset;

/// One input or more for each finding, under a title.
pub fn gallery() -> Vec<(&'static str, Input)> {
    let version = |text: &str| Input { accelerate: Some(text.into()), ..Input::default() };
    let kind = |name: &str| {
        config(yaml(&[("distributed_type: FSDP", &format!("distributed_type: {name}"))]), "1.13.0")
    };
    let size = |value: &str| {
        let line = format!("parallelism_config_cp_size: {value}");
        config(yaml(&[("parallelism_config_cp_size: 2", &line)]), "1.13.0")
    };
    let with = |settings: &[(&str, &str)]| set(config(CP_2, "1.13.0"), settings);
    let strategy = |name: &str| {
        let line = format!("comm_strategy: {name}");
        config(yaml(&[("comm_strategy: allgather", &line)]), "1.13.0")
    };
    let notebook = [("launcher", "notebook"), ("num_processes", "2")];
    vec![
        ("broken YAML", config("a: [1\nb: 2\n", "1.13.0")),
        ("an empty file", config("", "1.13.0")),
        ("ten megabytes", config("x".repeat(10 << 20), "1.13.0")),
        ("an unknown key", config(yaml(&[("num_machines", "num_machine")]), "1.13.0")),
        (
            "a key without its prefix",
            config(yaml(&[("parallelism_config_cp_size", "cp_size")]), "1.13.0"),
        ),
        (
            "use_parallelism_config at the top",
            config(format!("{CP_2}use_parallelism_config: true\n"), "1.13.0"),
        ),
        (
            "a key of a later version",
            config(
                yaml(&[("  parallelism_config_tp_size", "  parallelism_config_sp_size")]),
                "1.11.0",
            ),
        ),
        ("an unknown flag", flags(&CP_FLAGS.replace("num_processes", "num_proceses"), "1.13.0")),
        ("a variable that is a slip", with(&[("PARALLELISM_CONFIG_CP_SIZES", "2")])),
        ("a key twice", config(format!("{CP_2}debug: true\n"), "1.13.0")),
        ("no distributed_type", config(yaml(&[("distributed_type: FSDP\n", "")]), "1.13.0")),
        ("no num_processes", config(yaml(&[("num_processes: 8\n", "")]), "1.13.0")),
        ("a size of zero", size("0")),
        ("a size in words", size("two")),
        ("a size in quotes", size("'2'")),
        ("an absurd size", size("999999999999")),
        (
            "no without quotes",
            config(yaml(&[("mixed_precision: bf16", "mixed_precision: no")]), "1.13.0"),
        ),
        ("a switch in words", config(yaml(&[("use_cpu: false", "use_cpu: 'false'")]), "1.13.0")),
        ("a flag's size in words", flags(&CP_FLAGS.replace("cp_size 2", "cp_size two"), "1.13.0")),
        ("a fact that is none", with(&[("seq_len", "long")])),
        ("no version", Input { accelerate: None, ..config(CP_2, "") }),
        ("a version that is none", config(CP_2, "banana")),
        ("a version to come", config(CP_2, "9.9.9")),
        ("a development version", config(CP_2, "1.13.0.dev0")),
        ("SageMaker", config("compute_environment: AMAZON_SAGEMAKER\n", "1.13.0")),
        ("a file that was not given", flags("--config_file my.yaml t.py", "1.13.0")),
        ("before 1.10.0", config(CP_2, "1.9.0")),
        ("no use flag", flags(&CP_FLAGS.replace("--use_parallelism_config ", ""), "1.13.0")),
        (
            "switched off",
            config(
                yaml(&[("parallelism_config_tp_size: 1", "use_parallelism_config: false")]),
                "1.13.0",
            ),
        ),
        (
            "a kind flag",
            Input {
                launch: Some(["--use_fsdp", "--fsdp_version=2", "t.py"].map(String::from).to_vec()),
                ..config(CP_2, "1.13.0")
            },
        ),
        ("a variable alone", set(flags("t.py", "1.13.0"), &[("PARALLELISM_CONFIG_CP_SIZE", "2")])),
        ("a file and a notebook", with(&[("launcher", "notebook")])),
        ("torchrun", flags("torchrun --nproc_per_node 8 t.py", "1.13.0")),
        ("a line with nothing in it", flags("accelerate launch", "1.13.0")),
        ("a word that is no script", flags("train --cpu", "1.13.0")),
        (
            "a launch line as an error",
            Input { error: Some("accelerate launch --cpu t.py".into()), ..version("1.13.0") },
        ),
        (
            "a second configuration as an error",
            Input { error: Some(CP_2.into()), ..config(CP_2, "1.13.0") },
        ),
        ("a world size in words", set(version("1.13.0"), &[("WORLD_SIZE", "abc")])),
        ("a world size in words under the launcher", with(&[("WORLD_SIZE", "abc")])),
        ("a setting that is none", with(&[("seqlen", "4095")])),
        ("a release that never was", config(CP_2, "1.12.1")),
        ("a GPU's number without quotes", config(format!("{CP_2}gpu_ids: 0\n"), "1.13.0")),
        ("an empty size", size("")),
        ("--multi_gpu --use_fsdp", flags("--multi_gpu --use_fsdp t.py", "1.13.0")),
        ("--multi_gpu for one", flags("--multi_gpu --num_processes 1 t.py", "1.13.0")),
        (
            "a mesh without FSDP",
            flags(
                "--multi_gpu --num_processes 4 --use_parallelism_config \
                 --parallelism_config_cp_size 4 t.py",
                "1.13.0",
            ),
        ),
        ("eight on three machines", config(CP_2.replace("machines: 1", "machines: 3"), "1.13.0")),
        ("the sixth of one machine", config(CP_2.replace("rank: 0", "rank: 5"), "1.13.0")),
        ("machines without an address", config(CP_2.replace("nes: 1", "nes: 2"), "1.13.0")),
        ("one visible GPU", on(with(&[("CUDA_VISIBLE_DEVICES", "0")]), Preset::H100Node)),
        ("no visible GPU", on(with(&[("CUDA_VISIBLE_DEVICES", "")]), Preset::H100Node)),
        ("one GPU id", super::launcher::ddp("gpu_ids: '0'\nnum_processes: 4\n")),
        ("under MPI, 1.12.0", super::launcher::under_mpi("1.12.0")),
        ("under MPI, 1.13.0", super::launcher::under_mpi("1.13.0")),
        ("a file and torchrun", with(&[("launcher", "torchrun")])),
        ("--cpu --use_fsdp", flags("--cpu --use_fsdp t.py", "1.13.0")),
        ("use_cpu with FSDP", config(yaml(&[("use_cpu: false", "use_cpu: true")]), "1.13.0")),
        (
            "--cpu over a file with FSDP",
            Input {
                launch: Some(["--cpu", "t.py"].map(String::from).to_vec()),
                ..config(CP_2, "1.13.0")
            },
        ),
        ("Colab without a GPU, 1.12.0", on(version("1.12.0"), Preset::ColabCpu)),
        (
            "Colab without a GPU and a file, 1.12.0",
            on(config(PLAIN_CPU, "1.12.0"), Preset::ColabCpu),
        ),
        (
            "Colab without a GPU, two processes",
            on(set(version("1.13.0"), &[("num_processes", "2")]), Preset::ColabCpu),
        ),
        (
            "several CPUs without mpirun",
            config(
                PLAIN_CPU
                    .replace("'NO'", "MULTI_CPU")
                    .replace("num_processes: 1", "num_processes: 4"),
                "1.13.0",
            ),
        ),
        ("a notebook on a laptop", on(set(version("1.13.0"), &notebook), Preset::Laptop)),
        ("a notebook on a laptop, 1.12.0", on(set(version("1.12.0"), &notebook), Preset::Laptop)),
        (
            "mpirun on a laptop",
            on(set(version("1.13.0"), &[("OMPI_COMM_WORLD_SIZE", "2")]), Preset::Laptop),
        ),
        ("launched on a laptop", on(flags("--num_processes 2 t.py", "1.13.0"), Preset::Laptop)),
        (
            "sixteen ranks on eight GPUs",
            on(
                config(
                    yaml(&[
                        ("num_processes: 8", "num_processes: 16"),
                        ("dp_shard_size: 4", "dp_shard_size: 8"),
                    ]),
                    "1.13.0",
                ),
                Preset::H100Node,
            ),
        ),
        ("CP on a laptop", on(config(CP_2, "1.13.0"), Preset::Laptop)),
        ("CP on MULTI_CPU", kind("MULTI_CPU")),
        ("nccl on the CPU", set(config(PLAIN_CPU, "1.13.0"), &[("ddp_backend", "nccl")])),
        (
            "flash attention and fp8 on a laptop",
            on(
                set(
                    config(
                        PLAIN_CPU.replace("mixed_precision: 'no'", "mixed_precision: fp8"),
                        "1.13.0",
                    ),
                    &[("attn_implementation", "flash_attention_2")],
                ),
                Preset::Laptop,
            ),
        ),
        ("an old torch", Input { torch: Some("2.5.1".into()), ..config(CP_2, "1.13.0") }),
        ("alltoall", strategy("alltoall")),
        ("ring", strategy("ring")),
        (
            "CP and SP",
            config(
                yaml(&[("dp_shard_size: 4", "dp_shard_size: 2\n  parallelism_config_sp_size: 2")]),
                "1.13.0",
            ),
        ),
        (
            "CP with replicas",
            config(
                yaml(&[
                    ("dp_shard_size: 4", "dp_shard_size: 1"),
                    ("dp_replicate_size: 1", "dp_replicate_size: 4"),
                ]),
                "1.13.0",
            ),
        ),
        ("CP with FSDP1", config(yaml(&[("fsdp_version: 2", "fsdp_version: 1")]), "1.13.0")),
        ("CP with DDP", kind("MULTI_GPU")),
        ("CP with DeepSpeed", kind("DEEPSPEED")),
        ("CP with one process", kind("'NO'")),
        (
            "sizes for eight on six",
            config(yaml(&[("num_processes: 8", "num_processes: 6")]), "1.13.0"),
        ),
        (
            "sizes for eight on seven",
            config(yaml(&[("num_processes: 8", "num_processes: 7")]), "1.13.0"),
        ),
        (
            "nothing to shard",
            config(
                yaml(&[
                    ("cp_size: 2", "cp_size: 1"),
                    ("dp_shard_size: 4", "dp_shard_size: 1"),
                    ("tp_size: 1", "tp_size: 8"),
                ]),
                "1.15.0",
            ),
        ),
        ("a window, 1.13.0", with(&[("sliding_window", "4096")])),
        ("a window, 1.15.0", set(config(CP_2, "1.15.0"), &[("sliding_window", "4096")])),
        ("flash attention", with(&[("attn_implementation", "flash_attention_2")])),
        ("the fault of 1.12.0", config(CP_2, "1.12.0")),
        ("before prepare", with(&[("context", "before-prepare")])),
        ("an odd length", with(&[("seq_len", "4095")])),
        ("an odd multiple", with(&[("pad_to_multiple_of", "3")])),
        ("packing", with(&[("packing", "true")])),
        (
            "packing, TRL 1.11.0",
            Input { trl: Some("1.11.0".into()), ..with(&[("packing", "true")]) },
        ),
        ("a mask", with(&[("attention_mask", "custom")])),
        ("padding on the left", with(&[("padding_side", "left")])),
        ("unequal shards", with(&[("valid_tokens", "unequal")])),
    ]
}

#[test]
fn every_name_is_reached() {
    let mut reached = BTreeMap::<Id, usize>::new();
    for (_, input) in gallery() {
        for finding in report(&input).findings {
            *reached.entry(finding.id).or_default() += 1;
        }
    }
    for id in Id::ALL {
        assert!(reached.contains_key(id), "nothing in the gallery leads to {id}");
    }
}

#[test]
fn every_message_says_what_why_and_what_to_do() {
    for (title, input) in gallery() {
        for finding in report(&input).findings {
            for text in [&finding.message, &finding.why, &finding.fix] {
                let text = text.to_string();
                assert!(text.len() > 10, "{title}: {finding:?}");
                assert!(text.ends_with(['.', '?']), "{title}: {text}");
                assert!(!text.contains("  "), "{title}: {text}");
            }
        }
    }
}

#[test]
fn messages() {
    let mut page = String::new();
    for (title, input) in gallery() {
        let _ = writeln!(page, "# {title}");
        for finding in report(&input).findings {
            let place =
                finding.place.map_or(String::new(), |p| format!(" {}:{}", p.line, p.column));
            let severity = format!("{:?}", finding.severity).to_lowercase();
            let _ = writeln!(page, "{severity} {}{place}, {}", finding.id, finding.stage.title());
            let _ = writeln!(page, "  {}", finding.message);
            let _ = writeln!(page, "  why: {}", finding.why);
            let _ = writeln!(page, "  fix: {}", finding.fix);
            let history = [finding.since, finding.fixed_in, finding.reference];
            let _ = writeln!(page, "  {}", history.map(|h| h.unwrap_or("-")).join(" | "));
        }
        page.push('\n');
    }
    insta::with_settings!({ prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("messages", page);
    });
}

#[test]
fn stories() {
    let mut page = String::new();
    for (title, input) in [
        ("the fault of 1.12.0", config(CP_2, "1.12.0")),
        ("CP on a CPU-only Colab", on(config(CP_2, "1.12.0"), Preset::ColabCpu)),
        ("all is well", on(config(CP_2, "1.13.0"), Preset::H100Node)),
    ] {
        let _ = writeln!(page, "# {title}");
        for story in report(&input).stories {
            let _ = writeln!(page, "{}", story.title);
            for step in story.steps {
                let state = format!("{:?}", step.state).to_lowercase();
                let _ = writeln!(page, "  [{state}] {}\n    {}", step.question, step.answer);
            }
        }
        page.push('\n');
    }
    insta::with_settings!({ prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("stories", page);
    });
}
