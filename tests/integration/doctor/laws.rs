//! Laws: no text makes it panic, and the order of keys does not matter.

use std::collections::BTreeMap;

use doctor::{Input, corrected_input, diagnose, split_line};
use plan::runtime::Preset;
use proptest::prelude::*;

use super::support::{CP_2, CP_FLAGS, flags, on, report, set};

/// Pieces that YAML texts are broken with.
const PIECES: &[&str] = &[
    ":",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!!int ",
    "!",
    "'",
    "\"",
    "|\n",
    ">\n",
    "#",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "\t",
    "\n",
    "  ",
    "? ",
    "<<: ",
    "~",
    "null",
    "yes",
    "no",
    "0x",
    "1e9",
    "-1",
    "99999999999999999999",
    "\u{0}",
    "\u{feff}",
    "é",
    "\u{2028}",
    ",",
    "parallelism_config",
    "parallelism_config_cp_size",
    "distributed_type",
    "num_processes",
];

/// Arguments of a script that CP does not go with.
const STATED: &[&str] = &[
    "--packing",
    "--packing True",
    "--packing=yes",
    "--attn_implementation flash_attention_2",
    "--attn-implementation=eager",
    "--padding_side left",
    "--pad_to_multiple_of 3",
    "--sliding_window 4096",
    "--attention_mask custom",
];

/// The same as facts.
const TOLD: &[(&str, &str)] =
    &[("packing", "true"), ("attn_implementation", "flash_attention_2"), ("padding_side", "left")];

