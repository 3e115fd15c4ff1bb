//! What was given by flags and versions: what of it cannot be understood.

use plan::{Message, message};

use crate::correct::Edit;
use crate::finding::{Finding, Id, LAUNCH, Severity, Stage};
use crate::flags::{FlagFault, Line};
use crate::input::Input;
use crate::keys::{FSDP, PARALLELISM, Shape, may_be_left_out};
use crate::read::MAX_COUNT;
use crate::setup::Setup;
use crate::text::short;
use crate::version::{BROKEN, FIRST_WITH_CP, Maturity, NEWEST_KNOWN, REPAIRED, Version, stand_in};

/// What is wrong with the flags.
pub(crate) fn flags(line: &Line, faults: &[FlagFault], input: &Input) -> Vec<Finding> {
    let mut findings: Vec<Finding> = faults.iter().map(fault).collect();
    if input.launch.is_some() {
        findings.extend(not_a_launch(line, faults));
    }
    for flag in &line.flags {
        let Some(value) = &flag.value else { continue };
        let shape = shape(&flag.name);
        let wrong = match shape {
            Shape::Count => !value.parse::<u64>().is_ok_and(|n| (1..=MAX_COUNT).contains(&n)),
            Shape::Choice(names) => !names.contains(&value.as_str()),
            _ => false,
        };
        if wrong {
            let why = match shape {
                Shape::Choice(names) => {
                    message!("It must be one of {names}.", names = names.join(", "))
                }
                _ => message!(
                    "It must be a whole number from {low} to {most}.",
                    low = 1,
                    most = MAX_COUNT
                ),
            };
            // Without a size or a kind of run it would be another run, so that stays open.
            let left_out = may_be_left_out(shape);
            let fix = if left_out {
                message!("Correct it, or leave the flag out to get the default.")
            } else {
                message!("Write the value that is meant; without the flag this is another run.")
            };
            let edit = left_out.then(|| Edit::RemoveFlag(flag.name.clone()));
            findings.push(
                Finding::new(Id::BadValue, Severity::Error, Stage::Read)
                    .says(
                        message!(
                            "--{flag} {value} cannot be used.",
                            flag = &flag.name,
                            value = short(value)
                        ),
                        why,
                        fix,
                    )
                    .refers_to(LAUNCH)
                    .corrected_by(edit),
            );
        }
    }
    if let Some(file) = line.value("config_file").filter(|_| input.config.is_none()) {
        findings.push(Finding::new(Id::NotUnderstood, Severity::Warning, Stage::Read).says(
            message!("--config_file {file} was not given to the doctor.", file = short(file)),
            message!("What it holds decides as much as the flags do."),
            message!("Give the file as well."),
        ));
    }
    findings
}

/// A line that starts nothing, or something that is not read here.
fn not_a_launch(line: &Line, faults: &[FlagFault]) -> Option<Finding> {
    let finding = |message: Message, why: Message, fix: Message| {
        Some(
            Finding::new(Id::NotUnderstood, Severity::Warning, Stage::Read)
                .says(message, why, fix)
                .refers_to(LAUNCH),
        )
    };
    if let Some(other) = &line.foreign {
        return finding(
            message!(
                "The line starts {other}, and only accelerate launch is read here.",
                other = short(other)
            ),
            message!(
                "What its own flags decide is not known here, and a configuration file is not read \
             by what it starts."
            ),
            message!(
                "Set launcher=torchrun or python with WORLD_SIZE and LOCAL_RANK, or give the line of \
             accelerate launch."
            ),
        );
    }
    let Some(script) = line.script.first() else {
        let nothing = line.flags.is_empty() && faults.is_empty();
        return nothing.then_some(()).and_then(|()| {
            finding(
                message!("The line names no script and no flag."),
                message!("accelerate launch stops without a script."),
                message!("Give the line as it is typed."),
            )
        });
    };
    let module = line.has("module") || line.has("no_python");
    if module || script.ends_with(".py") || script.contains('/') {
        return None;
    }
    finding(
        message!(
            "{script} is taken for the script, and whatever follows for its own.",
            script = short(script)
        ),
        message!("The first word that is neither a flag nor a flag's value is the script to run."),
        message!("Give the line from accelerate launch on; a script that is no .py file is fine."),
    )
}

fn shape(flag: &str) -> Shape {
    match flag {
        "num_processes" | "num_machines" => Shape::Count,
        "mixed_precision" => Shape::Choice(crate::keys::PRECISIONS),
        flag => PARALLELISM
            .iter()
            .chain(FSDP)
            .find(|(name, _)| *name == flag)
            .map_or(Shape::Any, |&(_, shape)| shape),
    }
}

