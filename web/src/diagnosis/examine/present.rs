//! One diagnosis: from what is entered to what the page draws.

use doctor::{Input, Report as Diagnosis, diagnose_and_correct};
use web_time::Instant;

use super::input;
use super::tell::Teller;
use crate::app::doctor::entered::Entered;
use crate::app::language::Language;
use crate::diagnosis::report::Outcome;

/// Diagnoses what is entered, and tells it in a language.
pub fn examine(entered: &Entered, language: Language) -> Result<Outcome, String> {
    let begun = Instant::now();
    let teller = Teller(language);
    Ok(match diagnose(entered) {
        Ok(None) => Outcome::Nothing,
        Ok(Some((report, corrected))) => {
            let took_ms = begun.elapsed().as_secs_f64() * 1e3;
            let mut told = teller.report(&report, corrected.as_ref(), took_ms);
            if let Some(error) = &report.error {
                told.findings.insert(0, teller.error(error, &report));
                told.found.notes += 1;
            }
            Outcome::Diagnosed(Box::new(told))
        }
        Err(refusals) => Outcome::Refused(refusals.iter().map(|r| teller.refusal(r)).collect()),
    })
}

/// The diagnosis, and what would be entered for the corrected run.
fn diagnose(entered: &Entered) -> Result<Option<(Diagnosis, Option<Input>)>, Vec<plan::Refusal>> {
    let Some(input) = input::read(entered)? else { return Ok(None) };
    diagnose_and_correct(&input).map(Some).map_err(|refusal| vec![refusal])
}

#[cfg(test)]
mod tests {
    use doctor::Form;

    use super::*;
    use crate::app::doctor::entered::Part;
    use crate::app::doctor::samples::Sample;
    use crate::app::language::told_in;
    use crate::diagnosis::report::{AXES, FLATTENED, Report, SHOWN};

    fn told(entered: &Entered, language: Language) -> Report {
        match examine(entered, language) {
            Ok(Outcome::Diagnosed(report)) => *report,
            other => panic!("no diagnosis: {other:?}"),
        }
    }

    #[test]
    fn a_diagnosis_comes_in_the_language_that_is_asked_for() {
        let entered = Sample::LostContext.entered();
        let english = told(&entered, Language::English);
        let chinese = told(&entered, Language::Chinese);
        assert_eq!(english.sentence, "This run will go wrong.");
        let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
        let finding = &chinese.findings[0];
        for text in [&chinese.sentence, &finding.stage, &finding.why, &finding.fix, &chinese.fate] {
            assert!(text.contains(is_han), "{text}");
        }
        assert_eq!(finding.id, english.findings[0].id);
        assert_eq!(chinese.corrected, english.corrected);
    }

    #[test]
    fn a_refusal_comes_in_the_language_that_is_asked_for() {
        let entered = Entered::default().with(Part::Settings, "WORLD_SIZE");
        let Ok(Outcome::Refused(refusals)) = examine(&entered, Language::Chinese) else {
            panic!("it is no setting");
        };
        assert!(refusals[0].reason.contains("1") && !refusals[0].reason.contains("line"));
    }

    #[test]
    fn an_error_comes_with_its_causes_checklist_and_lesson() {
        let text = "AttributeError: 'Accelerator' object has no attribute '_cp_context'";
        let entered = Sample::LostContext.entered().with(Part::Error, text);
        let report = told(&entered, Language::English);
        let error = &report.findings[0];
        assert_eq!((error.message.as_str(), report.found.notes), (text, 1));
        assert!(
            error.why.lines().count() == 3 && error.why.contains("This was found"),
            "{error:?}"
        );
        assert!(error.fix.contains("The checklist \"AttributeError"), "{error:?}");
        assert_eq!(error.link.as_deref(), Some("#v=1&view=doctor&lesson=no-context"));
        assert!(report.findings[1].stage.ends_with(": this is your error"));
        let corrected = report.corrected.expect("it can be corrected").entered;
        assert_eq!(&**corrected.get(Part::Error), "");
    }

