//! The text of an error: what it is known by, what leads to it, and what was given beside it.

use super::support::{CP_2, CP_FLAGS, config, flags, report, set, yaml};
use doctor::{Fate, Id, Input, Severity, Standing, State, Symptom, Verdict, corrected_input};

fn error(text: &str) -> Input {
    Input { error: Some(text.to_owned()), ..Input::default() }
}

fn symptom(input: &Input) -> Symptom {
    report(input).error.expect("an error was given")
}

fn causes(input: &Input) -> Vec<&'static str> {
    symptom(input).causes.iter().map(|cause| cause.id.name()).collect()
}

const NO_CONTEXT: &str = "AttributeError: 'Accelerator' object has no attribute '_cp_context'";

const THREE: [&str; 3] =
    ["cp-context-never-built", "cp-context-before-prepare", "no-cp-in-version"];

/// As torchrun prints it, with the launcher's own words behind.
const TRACEBACK: &str = r#"
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 118, in <module>
[rank1]:     main()
[rank1]:   File "/workspace/train.py", line 96, in main
[rank1]:     trainer.train()
[rank1]:   File "/lib/python3.11/site-packages/accelerate/accelerator.py", line 4089, in maybe_context_parallel
[rank1]:     with self._cp_context(
[rank1]:          ^^^^^^^^^^^^^^^^
[rank1]: AttributeError: 'Accelerator' object has no attribute '_cp_context'
E1202 09:00:00 4242 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1)
Traceback (most recent call last):
  File "/opt/conda/bin/accelerate", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
"#;

#[test]
fn every_error_that_is_known_leads_to_its_findings() {
    for (text, expect) in [
        (NO_CONTEXT, &THREE[..]),
        (TRACEBACK, &THREE),
        (
            "AttributeError: 'Accelerator' object has no attribute 'maybe_context_parallel'",
            &["no-cp-in-version"],
        ),
        (
            "ModuleNotFoundError: No module named 'accelerate.parallelism_config'",
            &["no-cp-in-version"],
        ),
        (
            "ValueError: Context parallelism is supported only with SDPA attention, you are using \
             flash_attention_2.",
            &["attention-not-sdpa"],
        ),
        (
            "ValueError: Using `cp_size>1` requires FSDP2, but the provided `fsdp_plugin` is \
             using FSDP1. ",
            &["cp-needs-fsdp2"],
        ),
        (
            "ValueError: You cannot use `--use_parallelism_config` without `--use_fsdp` and \
             `--fsdp_version=2`. ",
            &["cp-needs-fsdp2"],
        ),
        (
            "ValueError: ParallelismConfig is only compatible DistributedType.FSDP (version 2) or \
             DistributedType.Multi{Device}, but got DistributedType.NO.",
            &["cp-needs-fsdp2", "cp-on-cpu"],
        ),
        (
            "ValueError: Context Parallelism (CP) and Sequence Parallelism (SP) are mutually \
             exclusive. Got cp_size=2 and sp_size=2.",
            &["cp-and-sp"],
        ),
        (
            "ValueError: Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data \
             parallelism (dp_replicate_size > 1 and dp_shard_size == 1).",
            &["cp-with-pure-dp"],
        ),
        (
            "ValueError: ParallelismConfig total_size (8) does not match num_processes (6).",
            &["sizes-do-not-multiply"],
        ),
        (
            "ValueError: FSDP2-based Context parallelism is only available in PyTorch 2.6.0 and \
             later versions. Please upgrade your PyTorch version.",
            &["torch-too-old"],
        ),
        (
            "ValueError: Invalid cp_comm_strategy: ring. Must be one of 'allgather' or 'alltoall'.",
            &["strategy-name"],
        ),
        (
            "ValueError: Context parallelism does not support attention layers of type \
             ['sliding_attention'] (model GemmaForCausalLM).",
            &["window-with-cp"],
        ),
        (
            "ValueError: Packing is not compatible with context parallelism (`cp_size > 1`).",
            &["packing-with-cp"],
        ),
        (
            "    assert seq_length % (cp_world_size * 2) == 0\nAssertionError",
            &["length-not-divisible"],
        ),
        ("KeyError: \"Invalid mesh_dim_names ('dp_shard_cp',) specified.\"", &["nothing-to-shard"]),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'nvidia-smi'",
            &["nvidia-smi-missing"],
        ),
        (
            "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!",
            &["nccl-without-cuda"],
        ),
        ("RuntimeError: Distributed package doesn't have NCCL built in", &["nccl-without-cuda"]),
        (
            "NotImplementedError: Operator aten._scaled_dot_product_flash_attention_for_cpu.default \
             does not have a sharding strategy registered.",
            &["cp-on-cpu"],
        ),
        (
            "AssertionError: Torch not compiled with CUDA enabled",
            &["gpu-only-feature", "more-ranks-than-gpus"],
        ),
        ("RuntimeError: CUDA error: invalid device ordinal", &["more-ranks-than-gpus"]),
        (
            "ValueError: You can only use one of `--cpu`, `--multi_gpu`, `--tpu`, \
             `--use_deepspeed`, `--use_fsdp` at a time.",
            &["flags-contradict", "cpu-with-fsdp"],
        ),
        (
            "ValueError: You need to use at least 2 processes to use `--multi_gpu`.",
            &["flags-contradict"],
        ),
        (
            "ValueError: The config file at c.yaml had unknown keys (['cp_size']), please",
            &["unknown-key", "no-cp-in-version"],
        ),
        (
            "ValueError: You need to manually pass in `--num_processes` using this config yaml.",
            &["missing-key"],
        ),
        ("ValueError: invalid truth value maybe", &["bad-value"]),
        ("yaml.scanner.ScannerError: mapping values are not allowed here", &["bad-yaml"]),
    ] {
        assert_eq!(causes(&error(text)), expect, "{text}");
        let report = report(&error(text));
        assert_eq!(report.verdict, Verdict::Error, "{text}");
        assert_eq!(report.findings, [], "{text}");
        let symptom = symptom(&error(text));
        assert!(text.contains(&symptom.line) && !symptom.line.is_empty(), "{symptom:?}");
        for cause in &symptom.causes {
            assert!(cause.sign.to_string().len() > 10, "{cause:?}");
        }
    }
}

