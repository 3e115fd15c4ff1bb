//! Numbers in a lesson's text: `{{measure key=value ... | format}}`, computed from the plan of the
//! run that the keys mean.

use plan::memory::memory;
use plan::traffic::F32_BYTES;
use plan::{RunConfig, RunPlan, Task};

use crate::Format;

/// Every measure, with what it is.
pub const MEASURES: &[(&str, &str)] = &[
    ("efficiency", "mean pairs of a rank by those of the busiest"),
    ("pairs.most", "pairs of a layer on the busiest rank"),
    ("pairs.mean", "pairs of a layer on a rank, on average"),
    ("pairs.all", "pairs of a layer on all ranks"),
    ("memory.parameters", "bytes of a rank's parameters"),
    ("memory.gradients", "bytes of a rank's gradients"),
    ("memory.optimiser", "bytes of a rank's optimiser"),
    ("memory.activations", "bytes of a rank's activations"),
    ("memory.kv", "bytes of a rank's keys and values"),
    ("memory.total", "bytes of a rank in all"),
    ("traffic.messages", "messages that a rank sends in a training step"),
    ("traffic.bytes", "bytes that a rank sends in a training step"),
    ("forward.messages", "messages that a rank sends for one layer, forward"),
    ("forward.bytes", "bytes that a rank sends for one layer, forward"),
    ("backward.messages", "messages that a rank sends for one layer, backward"),
    ("backward.bytes", "bytes that a rank sends for one layer, backward"),
    ("messages", "messages of all ranks in a training step"),
    ("bytes", "bytes of all ranks in a training step"),
    ("world", "ranks in all"),
    ("hops", "exchanges of the ring in a forward pass"),
    ("scores_bytes", "bytes of the S x S matrix of one head and layer, in f32"),
    ("padded_len", "tokens with the padding"),
    ("local_len", "tokens of a rank, padding included"),
    ("valid_tokens", "tokens of a sequence of text that have a next one"),
    ("parameters", "trainable numbers"),
    ("chance", "the loss of guessing evenly"),
];

/// The run that `keys` mean: the default one with those settings changed.
pub fn run<'a>(keys: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<RunPlan, String> {
    let mut yaml = String::new();
    for (key, value) in keys {
        let value = if key == "documents" { format!("[{value}]") } else { value.to_owned() };
        yaml += &format!("{key}: {value}\n");
    }
    let config: RunConfig = match yaml.as_str() {
        "" => RunConfig::default(),
        yaml => serde_saphyr::from_str(yaml).map_err(|error| brief(&error))?,
    };
    RunPlan::new(config).map_err(|refusal| refusal.to_string())
}

