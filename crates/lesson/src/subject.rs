//! What conditions, questions and live numbers may be about: one table, which the page evaluates.

/// What a subject's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number, or none yet.
    Number,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any word.
    Free,
    /// A setting of the run: a number or a word.
    Field,
}

const YES_NO: Kind = Kind::Word(&["yes", "no"]);

/// Every subject that is no setting: its name, what its value is, what it is.
pub const SUBJECTS: &[(&str, Kind, &str)] = &[
    ("steps", Kind::Number, "steps that every rank has done"),
    ("loss", Kind::Number, "loss of the newest step"),
    ("grad_norm", Kind::Number, "norm of the gradient at the newest step"),
    ("loss_falls", Kind::Number, "mean loss of the last 10 steps by that of the first 10"),
    ("eval_loss", Kind::Number, "newest loss of an evaluation"),
    ("waiting", Kind::Number, "share of all ranks' time that stood still for a message"),
    ("efficiency", Kind::Number, "mean pairs of a rank by those of the busiest"),
    ("world", Kind::Number, "ranks in all"),
    ("messages", Kind::Number, "messages of all ranks in the newest whole step"),
    ("bytes", Kind::Number, "bytes of all ranks in the newest whole step"),
    ("memory.parameters", Kind::Number, "bytes of a rank's parameters"),
    ("memory.gradients", Kind::Number, "bytes of a rank's gradients"),
    ("memory.optimiser", Kind::Number, "bytes of a rank's optimiser"),
    ("memory.activations", Kind::Number, "bytes of a rank's activations"),
    ("memory.kv", Kind::Number, "bytes of a rank's keys and values"),
    ("memory.total", Kind::Number, "bytes of a rank in all"),
    ("parted", Kind::Number, "the step at which the losses of two runs part, from 1"),
    (
        "loss_gap",
        Kind::Number,
        "loss of this run less that of the kept one, at the last step of both",
    ),
    ("norm_ratio", Kind::Number, "gradient norm by the kept run's, at the first step of both"),
    ("bytes_ratio", Kind::Number, "bytes of a step by those of the kept run"),
    (
        "place",
        Kind::Word(&["play", "groups", "backend", "doctor", "learn"]),
        "where the learner is",
    ),
    ("beside", YES_NO, "whether a run is kept to compare with"),
    ("held", YES_NO, "whether a step is held to be looked at"),
    ("within", YES_NO, "whether the ranks stand between two ring steps"),
    ("running", YES_NO, "whether the run goes on"),
    ("finished", YES_NO, "whether the last step is done"),
    ("checked", YES_NO, "whether one rank trains beside the others"),
    ("failed", YES_NO, "whether the run ended with an error"),
    ("error", Kind::Free, "the kind of the first error, or its words in English; or none"),
    ("backend.preset", Kind::Free, "the machine that is looked at"),
    ("backend.device", Kind::Word(&["cpu", "cuda", "refused"]), "the device that is decided on"),
    (
        "backend.backend",
        Kind::Word(&["threads", "workers", "mpi", "nccl", "refused"]),
        "the backend that is decided on",
    ),
    ("backend.world", Kind::Number, "the ranks that are decided on"),
    ("backend.branch", Kind::Free, "a branch of the decision tree that was taken"),
    ("backend.force_cpu", YES_NO, "whether the CPU is forced"),
    ("doctor.verdict", Kind::Word(&["ok", "warning", "error", "none"]), "what the doctor says"),
    ("doctor.finding", Kind::Free, "what the doctor finds, by its id"),
];

/// The settings of a run, by their keys in the address.
pub const FIELDS: [&str; 32] = [
    "task",
    "cp",
    "dp",
    "strategy",
    "ulysses_degree",
    "layout",
    "seq_len",
    "documents",
    "window",
    "batch",
    "grad_accum",
    "layers",
    "d_model",
    "heads",
    "kv_heads",
    "steps",
    "lr",
    "warmup_steps",
    "optimizer",
    "weight_decay",
    "grad_clip",
    "eval_every",
    "eval_batches",
    "seed",
    "fault",
    "speed",
    "stop_loss",
    "stop_seconds",
    "link_latency_us",
    "link_bandwidth",
    "slow_rank",
    "slow_factor",
];

