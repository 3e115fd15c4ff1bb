//! A run as the command line's flags: those alone that differ from the default run.

use crate::RunConfig;

/// Each flag that `config` needs, without its dashes, with its value.
pub fn flags(config: &RunConfig) -> Vec<(&'static str, String)> {
    let usual = RunConfig::default();
    let mut flags = Vec::new();
    macro_rules! differing {
        ($($flag:literal $field:ident $text:expr;)*) => {
            $(if config.$field != usual.$field {
                flags.push(($flag, $text(&config.$field)));
            })*
        };
    }
    differing! {
        "task" task |task: &crate::Task| task.name().to_owned();
        "seq-len" seq_len ToString::to_string;
        "documents" documents |lengths: &Vec<usize>| {
            lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
        };
        "batch" batch ToString::to_string;
        "grad-accum" grad_accum ToString::to_string;
        "layers" layers ToString::to_string;
        "d-model" d_model ToString::to_string;
        "heads" heads ToString::to_string;
        "kv-heads" kv_heads number;
        "window" window number;
        "dropout" dropout ToString::to_string;
        "cp" cp ToString::to_string;
        "dp" dp ToString::to_string;
        "strategy" strategy |kind: &crate::StrategyKind| kind.name().to_owned();
        "ulysses-degree" ulysses_degree number;
        "layout" layout |layout: &crate::Layout| layout.name().to_owned();
        "steps" steps ToString::to_string;
        "lr" lr ToString::to_string;
        "warmup-steps" warmup_steps ToString::to_string;
        "optimizer" optimizer |optimizer: &crate::Optimizer| optimizer.name().to_owned();
        "weight-decay" weight_decay ToString::to_string;
        "grad-clip" grad_clip ToString::to_string;
        "eval-every" eval_every ToString::to_string;
        "eval-batches" eval_batches ToString::to_string;
        "seed" seed ToString::to_string;
        "fault" fault |fault: &Option<crate::Fault>| {
            fault.map(crate::Fault::name).unwrap_or("none").to_owned()
        };
    }
    flags
}

/// The line that trains `config`: `text` is the file with the user's own text, `resume` that with
/// the checkpoint to begin from, if there are any.
pub fn train_line(config: &RunConfig, text: Option<&str>, resume: Option<&str>) -> String {
    let mut line = "ringside train".to_owned();
    for (flag, file) in [(" --text ", text), (" --resume ", resume)] {
        if let Some(file) = file {
            line.push_str(flag);
            line.push_str(file);
        }
    }
    for (flag, value) in flags(config) {
        line.push_str(&format!(" --{flag} {value}"));
    }
    line
}

/// A value that differs from none is one.
fn number(value: &Option<usize>) -> String {
    value.map(|n| n.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, StrategyKind};

    #[test]
    fn only_what_differs_is_said() {
        assert_eq!(train_line(&RunConfig::default(), None, None), "ringside train");
        let config = RunConfig {
            cp: 2,
            strategy: StrategyKind::Usp,
            layout: Layout::Zigzag,
            documents: vec![96, 160],
            kv_heads: Some(2),
            lr: 1e-4,
            ..Default::default()
        };
        assert_eq!(
            train_line(&config, Some("my-text.txt"), Some("a.safetensors")),
            "ringside train --text my-text.txt --resume a.safetensors --documents 96,160 --kv-heads 2 \
             --cp 2 --strategy usp --layout zigzag --lr 0.0001"
        );
    }
}
