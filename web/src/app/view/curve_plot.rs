//! A curve of the run: ours, that of one rank alone, and what is read off them.

use crate::t;
use plan::fold::Curve;
use plan::run::VOCAB;
use yew::prelude::*;

use crate::app::geometry::chart::{Chart, nearest, range};
use crate::app::geometry::scale::brief;
use crate::app::metric::Metric;
use crate::app::reference::ReferenceLog;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::plot::{Line, Plot};

/// The plot.
#[derive(PartialEq)]
pub struct CurvePlot {
    /// Which number.
    pub metric: Metric,
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// Steps done in the state in which the run is.
    pub at: u32,
    /// The step after which the run began.
    pub first: u32,
    /// Ranks of the run.
    pub world: usize,
    /// Steps of the whole run.
    pub total: u32,
    /// The one-rank run.
    pub reference: Shared<ReferenceLog>,
    /// The step that is lit.
    pub lit: Option<u32>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for CurvePlot {
    fn draw(&self) -> Html {
        let Self { metric, curve, at, first, world, total, reference, lit, on } = self;
        let values = metric.values(curve, *first);
        let others: Vec<(u32, f64)> = match metric {
            Metric::Loss => reference.losses.iter().map(|(&step, &loss)| (step, loss)).collect(),
            Metric::GradNorm | Metric::Speed => Vec::new(),
        };
        let guess = (VOCAB as f64).ln();
        let all = values.iter().chain(&others).map(|&(_, value)| value);
        let (low, high) = match metric {
            Metric::Loss => {
                let (low, high) = range(all, (guess - 1.0, guess + 0.25));
                (low.floor().max(0.0), high)
            }
            Metric::GradNorm | Metric::Speed => range(all, (0.0, 0.0)),
        };
        let last = values.last().map_or(0, |&(step, _)| step + 1);
        let chart = Chart::new(last, *total, (low, high));
        // What is read off is a step that was trained: the one in whose state the run is, unless another
        // is lit.
        let pointed = lit.filter(|&step| step < last).and_then(|step| nearest(&values, step));
        let here = at.checked_sub(1).and_then(|step| nearest(&values, step));
        let read = pointed.or(here);
        let words = match read {
            None if *first > 0 => t!("curve.begins", step = first).into_owned(),
            None => t!("curve.no_step").into_owned(),
            Some(read) => {
                let other = others.binary_search_by_key(&read.0, |&(step, _)| step);
                metric.sentence(read, other.ok().map(|index| others[index].1))
            }
        };
        let name = match world {
            1 => t!("curve.one_rank_run"),
            n => t!("curve.ranks_together", count = n),
        };
        let marks = chart.up.iter().map(|&value| brief(value)).collect::<Vec<_>>();
        let lines = vec![
            Line { class: classes!("ours"), path: chart.line(&values) },
            Line { class: classes!("other"), path: chart.line(&others) },
        ];
        let level =
            (*metric == Metric::Loss).then(|| (guess, AttrValue::from(t!("curve.guessing"))));
        html! {
            <figure class="chart">
                <figcaption>
                    <span class="reading">{ &words }</span>
                    <span class="legend">
                        <span><span class="key ours"></span>{ name }</span>
                        if values.first().is_some_and(|(step, _)| step < first) {
                            <span>{ t!("curve.forked", step = first) }</span>
                        }
                        if !others.is_empty() {
                            <span><span class="key other"></span>{ t!("curve.alone") }</span>
                        }
                    </span>
                </figcaption>
                <Plot
                    {chart}
                    {lines}
                    name={t!(format!("curve.{}.slider", metric.key()))}
                    {words}
                    {marks}
                    {read}
                    begun={first.checked_sub(1)}
                    lit={pointed.map(|(step, _)| step)}
                    {level}
                    across={t!("curve.across")}
                    {on}
                />
            </figure>
        }
    }
}