/// The measures that are also known of a kept run, as `beside.loss`.
pub const OF_BESIDE: [&str; 16] = [
    "steps",
    "loss",
    "grad_norm",
    "loss_falls",
    "eval_loss",
    "waiting",
    "efficiency",
    "world",
    "messages",
    "bytes",
    "memory.parameters",
    "memory.gradients",
    "memory.optimiser",
    "memory.activations",
    "memory.kv",
    "memory.total",
];

/// The buttons that a lesson may name: the page marks each with `data-control`.
pub const BUTTONS: [&str; 18] = [
    "run",
    "pause",
    "step",
    "ring-step",
    "step-back",
    "reset",
    "new-seed",
    "fork",
    "keep",
    "forget",
    "check",
    "test-links",
    "use-corrected",
    "save-checkpoint",
    "force-cpu",
    "want-fsdp",
    "want-deepspeed",
    "help",
];

/// The panels that a lesson may name: the classes of their sections.
pub const PANELS: [&str; 20] = [
    "ring",
    "curve",
    "compare",
    "timeline",
    "what-if",
    "schedule",
    "traffic",
    "ranks",
    "memory",
    "links",
    "presets",
    "settings",
    "toolbar",
    "time-bar",
    "share",
    "decision",
    "machine",
    "practice",
    "findings",
    "checklists",
];

/// What else can be entered into, by the ids of the controls.
pub const INPUTS: [&str; 11] = [
    "machine",
    "device",
    "backend",
    "world-size",
    "doctor-config",
    "doctor-launch",
    "doctor-settings",
    "doctor-accelerate",
    "doctor-torch",
    "doctor-trl",
    "doctor-machine",
];

/// What the value of `subject` is; nothing if there is no such subject.
///
/// `steps` is both a setting and a measure: the measure counts.
pub fn kind(subject: &str) -> Option<Kind> {
    if let Some(name) = subject.strip_prefix("beside.") {
        let is_field = FIELDS.contains(&name) && name != "steps";
        return match is_field {
            true => Some(Kind::Field),
            false => OF_BESIDE.contains(&name).then_some(Kind::Number),
        };
    }
    let of_table = SUBJECTS.iter().find(|(name, ..)| *name == subject).map(|(_, kind, _)| *kind);
    of_table.or_else(|| FIELDS.contains(&subject).then_some(Kind::Field))
}

/// Whether a step may highlight `control`.
pub fn can_show(control: &str) -> bool {
    [&FIELDS[..], &BUTTONS, &PANELS, &INPUTS].iter().any(|names| names.contains(&control))
        || control.strip_prefix("preset-").is_some_and(|preset| !preset.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        for (at, (name, _, doc)) in SUBJECTS.iter().enumerate() {
            assert!(SUBJECTS[..at].iter().all(|(other, ..)| other != name), "{name} twice");
            assert!(!doc.is_empty());
            assert!(*name == "steps" || !FIELDS.contains(name), "{name} is a setting as well");
        }
        assert!(OF_BESIDE.iter().all(|name| kind(name) == Some(Kind::Number)));
    }

    #[test]
    fn a_kept_run_has_settings_and_measures() {
        assert_eq!(kind("beside.layout"), Some(Kind::Field));
        assert_eq!(kind("beside.loss"), Some(Kind::Number));
        assert_eq!(kind("beside.place"), None);
        assert_eq!(kind("layout"), Some(Kind::Field));
        assert_eq!(kind("steps"), Some(Kind::Number));
        assert_eq!(kind("mood"), None);
        assert!(can_show("run") && can_show("seq_len") && can_show("ring") && !can_show("dance"));
    }
}
