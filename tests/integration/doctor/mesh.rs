//! The mesh of a run, and the run that the playground opens.

use super::support::{CP_2, CP_FLAGS, PLAIN_CPU, config, flags, report, yaml};
use doctor::Fate;
use plan::{Layout, StrategyKind};

#[test]
fn the_mesh_has_accelerates_axes_in_its_order() {
    let report = report(&config(CP_2, "1.13.0"));
    let json = serde_json::to_value(&report.mesh).expect("a mesh is JSON");
    assert_eq!(json["axes"].to_string(), serde_json::json!({"dp_shard": 4, "cp": 2}).to_string());
    assert_eq!(json["flattened"]["dp_shard_cp"], 8);
    assert_eq!(json["flattened"]["dp"], 4);
    assert_eq!(json["world_size"], 8);
    assert_eq!(json["ranks"][5]["coordinate"], serde_json::json!({"dp_shard": 2, "cp": 1}));
    assert_eq!(json["ranks"][5]["groups"]["cp"], serde_json::json!([4, 5]));
    assert_eq!(json["ranks"][5]["groups"]["dp_shard"], serde_json::json!([1, 3, 5, 7]));
    assert_eq!(report.context.fate, Fate::Built);
}

#[test]
fn sizes_that_nobody_reads_make_no_mesh() {
    let line = CP_FLAGS.replace("--use_parallelism_config ", "");
    let report = report(&flags(&line, "1.13.0"));
    let mesh = report.mesh.expect("there are 8 processes");
    assert_eq!(mesh.axes.iter().collect::<Vec<_>>(), [("dp_shard", &8)]);
    assert_eq!(report.context.fate, Fate::Ignored);
}

#[test]
fn a_large_or_unfit_mesh_lists_no_ranks() {
    let six = yaml(&[("num_processes: 8", "num_processes: 6")]);
    let mesh = report(&config(six, "1.13.0")).mesh.expect("the sizes are known");
    assert!(mesh.ranks().len() == 0 && mesh.note.is_some());
    let large = yaml(&[
        ("num_processes: 8", "num_processes: 2048"),
        ("parallelism_config_dp_shard_size: 4", "parallelism_config_dp_shard_size: 1024"),
    ]);
    let mesh = report(&config(large, "1.13.0")).mesh.expect("the sizes are known");
    assert!(mesh.ranks().len() == 0 && mesh.note.is_some());
}

#[test]
fn the_fate_of_the_context_is_told() {
    let fate = |input| report(&input).context.fate;
    assert_eq!(fate(config(CP_2, "1.12.0")), Fate::NeverBuilt);
    assert_eq!(fate(config(CP_2, "1.9.0")), Fate::NotReached);
    assert_eq!(fate(config(PLAIN_CPU, "1.13.0")), Fate::NotAsked);
    assert_eq!(fate(config("a: [", "1.13.0")), Fate::Unknown);
}

#[test]
fn the_playground_opens_the_mesh_scaled_down() {
    let open = |text: &str| report(&config(text, "1.13.0")).playground.expect("CP is asked for");
    let small = open(CP_2);
    assert_eq!((small.run.cp, small.run.dp), (2, 4));
    assert_eq!((small.run.strategy, small.run.layout), (StrategyKind::AllGather, Layout::Zigzag));
    let ring = yaml(&[
        ("allgather", "alltoall"),
        ("parallelism_config_cp_size: 2", "parallelism_config_cp_size: 64"),
    ]);
    let ring = open(&ring);
    assert_eq!((ring.run.cp, ring.run.dp), (8, 1));
    assert_eq!(ring.run.strategy, StrategyKind::Ring);
    assert!(ring.notes.iter().any(|note| note.contains("64")));
    let ulysses = yaml(&[("parallelism_config_cp_size: 2", "parallelism_config_sp_size: 8")]);
    let ulysses = open(&ulysses);
    assert_eq!((ulysses.run.cp, ulysses.run.strategy), (8, StrategyKind::Ulysses));
    assert_eq!(report(&config(PLAIN_CPU, "1.13.0")).playground, None);
}
