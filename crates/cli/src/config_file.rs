//! Reads a run from a TOML file, each key as the flag of that name.

use std::error::Error;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches};
use plan::Refusal;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::args::RunArgs;

/// Puts what `args.config` says under the flags that were given.
pub fn complete(args: &mut RunArgs) -> Result<(), Refusal> {
    if let Some(path) = &args.config {
        let file = read(path)?;
        *args = std::mem::take(args).over(file);
    }
    Ok(())
}

fn read(path: &Path) -> Result<RunArgs, Refusal> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        refuse(path, error.to_string(), "give a TOML file that exists and can be read")
    })?;
    let mut args = parse(path, &text)?;
    // A file and its text can be moved together.
    if let (Some(text), Some(folder)) = (&mut args.text, path.parent()) {
        *text = folder.join(&*text);
    }
    Ok(args)
}

fn parse(path: &Path, text: &str) -> Result<RunArgs, Refusal> {
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().map(|span| format!("line {}: ", line_of(text, span.start)));
        let reason = error.message().replace('\n', ", ");
        let place = place.unwrap_or_default();
        refuse(path, format!("{place}{reason}"), "write each line as key = value")
    })?;
    let mut flags = Vec::new();
    for (key, value) in document.get_ref() {
        let place = || format!("line {} of {}", line_of(text, key.span().start), path.display());
        flags.extend(flag(key.get_ref(), value, &place)?);
    }
    // Each was taken by itself, and a key stands in a table once.
    matches(&flags).map_err(|error| refuse(path, error.to_string(), "see ringside train --help"))
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// `key = value` as the command line has it; nothing for what is the same as leaving it out.
fn flag(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    place: &dyn Fn() -> String,
) -> Result<Option<String>, Refusal> {
    let known = keys();
    let typed = typed(value.get_ref());
    let Some((_, is_switch)) = known.iter().find(|(name, _)| name == key) else {
        let names: Vec<_> = known.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Refusal::new(
            key,
            typed.unwrap_or_else(|| "..".to_owned()),
            format!("{} has a key that no run knows", place()),
            format!("the keys are {}", names.join(", ")),
        ));
    };
    let name = format!("--{}", key.replace('_', "-"));
    if *is_switch {
        let shown = typed.unwrap_or_else(|| "..".to_owned());
        return match value.get_ref().as_bool() {
            Some(on) => Ok(on.then_some(name)),
            None => Err(Refusal::new(
                key,
                shown,
                format!("it must be true or false ({})", place()),
                "try true",
            )),
        };
    }
    let Some(typed) = typed else {
        let reason = format!("tables, dates and lists of lists are no values of it ({})", place());
        return Err(Refusal::new(key, "..", reason, "see ringside train --help"));
    };
    if value.get_ref().as_array().is_some_and(|items| items.is_empty()) {
        return Ok(None);
    }
    let flag = format!("{name}={typed}");
    match matches(std::slice::from_ref(&flag)) {
        Ok(_) => Ok(Some(flag)),
        Err(error) => {
            let (reason, works) = in_words(&error);
            Err(Refusal::new(key, typed, format!("{reason} ({})", place()), works))
        }
    }
}

/// The keys of a run, each with whether it is a switch. A file names no further file.
fn keys() -> Vec<(String, bool)> {
    let command = RunArgs::augment_args(clap::Command::new("run"));
    let arguments = command.get_arguments().filter(|arg| arg.get_id() != "config");
    arguments.map(|arg| (arg.get_id().to_string(), !arg.get_action().takes_values())).collect()
}

fn matches(flags: &[String]) -> Result<RunArgs, clap::Error> {
    let command = RunArgs::augment_args(clap::Command::new("run").no_binary_name(true));
    RunArgs::from_arg_matches(&command.try_get_matches_from(flags)?)
}

/// A value as it would be typed behind a flag; `None` for what cannot be typed there.
fn typed(value: &DeValue<'_>) -> Option<String> {
    Some(match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => number.to_string(),
            Err(_) => number.to_string(),
        },
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(on) => on.to_string(),
        DeValue::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| scalar(item.get_ref())).collect();
            items?.join(",")
        }
        DeValue::Datetime(_) | DeValue::Table(_) => return None,
    })
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    if value.is_array() { None } else { typed(value) }
}

