//! The corrected run is in order when it is diagnosed again.

use super::messages::gallery;
use super::support::{CP_2, config, report};
use doctor::{Finding, Severity, corrected_input};

/// Findings that no change can take away: what was not understood stays so.
const STAY: [&str; 8] = [
    "bad-yaml",
    "bad-value",
    "gpus-passed-over",
    "machines-do-not-fit",
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
