//! A line as it was pasted: what stands before the launcher's own flags.

use crate::facts::Fact;
use crate::input::Input;
use crate::symptom;

/// What may stand before the launcher and changes nothing of what it does.
const PROMPTS: &[&str] = &["$", "!", "%", "nohup", "time", "exec", "env", "sudo"];

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

/// The input with the line's variables among the settings and the launcher's own words left; with
/// an error's text taken for one wherever it was pasted, and the versions that it names.
pub fn unfold(input: &Input) -> Input {
    let mut input = input.clone();
    if let Some(text) = input.config.take_if(|text| symptom::is_error(text)) {
        let error = input.error.get_or_insert_default();
        error.insert_str(0, &format!("{text}\n"));
    }
    let [accelerate, torch] = input.error.as_deref().map(symptom::versions).unwrap_or_default();
    input.accelerate = input.accelerate.or(accelerate);
    input.torch = input.torch.or(torch);
    let Some(words) = input.launch.take() else { return input };
    let (variables, rest) = lead(&words);
    for (name, value) in variables {
        let name = Fact::named(&name).map_or(name, |fact| fact.name().to_owned());
        input.settings.insert(name, value);
    }
    input.launch = Some(rest.to_vec());
    input
}

/// What else than `accelerate launch` the words start, if anything.
pub fn foreign(words: &[String]) -> Option<String> {
    let first = words.first()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let module = words.get(1).is_some_and(|word| word == "-m").then(|| words.get(2)).flatten();
    let name = match module {
        Some(module) if name.starts_with("python") => module.as_str(),
        _ => name,
    };
    let torchrun = name.starts_with("torch.distributed.") || name == "torchrun";
    let known = OTHERS.contains(&name) || name.starts_with("python3.") || module.is_some();
    (known && !first.starts_with('-'))
        .then(|| if torchrun { "torchrun".to_owned() } else { name.to_owned() })
}

/// Variables in front, and the words after `accelerate launch`.
fn lead(words: &[String]) -> (Vec<(String, String)>, &[String]) {
    let mut variables = Vec::new();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let bare = word.strip_prefix(['!', '$', '%']).filter(|bare| !bare.is_empty());
        let bare = bare.unwrap_or(word);
        let word_at = |index: usize| after.get(index).map(String::as_str);
        let name = bare.rsplit('/').next().unwrap_or(bare);
        let skip = match (name, word_at(0), word_at(1)) {
            ("accelerate", Some("launch"), _) => return (variables, &after[1..]),
            ("launch" | "accelerate-launch", ..) => return (variables, after),
            (python, Some("-m"), Some("accelerate.commands.launch"))
                if python.starts_with("python") =>
            {
                return (variables, &after[2..]);
            }
            ("uv" | "poetry" | "pixi" | "pipenv", Some("run"), _) => 1,
            (word, ..) if PROMPTS.contains(&word) => 0,
            _ => match assignment(bare) {
                Some(variable) => {
                    variables.push(variable);
                    0
                }
                None => break,
            },
        };
        rest = &after[skip..];
    }
    (variables, rest)
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
            let (variables, rest) = lead(&words);
            assert_eq!((variables.len(), rest), (0, &split("--cpu t.py")[..]), "{line}");
        }
        let words = split("A=1 CUDA_VISIBLE_DEVICES='0,1' env B= accelerate launch t.py");
        let (variables, rest) = lead(&words);
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
