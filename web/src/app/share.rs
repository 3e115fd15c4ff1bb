//! What a user takes away from a run: files with their names, and the line that runs it natively.

pub mod csv;
pub mod curve_svg;

use plan::Event;
use plan::trace::Document;

use crate::app::origin::Origin;
use crate::app::record::WholeStep;
use crate::app::state::{OwnText, State};

/// The media type of a checkpoint.
pub const CHECKPOINT: &str = "application/octet-stream";

/// A file to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, with the run and the step.
    pub name: String,
    /// Its media type.
    pub mime: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What can be kept as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Every step's numbers as CSV.
    Steps,
    /// Every rank's traffic as CSV.
    Traffic,
    /// The events of the step that is shown, as a trace.
    Trace,
    /// The state of parameters and optimiser as a checkpoint, which the native command reads.
    Checkpoint,
    /// The user's own text, which the native command reads.
    Text,
    /// The checkpoint that the run began from, which the native command goes on from.
    Origin,
}

/// A picture of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// The ring at the moment that is shown.
    Ring,
    /// The tiles of attention.
    Matrix,
    /// The loss curve.
    Curve,
    /// The timeline as it is zoomed.
    Timeline,
    /// What each rank sent to each.
    Links,
}

/// How a picture is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As lines.
    Svg,
    /// As pixels.
    Png,
}

impl Picture {
    /// Every picture.
    pub const ALL: [Self; 5] = [Self::Ring, Self::Matrix, Self::Curve, Self::Timeline, Self::Links];

    /// The name on the page and in the file's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Matrix => "matrix",
            Self::Curve => "curve",
            Self::Timeline => "timeline",
            Self::Links => "links",
        }
    }

    /// What finds its drawing on the page; the curve is drawn anew, with its axes.
    pub fn selector(self) -> Option<&'static str> {
        match self {
            Self::Ring => Some(".ring-drawing"),
            Self::Matrix => Some(".matrix svg"),
            Self::Curve => None,
            Self::Timeline => Some(".timeline .timeline-lanes"),
            Self::Links => Some(".links-matrix svg"),
        }
    }
}

impl Format {
    /// The ending of a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

impl State {
    /// The file that `keep` asks for; `None` while there is nothing to keep.
    pub fn file(&self, keep: Keep) -> Option<File> {
        if !self.can_keep(keep) {
            return None;
        }
        let named = |what: &str, step: u32| format!("{}-{what}", self.run_name(step));
        match keep {
            // All that is known, wherever the run stands.
            Keep::Steps => Some(File {
                name: named("steps.csv", self.record.furthest()),
                mime: "text/csv",
                bytes: csv::steps(&self.record.curve).into_bytes(),
            }),
            Keep::Traffic => Some(File {
                name: named("traffic.csv", self.steps()),
                mime: "text/csv",
                bytes: csv::traffic(&self.plan, &self.record.figures).into_bytes(),
            }),
            Keep::Trace => self.shown().map(|step| File {
                name: named("trace.json", step.step + 1),
                mime: "application/json",
                bytes: trace(&step),
            }),
            // It is taken once all ranks stand.
            Keep::Checkpoint => None,
            Keep::Text => self.text.as_ref().map(|text| File {
                name: file_name(text),
                mime: "text/plain",
                bytes: text.bytes.to_vec(),
            }),
            Keep::Origin => self.origin.as_ref().map(|origin| File {
                name: self.origin_name(origin),
                mime: CHECKPOINT,
                bytes: origin.bytes.to_vec(),
            }),
        }
    }

    /// Whether there is anything to keep.
    pub fn can_keep(&self, keep: Keep) -> bool {
        match keep {
            Keep::Steps => self.record.has_steps(),
            Keep::Traffic => self.steps() > self.record.first(),
            Keep::Trace => self.shown().is_some(),
            Keep::Checkpoint => self.can_take(),
            Keep::Text => self.text.is_some(),
            Keep::Origin => self.origin.is_some(),
        }
    }

    /// The name of a picture's file.
    pub fn picture_name(&self, picture: Picture, format: Format) -> String {
        let step = match picture {
            Picture::Timeline | Picture::Ring => self.shown().map_or(0, |step| step.step + 1),
            Picture::Curve => self.record.furthest(),
            Picture::Matrix | Picture::Links => self.steps(),
        };
        format!("{}-{}.{}", self.run_name(step), picture.name(), format.ending())
    }

    /// The line that trains this run natively.
    pub fn train_line(&self) -> String {
        let text = self.text.as_ref().map(file_name);
        let origin = self.origin.as_ref().map(|origin| self.origin_name(origin));
        plan::flags::train_line(self.plan.config(), text.as_deref(), origin.as_deref())
    }

    /// The name under which the checkpoint is kept that the run began from.
    fn origin_name(&self, origin: &Origin) -> String {
        let name = plain(&origin.name);
        match name.ends_with(".safetensors") {
            true => name,
            false => format!("{}.safetensors", self.run_name(origin.steps())),
        }
    }

    /// The run and the number of its steps, short enough for a file's name.
    pub(super) fn run_name(&self, step: u32) -> String {
        let c = self.plan.config();
        format!(
            "ringside-{}-{}-cp{}-dp{}-t{}-seed{}-step{step}",
            c.strategy.name(),
            c.layout.name(),
            c.cp,
            c.dp,
            c.seq_len,
            c.seed
        )
    }
}

/// The events of `step` as a trace that counts steps as the page does, from 1.
fn trace(step: &WholeStep) -> Vec<u8> {
    let counted = |event: &Event| Event { step: event.step + 1, ..event.clone() };
    let events: Vec<Vec<_>> =
        step.events.iter().map(|rank| rank.iter().map(counted).collect()).collect();
    serde_json::to_vec(&Document::new(&events)).unwrap_or_default()
}

/// The name under which a text is kept, the same in every language.
fn file_name(text: &OwnText) -> String {
    plain(text.name.as_deref().unwrap_or("your-text"))
}

/// A name that every file system and shell takes as it stands.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(|c| matches!(c, '-' | '.'));
    match plain.contains('.') {
        true => plain.to_owned(),
        false if plain.is_empty() => "text.txt".to_owned(),
        false => format!("{plain}.txt"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::Language;

    #[test]
    fn names_are_plain() {
        for (name, expect) in [
            ("pasted text", "pasted-text.txt"),
            ("a b.md", "a-b.md"),
            ("--help", "help.txt"),
            ("$(rm -r ~).txt", "rm--r---.txt"),
            ("红楼梦", "text.txt"),
        ] {
            assert_eq!(plain(name), expect);
        }
    }

    #[test]
    fn nothing_is_kept_of_a_run_that_has_not_begun() {
        let (state, _) = State::open("v=1&cp=2&seed=9", Language::default());
        for keep in [Keep::Steps, Keep::Traffic, Keep::Trace, Keep::Text] {
            assert_eq!(state.file(keep), None, "{keep:?}");
        }
        let name = state.picture_name(Picture::Ring, Format::Png);
        assert_eq!(name, "ringside-ring-contiguous-cp2-dp1-t256-seed9-step0-ring.png");
        assert_eq!(state.train_line(), "ringside train --cp 2 --seed 9");
    }
}
