//! The corrected run is in order when it is diagnosed again.

use super::messages::gallery;
use super::support::{CP_2, CP_FLAGS, config, flags, report, set};
use doctor::{Finding, Input, Severity, corrected_input};

/// Findings that no change can take away: what was not understood stays so.
const STAY: [&str; 9] = [
    "bad-yaml",
    "bad-value",
    "gpus-passed-over",
    "machines-do-not-fit",
    "misplaced-text",
    "not-understood",
    "ranks-alone",
    "unknown-key",
    "unknown-version",
];

#[test]
fn the_correction_of_every_finding_is_clean() {
    for (title, input) in gallery() {
        let before = report(&input);
        let stays = |f: &Finding| f.edits.is_empty() && STAY.contains(&f.id.name());
        if before.findings.iter().any(|finding| finding.id.name() == "bad-yaml") {
            continue;
        }
        let open = |f: &Finding| f.severity > Severity::Info && !stays(f);
        let expect = before.findings.iter().any(open);
        let Some(after) = corrected_input(&input) else {
            assert!(!expect, "{title}: no correction for {:?}", before.findings);
            continue;
        };
        let again = report(&after);
        let left: Vec<_> = again.findings.iter().filter(|finding| open(finding)).collect();
        assert!(left.is_empty(), "{title}: {left:#?}\n{after:#?}");
        assert_eq!(corrected_input(&after), None, "{title}: it would be corrected again");
    }
}

#[test]
fn a_correction_is_made_where_the_fault_was_given() {
    let stated = format!("{CP_FLAGS} --packing --attn_implementation flash_attention_2 --lr 1");
    let corrected = |input: &Input| report(input).corrected.expect("it can be corrected");
    let there = corrected(&flags(&stated, "1.13.0"));
    assert_eq!(there.script, Vec::<String>::new());
    let line = there.launch.expect("there is a line");
    assert_eq!(line, format!("accelerate launch {CP_FLAGS} --attn_implementation sdpa --lr 1"));
    let told = corrected(&set(config(CP_2, "1.13.0"), &[("packing", "true")]));
    assert_eq!((told.script, told.launch), (vec!["packing = false".to_owned()], None));
    // What is given in neither is for the script, and a length is no multiple.
    let length = corrected(&flags(&format!("{CP_FLAGS} --max_length 4095"), "1.13.0"));
    assert_eq!(length.script, ["pad_to_multiple_of = 4"]);
    // A line that starts something else keeps its start.
    let other = Input { torch: Some("2.7".into()), ..flags("torchrun t.py --packing", "1.13.0") };
    let on = [("ACCELERATE_USE_PARALLELISM_CONFIG", "1"), ("PARALLELISM_CONFIG_CP_SIZE", "2")];
    let on = [on[0], on[1], ("ACCELERATE_USE_FSDP", "1"), ("FSDP_VERSION", "2")];
    assert_eq!(corrected(&set(other, &on)).launch.as_deref(), Some("torchrun t.py"));
}

#[test]
fn a_correction_keeps_what_was_right() {
    let six = CP_2.replace("num_processes: 8", "num_processes: 6");
    let corrected = report(&config(six, "1.12.0")).corrected.expect("it can be corrected");
    let text = corrected.config.expect("there is a configuration");
    let shards = "parallelism_config_dp_shard_size: 3\n";
    assert!(text.contains(shards) && text.contains("num_processes: 6\n"), "{text}");
    assert!(text.contains("downcast_bf16: \"no\"\n"), "{text}");
    assert_eq!(corrected.install, ["accelerate>=1.13.0"]);
    assert_eq!(report(&config(CP_2, "1.13.0")).corrected, None);
}