fn broken() -> impl Strategy<Value = String> {
    let piece = (0..CP_2.len() + 1, 0..PIECES.len(), 0..12_usize);
    prop::collection::vec(piece, 1..12).prop_map(|edits| {
        let mut text = CP_2.to_owned();
        for (at, piece, cut) in edits {
            let floor = |at: usize, text: &str| {
                (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
            };
            let start = floor(at, &text);
            let end = floor(start + cut, &text).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        text
    })
}

fn any_input() -> impl Strategy<Value = Input> {
    let version = prop::option::of(prop::sample::select(vec![
        "1.9.0", "1.10.0", "1.12.0", "1.13.0", "1.15.0", "9.9", "x", "",
    ]));
    let text = prop_oneof![broken(), any::<String>(), Just(CP_2.to_owned())];
    let flag = prop::sample::select(vec![
        "--cpu",
        "--use_fsdp",
        "--fsdp_version",
        "2",
        "--num_processes",
        "0",
        "8",
        "t.py",
        "--parallelism_config_cp_size",
        "--parallelism_config_sp_size",
        "--mixed_precision",
        "fp8",
        "--",
        "-",
        "--x",
        "--=",
        "--use_deepspeed",
        "--multi_gpu",
        "--use_parallelism_config",
        "--packing",
        "--packing=True",
        "--max_length",
        "--attn_implementation",
        "flash_attention_2",
        "--padding-side",
        "left",
        "--pad_to_multiple_of=3",
        "--launcher",
        "notebook",
        "-m",
        "é",
        "",
    ]);
    let setting = prop::sample::select(vec![
        ("PARALLELISM_CONFIG_CP_SIZE", "4"),
        ("PARALLELISM_CONFIG_CP_SIZE", "-4"),
        ("ACCELERATE_USE_PARALLELISM_CONFIG", "true"),
        ("CUDA_VISIBLE_DEVICES", ""),
        ("launcher", "notebook"),
        ("num_processes", "2"),
        ("WORLD_SIZE", "0"),
        ("packing", "1"),
        ("seq_len", "7"),
        ("OMPI_COMM_WORLD_SIZE", "3"),
        ("ACCELERATE_USE_FSDP", "1"),
        ("sliding_window", "x"),
        ("valid_tokens", "unequal"),
        ("", ""),
    ]);
    let preset = prop::option::of(prop::sample::select(Preset::ALL.to_vec()));
    (
        prop::option::of(text),
        prop::option::of(prop::collection::vec(flag, 0..8)),
        prop::collection::vec(setting, 0..4),
        version,
        preset,
    )
        .prop_map(|(config, launch, settings, accelerate, preset)| {
            let input = Input {
                config,
                launch: launch.map(|words| words.into_iter().map(String::from).collect()),
                accelerate: accelerate.map(String::from),
                ..Input::default()
            };
            let input = set(input, &settings);
            match preset {
                Some(preset) => on(input, preset),
                None => input,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_makes_it_panic(text in prop_oneof![broken(), any::<String>()]) {
        let input = Input { config: Some(text), ..Input::default() };
        let _ = diagnose(&input);
    }

    #[test]
    fn no_input_makes_it_panic_and_a_correction_holds(input in any_input()) {
        if diagnose(&input).is_ok() && let Some(after) = corrected_input(&input) {
            let again = corrected_input(&after);
            prop_assert_eq!(again, None, "{:#?}\n{:#?}", after, diagnose(&after));
        }
    }

    #[test]
    fn what_the_line_says_of_the_script_is_corrected_in_the_line(
        stated in prop::sample::subsequence(STATED.to_vec(), 1..=STATED.len()).prop_shuffle(),
        version in prop::sample::select(vec!["1.12.0", "1.13.0", "1.15.0"]),
        told in prop::option::of(prop::sample::select(TOLD.to_vec())),
    ) {
        let line = format!("{CP_FLAGS} {} --lr 1e-5", stated.join(" "));
        let input = set(flags(&line, version), told.as_slice());
        let before = report(&input);
        let texts = before.corrected.expect("it can be corrected");
        // By hand is changed only what is not in the line.
        let by_hand = |change: &String| told.is_some_and(|(name, _)| change.starts_with(name));
        prop_assert!(texts.script.iter().all(by_hand), "{:#?}", texts.script);
        let typed = texts.launch.expect("there is a line");
        prop_assert!(typed.ends_with("--lr 1e-5"), "{typed}");
        let after = corrected_input(&input).expect("it can be corrected");
        // The line alone is in order as well, whatever else is told of the script.
        for again in [after.clone(), Input { settings: BTreeMap::new(), ..after }] {
            let again = Input { launch: Some(split_line(&typed)), ..again };
            let left = report(&again).findings;
            prop_assert!(left.is_empty(), "{line}\n{typed}\n{left:#?}");
        }
    }

    #[test]
    fn no_line_makes_it_panic(line in any::<String>()) {
        let input = Input { launch: Some(split_line(&line)), ..Input::default() };
        let _ = diagnose(&input);
    }

    #[test]
    fn the_order_of_keys_does_not_matter(
        lines in Just(blocks()).prop_shuffle(),
        version in prop::sample::select(vec!["1.9.0", "1.12.0", "1.13.0", "1.15.0"]),
    ) {
        let input = |config: String| Input {
            config: Some(config),
            accelerate: Some(version.to_owned()),
            ..Input::default()
        };
        let found = |input| {
            let report = report(&input);
            let mut found: Vec<_> = report
                .findings
                .into_iter()
                .map(|finding| (finding.id, finding.message.to_string(), finding.stage))
                .collect();
            found.sort();
            found
        };
        prop_assert_eq!(found(input(lines.concat())), found(input(blocks().concat())));
    }
}

/// A configuration with several faults, as blocks that may stand in any order.
fn blocks() -> Vec<String> {
    let faulty = CP_2
        .replace("num_machines", "num_machine")
        .replace("num_processes: 8", "num_processes: 6")
        .replace("fsdp_version: 2", "fsdp_version: 1")
        .replace("allgather", "rings")
        .replace("use_cpu: false", "use_cpu: 'no'");
    let mut blocks: Vec<String> = Vec::new();
    for line in faulty.lines() {
        match blocks.last_mut().filter(|_| line.starts_with(' ')) {
            Some(block) => block.push_str(&format!("{line}\n")),
            None => blocks.push(format!("{line}\n")),
        }
    }
    blocks
}
