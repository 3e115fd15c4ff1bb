//! How the open step stands: its conditions, its answer.

use std::rc::Rc;

use lesson::Ask;

use super::{Given, Reply, Seen, key, measured, words};
use crate::app::state::{Effect, State};

impl State {
    /// What an answer is worth.
    pub(super) fn judged(&self, reply: &Reply) -> Given {
        let ask = self.lessons.step().and_then(|step| step.ask.as_ref());
        let is_right = match (ask, reply) {
            (Some(Ask::Choice { right, .. }), Reply::Option(chosen)) => right == chosen,
            (Some(Ask::Number { subject, per_rank, unit, within }), Reply::Number(text)) => {
                let Some(number) = typed(text, unit.symbol()) else { return Given::NoNumber };
                let Some(whole) = measured::number(self, subject) else { return Given::TooEarly };
                let share = if *per_rank { measured::share(self, subject) } else { 1.0 };
                // A number that was read off a page was rounded.
                (number - whole * share / unit.size()).abs() <= within.max(1e-9)
            }
            _ => return Given::Nothing,
        };
        if is_right { Given::Right } else { Given::Wrong }
    }

    /// Looks how the open step stands; what was done for the first time is kept.
    pub(in crate::app) fn judge(&mut self) -> Option<Effect> {
        let open = self.lessons.open.as_ref()?;
        let lesson = Rc::clone(open.lesson.as_ref()?);
        let step = lesson.steps.get(open.at)?;
        let conditions: Vec<(bool, String)> = step
            .check
            .iter()
            .map(|condition| (measured::holds(self, condition), words::of(self, condition)))
            .collect();
        let intro = if open.at == 0 { &lesson.intro[..] } else { &[] };
        let live = intro.iter().chain(&step.body).chain(&step.hint).flat_map(|block| &block.live);
        let live = live.map(|live| words::live(self, live)).collect();
        let is_met = conditions.iter().all(|(met, _)| *met);
        let is_done = is_met && (step.ask.is_none() || open.given == Given::Right);
        let seen = Seen { conditions, live };
        if *open.seen != seen
            && let Some(open) = &mut self.lessons.make_mut().open
        {
            open.seen = Rc::new(seen);
        }
        if !is_done || self.lessons.is_done(&lesson.id, &step.id) {
            return None;
        }
        let done = &mut self.lessons.make_mut().done;
        done.insert(key(&lesson.id, &step.id));
        Some(Effect::KeepProgress(done.iter().map(String::as_str).collect::<Vec<_>>().join(" ")))
    }
}

/// A number as people type it: with a comma, or with the unit that stands beside it.
fn typed(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix(unit).unwrap_or(text).trim_end();
    // Thousands are parted by thin spaces on the page.
    let plain: String = text.chars().filter(|&c| c != '\u{202f}').collect();
    plain.replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}
