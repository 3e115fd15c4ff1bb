//! The line given to `accelerate launch`, taken apart.

use crate::nearest::nearest;

/// What was typed after `accelerate launch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The launcher's own flags, without dashes, in order.
    pub flags: Vec<Flag>,
    /// The script and what follows it.
    pub script: Vec<String>,
    /// What else than the launcher the line starts, where it does.
    pub foreign: Option<String>,
}

/// A flag of the launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name without dashes, underscores inside.
    pub name: String,
    /// Its value; a switch has none.
    pub value: Option<String>,
}

/// What is wrong with a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagFault {
    /// accelerate has no such flag.
    Unknown {
        /// As typed.
        typed: String,
        /// The flag that it was probably meant to be.
        meant: Option<&'static str>,
        /// The value that followed it, if one did.
        value: Option<String>,
    },
    /// The flag needs a value and got none.
    NoValue {
        /// The flag.
        name: String,
    },
}

const SWITCHES: &[&str] = &[
    "quiet",
    "cpu",
    "multi_gpu",
    "tpu",
    "enable_cpu_affinity",
    "dynamo_use_fullgraph",
    "dynamo_use_dynamic",
    "dynamo_use_regional_compilation",
    "use_deepspeed",
    "use_fsdp",
    "use_parallelism_config",
    "use_megatron_lm",
    "same_network",
    "module",
    "no_python",
    "tpu_cluster",
    "no_tpu_cluster",
    "tpu_use_sudo",
    "downcast_bf16",
    "fp8_use_autocast_during_eval",
    "debug",
];

const WITH_VALUE: &[&str] = &[
    "config_file",
    "mixed_precision",
    "num_processes",
    "num_machines",
    "num_cpu_threads_per_process",
    "dynamo_backend",
    "dynamo_mode",
    "gpu_ids",
    "machine_rank",
    "main_process_ip",
    "main_process_port",
    "tee",
    "log_dir",
    "role",
    "rdzv_backend",
    "rdzv_conf",
    "max_restarts",
    "monitor_interval",
    "vm",
    "env",
    "main_training_function",
    "aws_access_key_id",
    "aws_secret_access_key",
    "mpirun_hostfile",
];

/// Families whose members all take a value and mean nothing to the doctor.
const FAMILIES: &[&str] = &["megatron_lm_", "fp8_"];

/// Splits a line as a shell would: quotes, and a backslash before a space or a line's end.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => match letters.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The quote that is opened in a line and not closed.
pub fn unclosed(line: &str) -> Option<char> {
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => _ = letters.next(),
            _ => {}
        }
    }
    quote
}

/// Takes the words after `accelerate launch` apart.
pub fn parse(words: &[String]) -> (Line, Vec<FlagFault>) {
    let mut line = Line { foreign: crate::pasted::foreign(words), ..Line::default() };
    if line.foreign.is_some() {
        line.script = words.to_vec();
        return (line, vec![]);
    }
    let mut faults = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(typed) = dashes(word) else {
            line.script.push(word.clone());
            line.script.extend(words.cloned());
            break;
        };
        let (typed, attached) = match typed.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (typed, None),
        };
        let name = full_name(typed);
        if let Some(name) = name.filter(|name| SWITCHES.contains(&name.as_str())) {
            line.flags.push(Flag { name, value: attached });
        } else if let Some(name) = full_name(typed) {
            let value = attached.or_else(|| words.next_if(|next| dashes(next).is_none()).cloned());
            if value.is_none() {
                faults.push(FlagFault::NoValue { name: name.clone() });
            }
            line.flags.push(Flag { name, value });
        } else {
            let meant = nearest(&typed.replace('-', "_"), known());
            // Its value, if it has one, must not be taken for the script.
            let is_value = |next: &&String| dashes(next).is_none() && !looks_like_a_script(next);
            let value = attached.or_else(|| words.next_if(is_value).cloned());
            let typed = format!("--{typed}");
            faults.push(FlagFault::Unknown { typed, meant, value });
        }
    }
    (line, faults)
}

impl Line {
    /// Whether the switch was typed.
    pub fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag.name == name)
    }

    /// The flag's value; the last one counts, as in Python.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|flag| flag.name == name)?.value.as_deref()
    }

    /// Sets or adds a flag.
    pub fn put(&mut self, name: &str, value: Option<String>) {
        self.remove(name);
        self.flags.push(Flag { name: name.to_owned(), value });
    }

    /// Takes a flag out.
    pub fn remove(&mut self, name: &str) {
        self.flags.retain(|flag| flag.name != name);
    }

    /// The words again.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for flag in &self.flags {
            words.push(format!("--{}", flag.name));
            words.extend(flag.value.clone());
        }
        words.extend(self.script.iter().cloned());
        words
    }
}

/// Words as a line that a shell splits into the same words.
pub fn join(words: &[String]) -> String {
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./=,:@%+".contains(c))
    };
    let quote = |word: &String| {
        if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn known() -> impl Iterator<Item = &'static str> {
    let fields = [crate::keys::PARALLELISM, crate::keys::FSDP, crate::keys::DEEPSPEED];
    SWITCHES
        .iter()
        .chain(WITH_VALUE)
        .copied()
        .chain(fields.into_iter().flatten().map(|&(name, _)| name))
}

fn dashes(word: &str) -> Option<&str> {
    match word.strip_prefix("--") {
        Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
        None => match word {
            "-m" => Some("module"),
            "-q" => Some("quiet"),
            "-t" => Some("tee"),
            _ => None,
        },
    }
}

/// The flag's full name: hyphens may stand for underscores, and a beginning that only one flag
/// has is enough, as in Python's argparse.
fn full_name(typed: &str) -> Option<String> {
    let typed = typed.replace('-', "_");
    if known().any(|name| name == typed) || FAMILIES.iter().any(|f| typed.starts_with(f)) {
        return Some(typed);
    }
    let mut begun = known().filter(|name| name.starts_with(&typed));
    match (begun.next(), begun.next()) {
        (Some(only), None) if typed.len() > 2 => Some(only.to_owned()),
        _ => None,
    }
}

/// Whether a word is by its looks the script to run.
pub fn looks_like_a_script(word: &str) -> bool {
    word.ends_with(".py") || word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_apart() {
        let words = split("--num-processes=8 --use_fsdp \\\n --fsdp_version 2 'my train.py' --x y");
        let (line, faults) = parse(&words);
        assert_eq!(faults, []);
        assert_eq!(line.value("num_processes"), Some("8"));
        assert!(line.has("use_fsdp"));
        assert_eq!(line.value("fsdp_version"), Some("2"));
        assert_eq!(line.script, ["my train.py", "--x", "y"]);
        assert_eq!(split(&join(&line.words())), line.words());
        let open = |line| unclosed(line).is_some();
        assert!(open("--a 'b") && open("a \"b\\\"") && !open("'a\"' \"it's\" \\'"));
    }

    #[test]
    fn slips_are_named() {
        let (line, faults) =
            parse(&split("--num_proceses 8 --parallelism_config_cp_size train.py"));
        assert_eq!(
            faults,
            [FlagFault::Unknown {
                typed: "--num_proceses".into(),
                meant: Some("num_processes"),
                value: Some("8".into())
            }]
        );
        assert_eq!(line.value("parallelism_config_cp_size"), Some("train.py"));
        let (_, faults) = parse(&split("--num_processes --cpu"));
        assert_eq!(faults, [FlagFault::NoValue { name: "num_processes".into() }]);
    }
}