/// An error of the YAML reader without its picture of the text.
pub fn brief(error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// What `measure` is of that run; nothing if there is no such measure.
pub fn measure(name: &str, plan: &RunPlan) -> Option<f64> {
    let (attention, config) = (plan.attention(), plan.config());
    let sequence = attention.sequence();
    let world = plan.mesh().world().get() as f64;
    let pairs: Vec<u64> = plan.cp().size().ranks().map(|rank| attention.pairs(rank)).collect();
    let all: u64 = pairs.iter().sum();
    let rank = memory(plan).into_iter().next()?;
    let (layer, step) = (plan.layer_traffic(), plan.step_traffic());
    Some(match name {
        "efficiency" => attention.efficiency(),
        "pairs.most" => pairs.iter().copied().max()? as f64,
        "pairs.mean" => all as f64 / pairs.len() as f64,
        "pairs.all" => all as f64,
        "memory.parameters" => rank.parameters as f64,
        "memory.gradients" => rank.gradients as f64,
        "memory.optimiser" => rank.optimizer as f64,
        "memory.activations" => rank.activations as f64,
        "memory.kv" => rank.kv as f64,
        "memory.total" => rank.total() as f64,
        "traffic.messages" => step.messages as f64,
        "traffic.bytes" => step.bytes as f64,
        "forward.messages" => layer.forward.messages as f64,
        "forward.bytes" => layer.forward.bytes as f64,
        "backward.messages" => layer.backward.messages as f64,
        "backward.bytes" => layer.backward.bytes as f64,
        "messages" => step.messages as f64 * world,
        "bytes" => step.bytes as f64 * world,
        "world" => world,
        "hops" => attention.steps().saturating_sub(1) as f64,
        "scores_bytes" => (config.seq_len as u64 * config.seq_len as u64 * F32_BYTES) as f64,
        "padded_len" => sequence.padded_len() as f64,
        "local_len" => sequence.local_len() as f64,
        "valid_tokens" => (config.seq_len - config.documents.len().max(1)) as f64,
        "parameters" => plan.model().parameters() as f64,
        "chance" => match config.task {
            // Bytes, values of a key, letters.
            Task::Text => 256f64.ln(),
            Task::Recall => 8f64.ln(),
            Task::Copy => 26f64.ln(),
        },
        _ => return None,
    })
}

/// Reads the name of a format.
pub fn format(text: &str) -> Result<Format, String> {
    match text {
        "" | "plain" => Ok(Format::Plain),
        "count" => Ok(Format::Count),
        "bytes" => Ok(Format::Bytes),
        "percent" => Ok(Format::Percent),
        digits => match digits.parse() {
            Ok(decimals @ 0..=9) => Ok(Format::Decimals(decimals)),
            _ => Err(format!(
                "there is no format {digits}: try plain, count, bytes, percent or decimals 0 to 9"
            )),
        },
    }
}

/// A number as the page writes it.
pub fn written(value: f64, format: Format) -> String {
    match format {
        Format::Plain => format!("{value}"),
        Format::Count => grouped(value.round().max(0.0) as u64),
        Format::Percent => format!("{:.0} %", value * 100.0),
        Format::Decimals(digits) => format!("{value:.*}", usize::from(digits)),
        Format::Bytes => match value {
            v if v < 1e4 => format!("{} B", grouped(v as u64)),
            v if v < 1e6 => format!("{:.1} KB", v / 1e3),
            v if v < 1e9 => format!("{:.1} MB", v / 1e6),
            v => format!("{:.1} GB", v / 1e9),
        },
    }
}

/// A whole number with a thin space every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Computes `measure key=value ... | format`.
pub fn evaluated(claim: &str) -> Result<String, String> {
    let (what, form) = claim.split_once('|').unwrap_or((claim, ""));
    let mut words = what.split_whitespace();
    let name = words.next().ok_or("a claim needs a measure")?;
    let keys: Option<Vec<_>> = words.map(|word| word.split_once('=')).collect();
    let keys = keys.ok_or_else(|| format!("after {name} stand pairs of key=value"))?;
    let form = format(form.trim())?;
    let value = measure(name, &run(keys)?).ok_or_else(|| {
        let names: Vec<_> = MEASURES.iter().map(|(name, _)| *name).collect();
        format!("there is no measure {name}: try one of {}", names.join(", "))
    })?;
    Ok(written(value, form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_what_the_plan_says() {
        for (claim, expect) in [
            ("efficiency cp=8 layout=contiguous seq_len=4096 | percent", "53 %"),
            ("efficiency cp=8 layout=zigzag seq_len=4096 | percent", "100 %"),
            ("memory.kv | bytes", "196.6 KB"),
            ("scores_bytes seq_len=4096 | bytes", "67.1 MB"),
            ("chance task=recall | 2", "2.08"),
            ("hops cp=8", "7"),
            ("parameters | count", "131\u{202f}392"),
            ("padded_len seq_len=100 cp=8 | plain", "104"),
            ("valid_tokens documents=100,156", "254"),
        ] {
            assert_eq!(evaluated(claim).as_deref(), Ok(expect), "{claim}");
        }
    }

    #[test]
    fn every_measure_is_there() {
        let plan = run([]).expect("the default run");
        for (name, doc) in MEASURES {
            let value = measure(name, &plan).unwrap_or_else(|| panic!("{name}"));
            assert!(value.is_finite() && !doc.is_empty());
        }
    }

    #[test]
    fn what_is_unknown_is_named() {
        for (claim, says) in [
            ("beauty cp=2", "no measure beauty"),
            ("efficiency colour=red", "colour"),
            ("efficiency cp=0", "cp"),
            ("efficiency cp", "key=value"),
            ("efficiency | roman", "no format roman"),
        ] {
            let error = evaluated(claim).expect_err(claim);
            assert!(error.contains(says), "{claim}: {error}");
        }
    }
}
