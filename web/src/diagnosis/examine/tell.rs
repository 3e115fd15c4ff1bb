//! A diagnosis told in one language.

use doctor::{Cause, Context, Report as Diagnosis, Severity as Grade, State as Stand, Symptom};
use plan::{Message, Refusal, message};

use super::input;
use crate::app::language::{Language, told_in};
use crate::diagnosis::report::{
    AXES, Corrected, Finding, Found, Mesh, Playground, Report, SHOWN, Severity, State, Step, Story,
    Verdict,
};

/// Tells in a language.
pub struct Teller(pub Language);

impl Teller {
    fn tell(&self, message: &Message) -> String {
        told_in(self.0, message)
    }

    fn tell_all(&self, messages: &[Message]) -> Vec<String> {
        messages.iter().map(|message| self.tell(message)).collect()
    }

    /// A refusal whose texts are plain from here on.
    pub fn refusal(&self, refusal: &Refusal) -> Refusal {
        let Refusal { field, value, reason, works } = refusal;
        Refusal::new(field, self.tell(value), self.tell(reason), self.tell(works))
    }

    /// A diagnosis that took `took_ms`; `after` is what would be entered for the corrected run.
    pub fn report(
        &self,
        report: &Diagnosis,
        after: Option<&doctor::Input>,
        took_ms: f64,
    ) -> Report {
        let Context { fate, stops } = &report.context;
        let count = |grade| report.findings.iter().filter(|f| f.severity == grade).count();
        let assumed =
            Message::list(&report.assumed, |list, item| message!("{list}; {item}", list, item));
        Report {
            verdict: match report.verdict {
                doctor::Verdict::Ok => Verdict::Ok,
                doctor::Verdict::Warning => Verdict::Warning,
                doctor::Verdict::Error => Verdict::Error,
            },
            sentence: self.tell(&report.title()),
            took_ms,
            findings: report
                .findings
                .iter()
                .take(SHOWN)
                .map(|f| self.finding(f, report.error.as_ref()))
                .collect(),
            found: Found {
                errors: count(Grade::Error),
                warnings: count(Grade::Warning),
                notes: count(Grade::Info),
            },
            assumed: self.tell(&assumed),
            corrected: report.corrected.as_ref().zip(after).map(|(texts, after)| Corrected {
                config: texts.config.clone(),
                launch: texts.launch.clone(),
                environment: texts.environment.clone().into_iter().collect(),
                install: texts.install.clone(),
                script: texts.script.clone(),
                entered: input::write(after),
            }),
            fate: self.tell(&fate.title()),
            stops: stops.map(|stage| self.tell(&stage.title())),
            mesh: report.mesh.as_ref().map(|mesh| self.mesh(mesh)),
            playground: report.playground.as_ref().map(|playground| Playground {
                run: playground.run.clone(),
                notes: self.tell_all(&playground.notes),
            }),
            stories: report.stories.iter().map(|story| self.story(story)).collect(),
        }
    }

    /// What is known of an error, as a card like a finding's; what the report's verdict says of it
    /// already is not said again.
    pub fn error(&self, error: &Symptom, report: &Diagnosis) -> Finding {
        let cause = |Cause { id, sign, standing }: &Cause| {
            let stands = self.tell(&standing.title());
            format!("{id}: {} {stands}", self.tell(sign)).trim_end().to_owned()
        };
        let told = error.causes.iter().map(cause).collect::<Vec<_>>().join("\n");
        let story = report.stories.iter().find(|story| Some(story.id) == error.story);
        let checklist = story.map(|story| {
            self.tell(&message!(
                "The checklist \"{title}\" below goes through it step by step.",
                title = story.title.clone()
            ))
        });
        let fix = [Some(self.tell(&error.advice)), checklist];
        let is_said = report.title() == error.title();
        let title = if is_said { String::new() } else { self.tell(&error.title()) };
        Finding {
            id: "your-error".to_owned(),
            severity: Severity::Info,
            stage: self.tell(&message!("as you gave it")),
            place: None,
            message: if error.line.is_empty() {
                self.tell(&message!("No line of it looks like the end of a traceback."))
            } else {
                error.line.clone()
            },
            why: if told.is_empty() { title } else { told },
            fix: fix.into_iter().flatten().collect::<Vec<_>>().join("\n"),
            since: None,
            fixed_in: None,
            reference: error.lesson.map(|_| self.tell(&message!("The lesson about this error"))),
            // In this page: its path is the page's to know.
            link: error.lesson.map(|lesson| format!("#v=1&view=doctor&lesson={lesson}")),
        }
    }

    fn finding(&self, finding: &doctor::Finding, error: Option<&Symptom>) -> Finding {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let stage = match error.is_some_and(|error| error.is(finding)) {
            true => message!("{stage}: this is your error", stage = finding.stage.title()),
            false => finding.stage.title(),
        };
        Finding {
            id: finding.id.name().to_owned(),
            severity: match finding.severity {
                Grade::Info => Severity::Info,
                Grade::Warning => Severity::Warning,
                Grade::Error => Severity::Error,
            },
            stage: self.tell(&stage),
            place: finding.place.map(|place| (place.line, place.column)),
            message: self.tell(&finding.message),
            why: self.tell(&finding.why),
            fix: self.tell(&finding.fix),
            since: text(finding.since),
            fixed_in: text(finding.fixed_in),
            reference: text(finding.reference),
            link: finding.link(),
        }
    }

    fn mesh(&self, mesh: &doctor::Mesh) -> Mesh {
        let kinds = mesh.kinds();
        Mesh {
            axes: mesh.axes.iter().map(|(axis, size)| ((*axis).to_owned(), *size)).collect(),
            world_size: mesh.world_size,
            sizes: mesh.grid.map(|grid| {
                let mut axes = 0..AXES.len();
                AXES.map(|_| axes.next().map_or(1, |axis| grid.size(axis)))
            }),
            kinds: kinds.into_iter().map(|(name, over)| (name.to_owned(), over)).collect(),
            note: match (&mesh.note, &mesh.same) {
                (Some(note), _) => {
                    Some(self.tell(&message!("No groups: {note}.", note = note.clone())))
                }
                (None, same) => same.as_ref().map(|same| self.tell(same)),
            },
        }
    }

    fn story(&self, story: &doctor::Story) -> Story {
        let step = |step: &doctor::Step| Step {
            question: self.tell(&step.question),
            state: match step.state {
                Stand::Fine => State::Fine,
                Stand::Doubtful => State::Doubtful,
                Stand::Broken => State::Broken,
                Stand::Unknown => State::Unknown,
                Stand::Beside => State::Beside,
            },
            answer: self.tell(&step.answer),
        };
        Story {
            id: story.id.to_owned(),
            title: self.tell(&story.title),
            steps: story.steps.iter().map(step).collect(),
        }
    }
}
