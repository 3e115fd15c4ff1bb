//! A line as it was pasted: what stands before the launcher's own flags.

use crate::facts::Fact;
use crate::finding::Finding;
use crate::flags::looks_like_a_script;
use crate::input::Input;
use crate::{misplaced, symptom};

/// What may stand before the launcher and changes nothing of what it does.
const PROMPTS: &[&str] = &["$", "!", "%", "nohup", "time", "exec", "env", "export", "sudo"];

/// What starts the script in place of `accelerate launch`.
const OTHERS: &[&str] = &[
    "torchrun",
    "torch.distributed.run",
    "torch.distributed.launch",
    "mpirun",
    "mpiexec",
    "srun",
    "sbatch",
    "deepspeed",
    "python",
    "python3",
    "accelerate",
    "bash",
    "sh",
    "docker",
    "ssh",
    "cd",
    "conda",
];

/// The input with every text where it belongs, the versions that an error names, the line's
/// variables among the settings and the launcher's own words left; and what was out of place.
pub fn unfold(input: &Input) -> (Input, Vec<Finding>) {
    let mut input = input.clone();
    let moved = misplaced::put_right(&mut input);
    let [accelerate, torch] = input.error.as_deref().map(symptom::versions).unwrap_or_default();
    input.accelerate = input.accelerate.or(accelerate);
    input.torch = input.torch.or(torch);
    let Some(words) = input.launch.take() else { return (input, moved) };
    let Lead { variables, rest, .. } = lead(&words);
    for (name, value) in variables {
        let name = Fact::named(&name).map_or(name, |fact| fact.name().to_owned());
        input.settings.insert(name, value);
    }
    input.launch = Some(rest.to_vec());
    (input, moved)
}

/// Whether the words start a run by accelerate's launcher or torch's: one of its flags or a script
/// follows it, and no sentence about it.
pub fn is_launch(words: &[String]) -> bool {
    let Lead { is_ours, rest, .. } = lead(words);
    let next = match is_ours {
        true => rest.first(),
        false => {
            let at = rest.iter().take(3).position(|word| is_torchs(name_of(word)));
            at.filter(|_| foreign(rest).is_some()).and_then(|at| rest.get(at + 1))
        }
    };
    next.is_some_and(|next| next.starts_with('-') || looks_like_a_script(next))
}

/// What else than `accelerate launch` the words start, if anything.
pub fn foreign(words: &[String]) -> Option<String> {
    let first = words.first()?;
    let name = name_of(first);
    let module = words.get(1).is_some_and(|word| word == "-m").then(|| words.get(2)).flatten();
    let name = match module {
        Some(module) if name.starts_with("python") => module.as_str(),
        _ => name,
    };
    let known = OTHERS.contains(&name) || name.starts_with("python3.") || module.is_some();
    (known && !first.starts_with('-'))
        .then(|| if is_torchs(name) { "torchrun".to_owned() } else { name.to_owned() })
}

/// A program's name without its folders.
fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a program or a module is torch's launcher.
fn is_torchs(name: &str) -> bool {
    name.starts_with("torch.distributed.") || name == "torchrun"
}

/// What stands before the launcher's own words.
struct Lead<'a> {
    /// Variables.
    variables: Vec<(String, String)>,
    /// Whether `accelerate launch` was found.
    is_ours: bool,
    /// What follows it, or the first word that is no part of it.
    rest: &'a [String],
}

/// Variables in front, and the words after `accelerate launch`.
fn lead(words: &[String]) -> Lead<'_> {
    let mut variables = Vec::new();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let bare = word.strip_prefix(['!', '$', '%']).filter(|bare| !bare.is_empty());
        let bare = bare.unwrap_or(word);
        let word_at = |index: usize| after.get(index).map(String::as_str);
        let (is_ours, skip) = match (name_of(bare), word_at(0), word_at(1)) {
            ("accelerate", Some("launch"), _) => (true, 1),
            ("launch" | "accelerate-launch", ..) => (true, 0),
            (python, Some("-m"), Some("accelerate.commands.launch"))
                if python.starts_with("python") =>
            {
                (true, 2)
            }
            ("uv" | "poetry" | "pixi" | "pipenv", Some("run"), _) => (false, 1),
            (word, ..) if PROMPTS.contains(&word) => (false, 0),
            _ => match assignment(bare) {
                Some(variable) => {
                    variables.push(variable);
                    (false, 0)
                }
                None => break,
            },
        };
        rest = &after[skip..];
        if is_ours {
            return Lead { variables, is_ours, rest };
        }
    }
    Lead { variables, is_ours: false, rest }
}

/// `NAME=VALUE`, as a shell takes it in front of a command.
fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = name.chars().all(letters) && !name.starts_with(|c: char| c.is_ascii_digit());
    (named && !name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::split;

    #[test]
    fn what_stands_before_the_flags_is_taken_off() {
        for line in [
            "accelerate launch --cpu t.py",
            "$ accelerate launch --cpu t.py",
            "!accelerate launch --cpu t.py",
            "nohup accelerate-launch --cpu t.py",
            "python -m accelerate.commands.launch --cpu t.py",
            "/usr/bin/python3.11 -m accelerate.commands.launch --cpu t.py",
            "uv run accelerate launch --cpu t.py",
            "launch --cpu t.py",
            "--cpu t.py",
        ] {
            let words = split(line);
            let Lead { variables, rest, .. } = lead(&words);
            assert_eq!((variables.len(), rest), (0, &split("--cpu t.py")[..]), "{line}");
        }
        let words = split("A=1 CUDA_VISIBLE_DEVICES='0,1' env B= accelerate launch t.py");
        let Lead { variables, rest, .. } = lead(&words);
        assert_eq!(variables[1], ("CUDA_VISIBLE_DEVICES".to_owned(), "0,1".to_owned()));
        assert_eq!((variables.len(), rest), (3, &words[6..]));
    }

    #[test]
    fn other_starters_are_recognised() {
        let of = |line: &str| foreign(&split(line));
        assert_eq!(of("torchrun --nproc_per_node 8 t.py").as_deref(), Some("torchrun"));
        assert_eq!(of("python -m torch.distributed.run t.py").as_deref(), Some("torchrun"));
        assert_eq!(of("mpirun -n 4 python t.py").as_deref(), Some("mpirun"));
        assert_eq!(of("python t.py").as_deref(), Some("python"));
        assert_eq!((of("--cpu t.py"), of("t.py"), of("")), (None, None, None));
    }
}
