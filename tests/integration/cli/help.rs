//! Help is complete, and every example in it works as it is written.

use super::{Folder, done};

const COMMANDS: [&str; 12] = [
    "train",
    "verify",
    "inspect",
    "inspect shard",
    "inspect targets",
    "inspect schedule",
    "inspect traffic",
    "inspect memory",
    "inspect mesh",
    "inspect runtime",
    "bench",
    "faults",
];

#[test]
fn every_command_has_help_with_an_example() {
    for command in COMMANDS {
        let help = done(&format!("{command} --help")).stdout;
        assert!(help.contains("--json"), "{command}");
        assert!(help.contains("Example"), "{command}");
    }
}

#[test]
fn the_flags_of_the_contract_are_there() {
    let help = done("train --help").stdout;
    for flag in "config text task steps seq-len batch grad-accum layers d-model heads kv-heads cp \
                 dp strategy ulysses-degree layout documents window dropout lr warmup-steps \
                 optimizer weight-decay grad-clip eval-every eval-batches seed fault device backend \
                 force-cpu metrics trace save resume json"
        .split_whitespace()
    {
        assert!(help.contains(&format!("--{flag}")), "--{flag}");
    }
}

#[test]
fn examples_of_inspect_work() {
    for command in COMMANDS.into_iter().filter(|command| command.starts_with("inspect")) {
        let help = done(&format!("{command} --help")).stdout;
        let examples = help.lines().filter_map(|line| line.trim().strip_prefix("ringside inspect"));
        for example in examples {
            done(&format!("inspect{example}"));
        }
    }
}

#[test]
fn the_config_in_the_help_of_train_works() {
    let folder = Folder::new();
    let help = folder.done("train --help").stdout;
    let lines: Vec<_> = help.lines().map(str::trim).filter(|line| line.contains(" = ")).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    folder.write("run.toml", lines.join("\n"));
    folder.done("train --config run.toml --steps 1");
}
