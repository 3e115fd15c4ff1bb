//! Parsers of single values, whose errors say what would work.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use plan::run::MAX_STEPS;
use plan::runtime::{Feature, Preset};
use plan::{Fault, Layout, Optimizer, StrategyKind, Task};

use super::FaultArg;

/// A whole number; its range is checked where its meaning is known.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    below(text, "try for example 4")
}

/// A number of steps.
pub fn steps(text: &str) -> Result<u32, String> {
    below(text, &format!("try {MAX_STEPS} or fewer"))
}

/// A whole number; `fewer` says what would work where `T` cannot hold it.
fn below<T: FromStr<Err = ParseIntError>>(text: &str, fewer: &str) -> Result<T, String> {
    text.trim().parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("it is more than any run may have; {fewer}"),
        _ => "it must be a whole number; try for example 4".to_owned(),
    })
}

/// A number with or without a fraction.
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "it must be a number; try for example 0.001".to_owned())
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match whole(text)? {
        threads @ 1..=1024 => Ok(threads),
        _ => Err("it must lie between 1 and 1024; try 1".to_owned()),
    }
}

fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).map(move |text| {
        let found = all.into_iter().find(|&value| name(value) == text);
        found.expect("clap lets only these names through")
    })
}

/// A strategy by its name.
pub fn strategy() -> impl TypedValueParser<Value = StrategyKind> {
    named(StrategyKind::ALL, StrategyKind::name)
}

/// A layout by its name.
pub fn layout() -> impl TypedValueParser<Value = Layout> {
    named(Layout::ALL, Layout::name)
}

/// A task by its name.
pub fn task() -> impl TypedValueParser<Value = Task> {
    named(Task::ALL, Task::name)
}

/// An optimiser by its name.
pub fn optimizer() -> impl TypedValueParser<Value = Optimizer> {
    named([Optimizer::Adamw, Optimizer::Sgd], Optimizer::name)
}

/// A fault by its name, none, or the list of them.
pub fn fault() -> impl TypedValueParser<Value = FaultArg> {
    let names = Fault::ALL.map(Fault::name).into_iter().chain(["none", "list"]);
    PossibleValuesParser::new(names).map(|text| match text.as_str() {
        "list" => FaultArg::List,
        name => Fault::ALL
            .into_iter()
            .find(|fault| fault.name() == name)
            .map_or(FaultArg::Healthy, FaultArg::Of),
    })
}

/// A machine by its name.
pub fn preset() -> impl TypedValueParser<Value = Preset> {
    named(Preset::ALL, Preset::name)
}

/// Something that not every machine can do, by its name.
pub fn feature() -> impl TypedValueParser<Value = Feature> {
    named(Feature::ALL, Feature::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_would_work() {
        assert_eq!(whole::<usize>(" 3"), Ok(3));
        for error in [
            whole::<usize>("-1").expect_err("negative"),
            whole::<u32>("3.5").expect_err("a fraction"),
            number("fast").expect_err("no number"),
            threads("0").expect_err("none"),
            whole::<usize>("99999999999999999999").expect_err("more than 64 bits"),
            steps("18446744073709551615").expect_err("more than 32 bits"),
        ] {
            assert!(error.contains("try"), "{error}");
        }
    }
}