/// Why clap does not take a value, and what it would take.
fn in_words(error: &clap::Error) -> (String, String) {
    if let (ErrorKind::InvalidValue, Some(ContextValue::Strings(names))) =
        (error.kind(), error.get(ContextKind::ValidValue))
    {
        return ("there is no such name".to_owned(), format!("use one of {}", names.join(", ")));
    }
    // Our own parsers say why, and behind a semicolon what would work.
    let text = error.source().map_or_else(|| error.kind().to_string(), ToString::to_string);
    match text.split_once("; ") {
        Some((reason, works)) => (reason.to_owned(), works.to_owned()),
        None => (text, "see ringside train --help".to_owned()),
    }
}

fn refuse(path: &Path, reason: String, works: &str) -> Refusal {
    Refusal::new("config", path.display(), reason, works)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Layout, RunConfig};

    fn parsed(text: &str) -> Result<RunArgs, Refusal> {
        parse(Path::new("run.toml"), text)
    }

    #[test]
    fn keys_left_out_come_from_the_default_run() {
        let mut config = RunConfig::default();
        let text = "cp = 8\nlayout = \"zigzag\"\nlr = 1\nkv_heads = 0x2\ndocuments = [1_00, 28]";
        parsed(text).expect("a run").overlay(&mut config);
        let expect = RunConfig {
            cp: 8,
            layout: Layout::Zigzag,
            lr: 1.0,
            kv_heads: Some(2),
            documents: vec![100, 28],
            ..RunConfig::default()
        };
        assert_eq!(config, expect);
    }

    #[test]
    fn a_file_says_where_it_runs_too() {
        let text = "text = \"a.txt\"\ndevice = \"cpu\"\nforce_cpu = true\nthreads = 2";
        let args = parsed(text).expect("a run");
        assert_eq!(args.text.as_deref(), Some(Path::new("a.txt")));
        assert!(args.machine.force_cpu && args.machine.device.is_some());
        assert_eq!(args.threads, Some(2));
        assert!(!parsed("force_cpu = false\ndocuments = []").expect("a run").machine.force_cpu);
    }

    #[test]
    fn an_unknown_key_is_named_with_the_known_ones() {
        let refusal = parsed("cp = 2\nseqlen = 8").expect_err("a typo");
        assert_eq!(refusal.field, "seqlen");
        assert_eq!(refusal.value, "8");
        let keys = serde_json::to_value(RunConfig::default()).expect("a config is JSON");
        let more = ["text", "device", "backend", "force_cpu", "threads"];
        let keys = keys.as_object().expect("an object").keys().map(String::as_str);
        for key in keys.chain(more) {
            assert!(refusal.works.contains(key), "{key} is missing in {refusal}");
        }
        assert_eq!(parsed("config = \"b.toml\"").expect_err("one file").field, "config");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_in_plain_words() {
        let check = |text: &str, expect: &str| {
            let refusal = parsed(&format!("cp = 2\n{text}")).expect_err(text).to_string();
            assert_eq!(refusal, expect.replace("@", "(line 2 of run.toml)"));
        };
        check(
            "seq_len = \"long\"",
            "seq_len = long: it must be a whole number @; try for example 4",
        );
        check("batch = 1.5", "batch = 1.5: it must be a whole number @; try for example 4");
        check("dp = -1", "dp = -1: it must be a whole number @; try for example 4");
        check("lr = true", "lr = true: it must be a number @; try for example 0.001");
        check(
            "layout = \"spiral\"",
            "layout = spiral: there is no such name @; use one of contiguous, zigzag, striped",
        );
        check("device = 3", "device = 3: there is no such name @; use one of auto, cpu, cuda");
        check("force_cpu = 1", "force_cpu = 1: it must be true or false @; try true");
        check(
            "steps = 5000000000",
            "steps = 5000000000: it is more than any run may have @; try 10000000 or fewer",
        );
        check(
            "documents = [[1], 2]",
            "documents = ..: tables, dates and lists of lists are no values of it @; \
             see ringside train --help",
        );
    }

    #[test]
    fn what_is_no_toml_is_named_by_its_line() {
        let refusal = parsed("cp = 2\nheads = ").expect_err("no value");
        assert!(refusal.reason.to_string().starts_with("line 2"), "{refusal}");
    }
}