    #[test]
    fn a_text_in_the_place_of_another_is_read_and_told_where_it_belongs() {
        let placed = |found: &str| found == "misplaced-text";
        for (text, at, home) in [
            ("Traceback (most recent call last):\nKeyError: 'x'", Part::Config, "Error message"),
            ("KeyError: 'it's'", Part::Launch, "Error message"),
            ("Traceback (most recent call last):\nKeyError", Part::Settings, "Error message"),
            ("distributed_type: FSDP\n", Part::Error, "accelerate configuration"),
            ("distributed_type: FSDP\n", Part::Launch, "accelerate configuration"),
            ("accelerate launch --cpu t.py", Part::Config, "Launch line"),
            ("torchrun --nproc_per_node 8 t.py", Part::Error, "Launch line"),
            ("WORLD_SIZE=8\nRANK=0\n", Part::Error, "Variables and facts"),
        ] {
            let report = told(&Entered::default().with(at, text), Language::English);
            let found: Vec<_> = report.findings.iter().filter(|f| placed(&f.id)).collect();
            let [finding] = &found[..] else { panic!("{text}: {report:?}") };
            assert!(finding.fix.contains(&format!("Move it to “{home}”")), "{finding:?}");
        }
    }

    #[test]
    fn a_misplaced_text_is_told_by_the_labels_of_the_page() {
        let labels = [
            (Form::Error, crate::t!("doctor.input.label.error")),
            (Form::Config, crate::t!("doctor.input.label.config")),
            (Form::Launch, crate::t!("doctor.input.label.launch")),
            (Form::Settings, crate::t!("doctor.input.label.settings")),
        ];
        let chinese = include_str!("../../../locales/zh-CN.yml");
        for (form, label) in labels {
            assert_eq!(form.label(), *label);
            let label = told_in(Language::Chinese, &form.label());
            assert!(chinese.contains(&format!(": {label}\n")), "{label}");
        }
    }

    #[test]
    fn that_an_error_is_unknown_is_said_once() {
        let unknown = Entered::default().with(Part::Error, "ZeroDivisionError: division by zero");
        let report = told(&unknown, Language::English);
        let card = &report.findings[0];
        assert_eq!(report.sentence, "This error is not known here.");
        assert_eq!((&card.message[..], &card.why[..]), ("ZeroDivisionError: division by zero", ""));
        assert!(card.fix.starts_with("Give the configuration"), "{card:?}");
        // Where the verdict speaks of something else, the card says it.
        let broken = unknown.with(Part::Config, "a: b: c");
        assert_eq!(told(&broken, Language::English).findings[0].why, report.sentence);

        let none = told(&Entered::default().with(Part::Error, "it hangs"), Language::English);
        assert_eq!(none.sentence, "This text names no error.");
        let card = &none.findings[0];
        assert!(card.why.is_empty() && !card.message.contains("names no error"), "{card:?}");
        assert!(card.fix.contains("from Traceback on"), "{card:?}");
    }

    #[test]
    fn a_diagnosis_travels_whole() {
        for sample in Sample::ALL {
            let outcome = examine(&sample.entered(), Language::Chinese).expect("it is examined");
            let bytes = postcard::to_stdvec(&outcome).expect("it can be sent");
            assert_eq!(postcard::from_bytes::<Outcome>(&bytes).expect("it arrives"), outcome);
        }
    }

    #[test]
    fn of_thousands_of_findings_a_hundred_are_sent_and_all_counted() {
        let lines: String = (0..2000).map(|line| format!("unheard_of_{line}: 1\n")).collect();
        let report = told(&Entered::default().with(Part::Config, lines), Language::English);
        assert_eq!(report.findings.len(), SHOWN);
        let found = report.found;
        assert!(found.errors + found.warnings + found.notes >= 2000, "{found:?}");
    }

    #[test]
    fn the_page_knows_every_group_by_name() {
        assert_eq!(doctor::Axis::ALL.map(doctor::Axis::name), AXES);
        let report = told(&Sample::Healthy.entered(), Language::English);
        let mesh = report.mesh.expect("it has a mesh");
        assert_eq!(mesh.sizes, Some([1, 4, 2, 1, 1]));
        for (name, _) in &mesh.kinds {
            assert!(AXES.contains(&name.as_str()) || FLATTENED.contains(&name.as_str()), "{name}");
        }
    }
}
