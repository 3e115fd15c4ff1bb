//! The script's own arguments: what they say of a fact, and how a fact is set in them.

use crate::facts::{Fact, truth};

/// One argument: `--name value`, `--name=value`, or a lone `--name`.
struct Argument {
    /// Its name without dashes, underscores inside.
    name: String,
    /// Its value, where it has one.
    value: Option<String>,
    /// The index of its first word.
    at: usize,
    /// Its words.
    words: usize,
}

/// Names and values; a lone `--name` stands for true.
pub fn arguments(script: &[String]) -> impl Iterator<Item = (String, String)> {
    let value = |value: Option<String>| value.unwrap_or_else(|| "true".to_owned());
    parse(script).into_iter().map(move |argument| (argument.name, value(argument.value)))
}

/// Sets a fact wherever the arguments state it; whether they do.
///
/// A lone switch that is to be off is dropped, which `store_true` and `HfArgumentParser` take for
/// off; one that has a truth value gets `False`, and a width goes.
pub fn set(script: &mut Vec<String>, fact: Fact, value: &str) -> bool {
    let stated = |argument: &Argument| Fact::named(&argument.name) == Some(fact);
    let arguments: Vec<Argument> = parse(script).into_iter().filter(stated).collect();
    let off = truth(value) == Some(false);
    // From the end, so that indices before it stay.
    for Argument { value: old, at, words, .. } in arguments.iter().rev() {
        let typed = script[*at].split('=').next().unwrap_or_default().to_owned();
        let value = if off { "False" } else { value };
        let new = match old {
            None if off => vec![],
            Some(old) if off && truth(old).is_none() => vec![],
            Some(_) if *words == 1 => vec![format!("{typed}={value}")],
            Some(_) | None => vec![typed, value.to_owned()],
        };
        script.splice(at..&(at + words), new);
    }
    !arguments.is_empty()
}

fn parse(script: &[String]) -> Vec<Argument> {
    let mut arguments = Vec::new();
    // The first word is the script itself.
    let mut at = 1;
    while let Some(word) = script.get(at) {
        let Some(name) = word.strip_prefix("--") else {
            at += 1;
            continue;
        };
        let (name, value, words) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned()), 1),
            None => match script.get(at + 1).filter(|next| !next.starts_with("--")) {
                Some(value) => (name, Some(value.clone()), 2),
                None => (name, None, 1),
            },
        };
        let name = name.replace('-', "_");
        // A script's own num_processes is not the launcher's, and its launcher did not start it.
        if !["num_processes", "launcher"].contains(&name.as_str()) {
            arguments.push(Argument { name, value, at, words });
        }
        at += words;
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::split;

    #[test]
    fn a_fact_is_set_where_it_is_stated() {
        let check = |line: &str, fact, value, expect: &str| {
            let mut script = split(line);
            assert!(set(&mut script, fact, value), "{line}");
            assert_eq!(script, split(expect), "{line}");
        };
        let packing = |line, expect| check(line, Fact::Packing, "false", expect);
        packing("t.py --packing", "t.py");
        packing("t.py --packing --lr 1", "t.py --lr 1");
        packing("t.py -v --packing True out", "t.py -v --packing False out");
        packing("t.py --packing=1 --packing", "t.py --packing=False");
        let attention = |line, expect| check(line, Fact::Attention, "sdpa", expect);
        attention("t.py --attn-implementation=eager", "t.py --attn-implementation=sdpa");
        attention("t.py --attn_implementation eager -x", "t.py --attn_implementation sdpa -x");
        check("t.py --window 8 --lr 1", Fact::SlidingWindow, "none", "t.py --lr 1");
        let mut other = split("t.py --lr 1 --launcher notebook");
        assert!(!set(&mut other, Fact::Packing, "false"));
        assert!(!set(&mut other, Fact::Launcher, "accelerate"));
        assert_eq!(other, split("t.py --lr 1 --launcher notebook"));
    }
}