#[test]
fn what_only_points_to_another_error_says_so() {
    for text in [
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "subprocess.CalledProcessError: Command '['t.py']' returned non-zero exit status 1.",
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1",
    ] {
        let symptom = symptom(&error(text));
        assert!(!symptom.is_known() && symptom.advice.contains("above it"), "{symptom:?}");
    }
}

#[test]
fn what_is_no_known_error_is_said_to_be_unknown() {
    for (text, line) in [
        ("ZeroDivisionError: division by zero", "ZeroDivisionError: division by zero"),
        ("", ""),
        (" \n\n", ""),
        ("it does not work", ""),
        ("\u{0}\u{fffd}\u{7f}\u{1}", ""),
    ] {
        let report = report(&error(text));
        assert_eq!(report.verdict, Verdict::Warning, "{text:?}");
        let symptom = report.error.expect("an error was given");
        assert_eq!((&symptom.line[..], symptom.causes.len()), (line, 0), "{text:?}");
        let asks = if line.is_empty() { "Traceback" } else { "configuration" };
        assert!(symptom.advice.contains(asks), "{symptom:?}");
    }
    // Of a huge one the end counts, and a line is shown as far as a message bears it.
    let huge = format!("{}\nKeyError: {}\n", "é".repeat(5 << 20), "x".repeat(5000));
    let line = symptom(&error(&huge)).line;
    assert!(line.starts_with("KeyError: xxx") && line.len() < 300, "{}", line.len());
    let buried = format!("{}\n{NO_CONTEXT}\n", "noise\n".repeat(1 << 20));
    assert!(symptom(&error(&buried)).is_known());
}

