//! A run with a fault on purpose says so, everywhere that it speaks.

use super::{Folder, done, keys};

const RUN: &str = "--seq-len 32 --d-model 16 --layers 1 --steps 2";

#[test]
fn the_list_names_each_with_its_symptom() {
    let list = done("faults --json").json();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), plan::Fault::ALL.len());
    for (view, fault) in list.iter().zip(plan::Fault::ALL) {
        assert_eq!(view["name"], fault.name());
        assert_eq!(keys(view), ["name", "reports", "symptom", "trains", "wrong"]);
    }
    let table = done("train --fault list").stdout;
    assert_eq!(table, done("faults").stdout);
    assert!(plan::Fault::ALL.into_iter().all(|fault| table.contains(fault.name())), "{table}");
}

#[test]
fn a_faulty_run_is_never_taken_for_a_healthy_one() {
    let note = "note: this run has a fault on purpose, local-positions: ";
    let end = done(&format!("train {RUN} --fault local-positions"));
    assert!(end.stderr.starts_with(note) && end.stdout.contains("fault on purpose"), "{end:#?}");
    let end = done(&format!("train {RUN} --fault local-positions --json"));
    assert!(end.stderr.starts_with(note), "{end:#?}");
    assert_eq!(end.json()["fault"], "local-positions");
    let healthy = done(&format!("train {RUN} --json"));
    assert!(!healthy.stderr.contains("fault") && healthy.json().get("fault").is_none());
}

#[test]
fn a_config_file_may_ask_for_one_and_a_flag_takes_it_back() {
    let folder = Folder::new();
    folder.write("run.toml", "fault = \"no-exchange\"\n");
    let end = folder.done(&format!("train {RUN} --config run.toml --json"));
    assert_eq!(end.json()["fault"], "no-exchange");
    assert_eq!(end.json()["bytes_predicted"], end.json()["bytes_measured"]);
    let end = folder.done(&format!("train {RUN} --config run.toml --fault none --json"));
    assert!(end.json().get("fault").is_none());
}

#[test]
fn verify_finds_it() {
    let end =
        Folder::new().run(&format!("verify {RUN} --fault mean-of-means --task recall --json"));
    assert_eq!(end.code, Some(1), "{end:#?}");
    assert_eq!((&end.json()["ok"], &end.json()["fault"]), (&false.into(), &"mean-of-means".into()));
    assert!(end.json()["worst"]["rel_norm"].as_f64().unwrap() > 0.1, "{end:#?}");
}

#[test]
fn a_context_that_was_never_built_ends_the_run_with_its_cause() {
    let end = Folder::new().run(&format!("train {RUN} --fault cp-before-group"));
    assert_eq!(end.code, Some(1), "{end:#?}");
    assert!(end.stderr.contains("there is no CP context yet: cp = 4 is configured"), "{end:#?}");
}
