//! The run's numbers at a glance: loss, step, speed, gradient norm.

use crate::t;
use plan::fold::Curve;
use yew::prelude::*;

use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::metric::SPEED_WINDOW;
use crate::app::shared::Shared;
use crate::app::view::memo::View;
use crate::app::view::term::explain;

/// The numbers.
#[derive(PartialEq)]
pub struct Reader {
    /// Steps that every rank has done.
    pub steps: u32,
    /// The step after which the run began.
    pub first: u32,
    /// Steps of the whole run.
    pub total: u32,
    /// All numbers.
    pub curve: Shared<Curve>,
}

impl View for Reader {
    fn draw(&self) -> Html {
        let Self { steps, first, total, curve } = self;
        let newest =
            curve.steps().rev().find(|(step, numbers)| step < steps && numbers.loss.is_some());
        let number = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "–".to_owned(),
        };
        let loss = newest.and_then(|(_, n)| n.loss);
        let norm = newest.and_then(|(_, n)| n.grad_norm);
        let speed = match curve.tokens_per_second(*first..*steps, SPEED_WINDOW) {
            Some(speed) => format::count(speed.round() as u64),
            None => "–".to_owned(),
        };
        // Live regions off: numbers that change several times a second cannot be read out.
        html! {
            <dl class="numbers">
                <div>
                    <dt>{ explain(Shown::Loss, t!("reader.loss")) }</dt>
                    <dd>
                        <span role="status" aria-label={t!("reader.loss")} aria-live="off">{ number(loss, 4) }</span>
                    </dd>
                </div>
                <div>
                    <dt>{ explain(Shown::Step, t!("reader.step")) }</dt>
                    <dd>
                        <span role="status" aria-label={t!("reader.step")} aria-live="off">{ steps }</span>
                        <small>{ t!("reader.of", total = total) }</small>
                    </dd>
                </div>
                <div>
                    <dt>{ explain(Shown::TokensPerSecond, t!("reader.speed")) }</dt>
                    <dd>{ speed }</dd>
                </div>
                <div>
                    <dt>{ explain(Shown::GradNorm, t!("reader.norm")) }</dt>
                    <dd>{ number(norm, 3) }</dd>
                </div>
            </dl>
        }
    }
}