#[test]
fn what_is_given_beside_it_tells_causes_apart() {
    let standings = |input: &Input| {
        symptom(input).causes.iter().map(|cause| cause.standing).collect::<Vec<_>>()
    };
    use Standing::{Found, Open, RuledOut};
    let with = |input: Input| Input { error: Some(NO_CONTEXT.to_owned()), ..input };
    assert_eq!(standings(&with(Input::default())), [Open, Open, Open]);
    let broken = with(config(CP_2, "1.12.0"));
    assert_eq!(standings(&broken), [Found, Open, RuledOut]);
    let told = report(&broken);
    let symptom_of = |input: &Input| symptom(input);
    assert!(symptom_of(&broken).is(&told.findings[0]));
    assert!(symptom_of(&broken).advice.contains("cp-context-never-built"));
    assert_eq!(told.title(), "This run will go wrong.");
    let healthy = with(config(CP_2, "1.13.0"));
    assert_eq!(standings(&healthy), [RuledOut, Open, RuledOut]);
    assert!(symptom_of(&healthy).advice.contains("That leaves cp-context-before-prepare"));
    let early = set(healthy.clone(), &[("context", "before-prepare")]);
    assert_eq!(standings(&early), [RuledOut, Found, RuledOut]);
    let late = set(healthy, &[("context", "after-prepare")]);
    assert_eq!(standings(&late), [RuledOut, RuledOut, RuledOut]);
    assert!(symptom_of(&late).advice.contains("pip show accelerate"));
    let old = with(Input { accelerate: Some("1.9.0".into()), ..Input::default() });
    assert_eq!(standings(&old), [RuledOut, RuledOut, Open]);
    // A finding that has nothing to do with the error is not it.
    let other = with(config(yaml(&[("num_processes: 8", "num_processes: 6")]), "1.13.0"));
    assert!(report(&other).findings.iter().all(|finding| !symptom_of(&other).is(finding)));
}

#[test]
fn an_error_alone_says_nothing_about_the_run() {
    let told = report(&error(NO_CONTEXT));
    assert_eq!(told.context.fate, Fate::Unsaid);
    assert_eq!((told.mesh, told.corrected, told.playground), (None, None, None));
    for step in told.stories.iter().flat_map(|story| story.steps.iter().skip(1)) {
        assert_eq!(step.state, State::Unknown, "{step:?}");
    }
    let symptom = told.error.expect("an error was given");
    assert_eq!((symptom.story, symptom.lesson), (Some("lost-context"), Some("no-context")));
    assert!(told.stories.iter().any(|story| Some(story.id) == symptom.story));
    assert_eq!(corrected_input(&error(NO_CONTEXT)), None);
}

#[test]
fn an_error_is_taken_for_one_wherever_it_stands() {
    let misplaced = config(TRACEBACK, "1.12.0");
    let told = report(&misplaced);
    assert_eq!(told.findings.iter().map(|f| f.id).collect::<Vec<_>>(), [Id::MisplacedText]);
    let symptom = told.error.expect("the configuration is an error");
    assert_eq!(symptom.line, "AttributeError: 'Accelerator' object has no attribute '_cp_context'");
    // A configuration that is no YAML stays one.
    assert_eq!(report(&config("a: b: c\n", "1.13.0")).error, None);
    let both = Input { error: Some("KeyError: 'x'".into()), ..config(NO_CONTEXT, "1.13.0") };
    assert!(report(&both).error.is_some_and(|symptom| symptom.is_known()));
}

#[test]
fn versions_that_the_error_names_count_where_none_was_given() {
    let env = format!("{NO_CONTEXT}\n\n- `Accelerate` version: 1.12.0\n- PyTorch version: 2.9.1\n");
    let named = Input { config: Some(CP_2.into()), ..error(&env) };
    let found = report(&named).findings;
    assert_eq!(found.iter().map(|f| f.id).collect::<Vec<_>>(), [Id::CpContextNeverBuilt]);
    let given = Input { accelerate: Some("1.13.0".into()), ..named };
    assert_eq!(report(&given).findings, []);
}

#[test]
fn the_corrected_run_has_left_the_error_behind() {
    for input in [config(CP_2, "1.12.0"), flags(CP_FLAGS, "1.12.0")] {
        let input = Input { error: Some(NO_CONTEXT.to_owned()), ..input };
        let after = corrected_input(&input).expect("it can be corrected");
        let again = report(&after);
        assert_eq!((again.error, again.verdict), (None, Verdict::Ok));
        assert!(report(&input).findings.iter().any(|f| f.severity == Severity::Error));
    }
}
