//! `ringside doctor`: what it prints, and how it ends.

use super::Folder;

const CP_2: &str = "\
distributed_type: FSDP
fsdp_config:
  fsdp_version: 2
mixed_precision: bf16
num_processes: 2
parallelism_config:
  parallelism_config_cp_size: 2
";

fn with_config() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.0.path().join("cp.yaml"), CP_2).unwrap();
    folder
}

#[test]
fn a_fault_is_named_and_ends_with_1() {
    let folder = with_config();
    let end = folder.run("doctor --accelerate-config cp.yaml --accelerate-version 1.12.0 --json");
    assert_eq!(end.code, Some(1), "{end:#?}");
    let report = end.json();
    assert_eq!(report["verdict"], "error");
    assert_eq!(report["mesh"]["axes"]["cp"], 2);
    let finding = &report["findings"][0];
    assert_eq!(finding["id"], "cp-context-never-built");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["since"], "1.12.0");
    assert_eq!(finding["fixed_in"], "1.13.0");
    assert_eq!(finding["reference"], "huggingface/accelerate#3856");
    for key in ["message", "why", "fix"] {
        assert!(finding[key].as_str().is_some_and(|text| text.len() > 10), "{finding}");
    }
}

#[test]
fn a_healthy_run_ends_with_0() {
    let folder = with_config();
    let end = folder.run("doctor --accelerate-config cp.yaml --accelerate-version 1.13.0 --json");
    assert_eq!(end.code, Some(0), "{end:#?}");
    let report = end.json();
    assert_eq!(report["verdict"], "ok");
    assert_eq!(report["findings"], serde_json::json!([]));
    let end = folder.run("doctor --accelerate-config cp.yaml --accelerate-version 1.13.0");
    assert!(end.stdout.contains("mesh: 2 ranks: cp 2"), "{end:#?}");
}

#[test]
fn the_page_for_people_ends_with_the_correction() {
    let folder = with_config();
    let end = folder
        .run("doctor --accelerate-config cp.yaml --accelerate-version 1.12.0 --set seq_len=4095");
    assert_eq!(end.code, Some(1), "{end:#?}");
    for text in [
        "error: cp-context-never-built (at the first step)",
        "Fix: Install accelerate 1.13.0",
        "pip install \"accelerate>=1.13.0\"",
        "In the script: pad_to_multiple_of = 4",
        "parallelism_config_cp_size: 2",
    ] {
        assert!(end.stdout.contains(text), "{text}: {end:#?}");
    }
}

#[test]
fn machines_settings_and_flags_are_heard() {
    let folder = Folder::new();
    let ids = |line: &str| {
        let report = folder.run(line).json();
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        findings.iter().map(|f| f["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let colab = "doctor --json --accelerate-version 1.12.0 --simulate colab-cpu";
    assert_eq!(ids(colab), ["nvidia-smi-missing"]);
    let alone = "doctor --json --accelerate-version 1.13.0 --simulate laptop \
                 --set launcher=notebook --set num_processes=2";
    assert_eq!(ids(alone), ["ranks-alone"]);
    let flag = "doctor --json --accelerate-version 1.13.0 -- --use_fsdp --fsdp_version 2 \
                --parallelism_config_cp_size 2 train.py";
    assert_eq!(ids(flag), ["cp-flag-ignored"]);
    let end = folder.run("doctor --simulate this --accelerate-version 1.13.0");
    assert_eq!(end.code, Some(0), "{end:#?}");
}

#[test]
fn an_error_is_read_from_a_file() {
    let folder = with_config();
    let text = b"\xff\nAttributeError: 'Accelerator' object has no attribute '_cp_context'\n";
    std::fs::write(folder.0.path().join("error.txt"), text).unwrap();
    let end = folder.run("doctor --error error.txt");
    assert_eq!(end.code, Some(1), "{end:#?}");
    for text in [
        "This error is known",
        "your error: AttributeError: 'Accelerator' object has no attribute '_cp_context'",
        "cp-context-before-prepare: The script enters",
        "lesson=no-context",
        "[ ?] Is CP configured",
    ] {
        assert!(end.stdout.contains(text), "{text}: {end:#?}");
    }
    let both = "doctor --error error.txt --accelerate-config cp.yaml --accelerate-version 1.12.0";
    let end = folder.run(both);
    assert!(end.stdout.contains("(at the first step, your error)"), "{end:#?}");
    let end = folder.run(&format!("{both} --json"));
    assert_eq!(end.json()["error"]["causes"][0]["standing"], "found");
    // With nothing on stdin there is no error in it, and that is no reason to fail.
    let end = folder.run("doctor --error - --json");
    assert_eq!((end.code, &end.json()["verdict"]), (Some(0), &"warning".into()));
}

#[test]
fn a_file_given_as_another_is_told_where_it_belongs() {
    let folder = with_config();
    let end = folder.run("doctor --error cp.yaml --accelerate-version 1.12.0");
    assert_eq!(end.code, Some(1), "{end:#?}");
    for text in ["note: misplaced-text", "--accelerate-config)", "error: cp-context-never-built"] {
        assert!(end.stdout.contains(text), "{text}: {end:#?}");
    }
}

#[test]
fn a_request_that_cannot_be_met_ends_with_2() {
    let folder = Folder::new();
    std::fs::write(folder.0.path().join("binary.yaml"), [b'a', b'\n', 0xff]).unwrap();
    for (line, says) in [
        ("doctor", "nothing to diagnose"),
        ("doctor --accelerate-config gone.yaml", "accelerate_config = gone.yaml"),
        ("doctor --accelerate-config .", "accelerate_config = ."),
        ("doctor --accelerate-config binary.yaml", "line 2"),
        ("doctor --error gone.txt", "error = gone.txt"),
        ("doctor --simulate cray", "h100-two-nodes"),
        ("doctor --set WORLD_SIZE", "a name and a value"),
    ] {
        let end = folder.run(line);
        assert_eq!(end.code, Some(2), "{line}: {end:#?}");
        assert!(end.stderr.contains(says), "{line}: {end:#?}");
        assert_eq!(end.stdout, "", "{line}");
    }
}

#[test]
fn what_is_no_configuration_is_a_finding() {
    let folder = Folder::new();
    std::fs::write(folder.0.path().join("big.yaml"), "x".repeat(10 << 20)).unwrap();
    std::fs::write(folder.0.path().join("broken.yaml"), "a: [1\nb: 2\n").unwrap();
    for (file, says) in [("big", "10485760 bytes"), ("broken", "line 2, column 2")] {
        let end = folder.run(&format!("doctor --accelerate-config {file}.yaml --json"));
        assert_eq!(end.code, Some(1), "{end:#?}");
        let finding = &end.json()["findings"][0];
        assert_eq!(finding["id"], "bad-yaml");
        assert!(finding["message"].as_str().unwrap().contains(says), "{finding}");
    }
}
