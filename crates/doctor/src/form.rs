//! What a text is by its looks, in whichever input it stands.

use plan::{Message, message};

use crate::flags::split;
use crate::{keys, pasted, settings, symptom};

/// A kind of text that the doctor reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A configuration as `accelerate config` writes it.
    Config,
    /// A line that starts a run.
    Launch,
    /// Variables and facts, one a line.
    Settings,
    /// An error, or a log that names one.
    Error,
}

impl Form {
    /// What `text` plainly is; `None` where its looks do not tell.
    ///
    /// An error goes before all else: its text may show the line that was run, and what was set.
    /// With keys of a configuration in it, it may be either.
    pub fn of(text: &str) -> Option<Self> {
        if symptom::names_error(text) {
            return (!text.lines().any(is_key)).then_some(Self::Error);
        }
        match text {
            text if is_config(text) => Some(Self::Config),
            text if is_launch(text) => Some(Self::Launch),
            text if is_settings(text) => Some(Self::Settings),
            _ => None,
        }
    }

    /// It in words.
    pub fn title(self) -> Message {
        match self {
            Self::Config => message!("an accelerate configuration"),
            Self::Launch => message!("a launch line"),
            Self::Settings => message!("a list of variables"),
            Self::Error => message!("the text of an error"),
        }
    }

    /// The label of its input on the page.
    pub fn label(self) -> Message {
        match self {
            Self::Config => message!("accelerate configuration"),
            Self::Launch => message!("Launch line"),
            Self::Settings => message!("Variables and facts"),
            Self::Error => message!("Error message"),
        }
    }

    /// How the command line takes it.
    pub fn flag(self) -> Message {
        match self {
            Self::Config => "--accelerate-config".into(),
            Self::Launch => message!("after --"),
            Self::Settings => "--set".into(),
            Self::Error => "--error".into(),
        }
    }
}

/// Lines that say something: neither blank nor a comment.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !matches!(line.trim_start().chars().next(), None | Some('#')))
}

/// Whether a line begins with a key from the top of a configuration.
fn is_key(line: &str) -> bool {
    let key = line.split_once(':').map(|(key, _)| key.trim_end().trim_matches(['"', '\'']));
    let mut known = keys::TOP.iter().chain(keys::SAGEMAKER);
    key.is_some_and(|key| known.any(|&(known, _)| known == key))
}

/// Whether most lines begin with such a key; what belongs to one is indented, or an item of a list.
fn is_config(text: &str) -> bool {
    let top = lines(text).filter(|line| !line.starts_with([' ', '\t', '-']));
    let (known, all) =
        top.fold((0, 0), |(known, all), line| (known + usize::from(is_key(line)), all + 1));
    known * 2 > all
}

/// Whether it is one line that starts a run, with nothing before it but variables.
fn is_launch(text: &str) -> bool {
    let text = text.replace("\r\n", "\n").replace("\\\n", " ");
    let mut lines: Vec<&str> = lines(&text).collect();
    let last = lines.pop();
    last.is_some_and(|line| pasted::is_launch(&split(line)))
        && lines.into_iter().all(settings::is_setting)
}

fn is_settings(text: &str) -> bool {
    let mut lines = lines(text).peekable();
    lines.peek().is_some() && lines.all(settings::is_setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expect: Option<Form>, texts: &[&str]) {
        for text in texts {
            assert_eq!(Form::of(text), expect, "{text}");
        }
    }

    #[test]
    fn an_error_is_one_whatever_it_shows_besides() {
        check(
            Some(Form::Error),
            &[
                "AttributeError: 'Accelerator' object has no attribute '_cp_context'",
                "Traceback (most recent call last):\n  File \"t.py\", line 1",
                "[rank3]: torch.distributed.DistBackendError: NCCL error in: x.cpp",
                "E   ValueError: x",
                "AssertionError",
                "num_processes are many\nKeyError: 'x'",
                "$ accelerate launch --cpu t.py\nTraceback (most recent call last):",
                "WORLD_SIZE=8\nlr: 0.1\nstep: 3\nKeyError: 'x'",
                "- `Accelerate` default config:\n\t- distributed_type: FSDP\nKeyError: 'x'",
            ],
        );
        // Keys in between: it may be a configuration with an odd line.
        check(None, &["distributed_type: FSDP\nValueError: x\n"]);
    }

    #[test]
    fn a_configuration_may_hold_odd_things() {
        check(
            Some(Form::Config),
            &[
                "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\n",
                "# accelerate launch t.py\n---\r\ncompute_environment: LOCAL_MACHINE\r\n",
                "commands:\n- accelerate launch t.py\n- A=1\ntpu_env: []\n",
                "num_processes: 8",
                "'num_processes' : 8\nuse_cpu: [\nmine: 1\n",
                "compute_environment: AMAZON_SAGEMAKER\nregion: x\nprofile: y\n",
            ],
        );
        check(
            None,
            &["a: b", "lr: 0.1\nsteps: 8\ndebug: true\n", "  num_processes: 8", "- debug: 1"],
        );
    }

    #[test]
    fn a_launch_line_starts_a_run_and_tells_nothing_of_one() {
        check(
            Some(Form::Launch),
            &[
                "accelerate launch t.py",
                "$ accelerate launch \\\n  --cpu \\\r\n  t.py --name ValueError:x\n",
                "A=1 accelerate-launch --cpu t.py",
                "# by hand\nexport A=1\naccelerate launch --cpu t.py",
                "python -m accelerate.commands.launch --cpu t.py",
                "torchrun --nproc_per_node 8 t.py",
                "OMP_NUM_THREADS=1 python3 -m torch.distributed.run t.py",
            ],
        );
        check(
            None,
            &[
                "accelerate launch",
                "accelerate launch stops: unknown keys",
                "torchrun was not found",
                "python t.py",
                "accelerate launch t.py\nit hangs",
                "--cpu t.py",
            ],
        );
    }

    #[test]
    fn settings_are_names_and_values_on_every_line() {
        check(
            Some(Form::Settings),
            &["WORLD_SIZE=8", "export A=1\n\n# b\nB=\"x y\"\nseq_len=4096\n", "%env A="],
        );
        check(
            None,
            &[
                "",
                " \n#\n",
                "accelerate==1.13.0",
                "x = 8",
                "loss_scale=8",
                "A=1 python t.py",
                "A=1\nb",
            ],
        );
    }
}
