//! Reads somebody's accelerate configuration and environment; says what will happen and why.
//!
//! [`diagnose`] is a pure function of an [`Input`]: the text of a configuration, the words typed
//! after `accelerate launch`, variables, versions and a machine. Findings come in the order in
//! which a run meets them. What was concluded from accelerate's source was read at 1.10.0,
//! 1.12.0, 1.13.0 and 1.15.0.

mod checks;
mod correct;
mod document;
mod facts;
mod finding;
mod flags;
mod form;
mod input;
mod keys;
mod mesh;
mod misplaced;
mod nearest;
mod ordered;
mod pasted;
mod playground;
mod read;
mod report;
mod script;
mod settings;
mod setup;
mod story;
mod symptom;
mod text;
mod version;
mod yaml;

pub use correct::{Corrected, Edit};
pub use document::Value;
pub use facts::Fact;
pub use finding::{Finding, Id, Severity, Stage};
pub use flags::{join as join_line, split as split_line, unclosed};
pub use form::Form;
pub use input::{Input, Machine};
pub use mesh::{Mesh, MeshRank};
pub use misplaced::Misplaced;
pub use ordered::Ordered;
pub use playground::Playground;
pub use report::{Context, Fate, Report, Verdict};
pub use settings::Settings;
pub use setup::{Axis, CpuWish};
pub use story::{State, Step, Story};
pub use symptom::{Cause, Standing, Symptom};
pub use version::Version;
pub use yaml::{Place, Scalar};

use correct::Draft;
use document::Document;
use flags::{FlagFault, Line};
use plan::{Refusal, message};
use setup::{Setup, Source};
use story::Given;

/// Correcting one fault may bring another to light; more rounds than this it never takes.
const MAX_ROUNDS: usize = 16;

/// Says what will happen; refused where there is nothing to diagnose.
pub fn diagnose(input: &Input) -> Result<Report, Refusal> {
    diagnose_and_correct(input).map(|(report, _)| report)
}

/// The same with the [`corrected_input`], which a report needs to be made in any case.
pub fn diagnose_and_correct(input: &Input) -> Result<(Report, Option<Input>), Refusal> {
    input.check()?;
    let (input, moved) = &pasted::unfold(input);
    let examined = Examined::new(input);
    let after = corrected_input(input);
    let corrected = after.as_ref().map(|after| Corrected::new(input, after));
    let Examined { setup, findings, .. } = examined;
    let findings = [moved.clone(), findings].concat();
    let readable = setup.source != Source::Unreadable;
    let state = |given: &Option<String>| match given.as_deref().map(version::Version::parse) {
        Some(Some(_)) => State::Fine,
        Some(None) => State::Doubtful,
        None => State::Unknown,
    };
    let symptom = Symptom::of(input, &findings);
    // An error alone says nothing about the run that ended in it.
    let unsaid = symptom.is_some()
        && input.config.is_none()
        && input.launch.is_none()
        && input.settings.is_empty();
    let given = Given { accelerate: state(&input.accelerate), torch: state(&input.torch) };
    let stories = story::stories(&setup, &findings, given);
    let report = Report {
        verdict: Verdict::of(&findings, symptom.as_ref()),
        mesh: readable.then(|| mesh::mesh(&setup)).flatten(),
        context: match unsaid {
            true => Context { fate: Fate::Unsaid, stops: None },
            false => Context::of(&setup, &findings),
        },
        stories: match (readable, unsaid) {
            (false, _) => story::unknown(
                stories,
                &message!("Not known: the configuration could not be read."),
            ),
            (true, true) => {
                story::unknown(stories, &message!("Not known: no configuration was given."))
            }
            (true, false) => stories,
        },
        error: symptom,
        playground: readable.then(|| playground::playground(&setup)).flatten(),
        assumed: if unsaid { vec![] } else { setup.assumed },
        findings,
        corrected,
    };
    Ok((report, after))
}

/// What was given, with every fault that can be corrected corrected; `None` where there is none.
pub fn corrected_input(input: &Input) -> Option<Input> {
    let (unfolded, _) = pasted::unfold(input);
    let mut current = unfolded.clone();
    for _ in 0..MAX_ROUNDS {
        let examined = Examined::new(&current);
        let edits = first_edits(&examined.findings);
        if edits.is_empty() || examined.setup.source == Source::Unreadable {
            break;
        }
        let line = current.launch.is_some().then_some(examined.line);
        let mut draft = Draft { document: examined.document, line, input: current };
        for edit in &edits {
            draft.apply(edit);
        }
        current = draft.finish();
    }
    // The error is that of the run before.
    (current != unfolded).then_some(Input { error: None, ..current })
}

/// The changes for the first stage that has any: what goes wrong later may follow from it.
fn first_edits(findings: &[Finding]) -> Vec<Edit> {
    let stages = findings.iter().filter(|f| !f.edits.is_empty()).map(|finding| finding.stage);
    let first = stages.min();
    let at_first = findings.iter().filter(|finding| Some(finding.stage) == first);
    at_first.flat_map(|finding| finding.edits.clone()).collect()
}

struct Examined {
    setup: Setup,
    findings: Vec<Finding>,
    document: Option<Document>,
    line: Line,
}

impl Examined {
    fn new(input: &Input) -> Self {
        let accelerate = setup::accelerate_version(input);
        let config = match &input.config {
            Some(text) => read::read(text, accelerate),
            None => read::Config::default(),
        };
        let (line, faults): (Line, Vec<FlagFault>) =
            input.launch.as_deref().map(flags::parse).unwrap_or_default();
        let setup = Setup::new(input, &config, line.clone());
        let mut findings = config.findings;
        findings.extend(checks::flags(&line, &faults, input));
        findings.extend(checks::settings(input, &setup));
        if setup.source != Source::Unreadable {
            findings.extend(checks::versions(input, &setup));
            findings.extend(checks::run(&setup));
        }
        findings.sort_by_key(|finding| finding.stage);
        Self { setup, findings, document: config.document, line }
    }
}