fn fault(fault: &FlagFault) -> Finding {
    let finding = match fault {
        FlagFault::Unknown { typed, meant, .. } => {
            let fix = match meant {
                Some(meant) => message!("Did you mean --{meant}?", meant = *meant),
                None => message!("Put the script's own arguments after the script."),
            };
            Finding::new(Id::UnknownKey, Severity::Error, Stage::Read).says(
                message!("accelerate launch has no flag {typed}.", typed = short(typed)),
                message!("What it does not know, accelerate launch takes for the script to run."),
                fix,
            )
        }
        FlagFault::NoValue { name } => Finding::new(Id::BadValue, Severity::Error, Stage::Read)
            .says(
                message!("--{name} has no value.", name),
                message!("The launcher expects one after it."),
                message!("Write --{name} and a value.", name),
            ),
    };
    let finding = finding.refers_to(LAUNCH);
    match fault {
        FlagFault::NoValue { name } => {
            let edit = may_be_left_out(shape(name)).then(|| Edit::RemoveFlag(name.clone()));
            finding.corrected_by(edit)
        }
        FlagFault::Unknown { meant: Some(meant), value, .. } => {
            finding.corrected_by([Edit::PutFlag(meant, value.clone())])
        }
        // What could not be understood is not carried over, so writing the line again drops it.
        FlagFault::Unknown { meant: None, .. } => finding.corrected_by([Edit::Rewrite]),
    }
}

/// What is unknown about the versions, as far as something depends on them.
pub(crate) fn versions(input: &Input, setup: &Setup) -> Vec<Finding> {
    let cp = setup.asked.cp > 1;
    let mut findings = Vec::new();
    let unknown = |message: Message, why: Message, fix: Message| {
        Finding::new(Id::UnknownVersion, Severity::Warning, Stage::Read).says(message, why, fix)
    };
    let depends = || {
        message!(
            "1.9 and earlier have no CP, 1.12.0 never builds its context, and 1.10, 1.11 and \
                   1.13 and later work."
        )
    };
    let say = || message!("Say which one it is: pip show accelerate.");
    match input.accelerate.as_deref().map(|text| (text, Version::parse(text))) {
        None if cp => findings.push(
            unknown(
                message!(
                    "accelerate's version was not given; {newest} is assumed.",
                    newest = NEWEST_KNOWN
                ),
                depends(),
                say(),
            )
            .corrected_by([Edit::Accelerate("1.13.0")]),
        ),
        None => {}
        Some((text, None)) => findings.push(
            unknown(
                message!(
                    "{text} is no version of accelerate; {newest} is assumed.",
                    text = short(text),
                    newest = NEWEST_KNOWN
                ),
                depends(),
                say(),
            )
            .corrected_by([Edit::Accelerate("1.13.0")]),
        ),
        Some((_, Some(version))) if version.release > NEWEST_KNOWN.release => {
            findings.push(unknown(
                message!(
                    "accelerate {version} is newer than {newest}, the newest that is known \
                     here; it is assumed to behave the same.",
                    version,
                    newest = NEWEST_KNOWN
                ),
                message!("What changed since cannot be told."),
                message!("Compare with its release notes."),
            ));
        }
        Some((_, Some(version))) if stand_in(version).is_some() => {
            let like = stand_in(version).unwrap_or(version);
            findings.push(
                unknown(
                    message!(
                        "There is no accelerate {version} that is known here; it is assumed to \
                         behave like {like}.",
                        version,
                        like
                    ),
                    depends(),
                    say(),
                )
                .corrected_by([Edit::Accelerate("1.13.0")]),
            );
        }
        Some((_, Some(version))) => {
            let turning = [FIRST_WITH_CP, BROKEN, REPAIRED].iter().any(|turn| {
                turn.release == version.release && version.maturity == Maturity::Development
            });
            if cp && turning {
                findings.push(
                    unknown(
                        message!(
                            "accelerate {version} is a development version; it is assumed to \
                             behave like the release.",
                            version
                        ),
                        depends(),
                        message!("Use a release, such as 1.13.0."),
                    )
                    .corrected_by([Edit::Accelerate("1.13.0")]),
                );
            }
        }
    }
    for (package, given) in [("torch", &input.torch), ("TRL", &input.trl)] {
        if let Some(text) = given.as_deref().filter(|text| Version::parse(text).is_none()) {
            findings.push(unknown(
                message!(
                    "{text} is no version of {package}; a current one is assumed.",
                    text = short(text),
                    package
                ),
                message!("What depends on it cannot be told."),
                message!("Give it as pip prints it."),
            ));
        }
    }
    findings
}
