//! Two runs side by side: what was changed, how far their losses are apart, what each step cost.

use std::borrow::Cow;

use crate::t;
use plan::fold::Curve;
use plan::{RunConfig, RunPlan};
use yew::prelude::*;

use crate::app::beside::{Beside, Source};
use crate::app::cost::{Cost, Costs};
use crate::app::fields::Field;
use crate::app::form::{Change, Form};
use crate::app::format;
use crate::app::geometry::scale::{Scale, brief, path, thin, ticks};
use crate::app::own_text;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::parts::section;

/// The view.
#[derive(PartialEq)]
pub struct Compare {
    /// The run that is kept.
    pub beside: Option<Shared<Beside>>,
    /// The present run's settings.
    pub form: Shared<Form>,
    /// What it is.
    pub plan: Shared<RunPlan>,
    /// What it reads and begins from.
    pub source: Source,
    /// Its numbers.
    pub curve: Shared<Curve>,
    /// The step after which it began.
    pub first: u32,
    /// What its steps cost.
    pub costs: Shared<Costs>,
    /// Whether there is a step to keep.
    pub can_keep: bool,
    /// Whether the kept run can be gone on with.
    pub can_swap: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

const UNITS: f64 = 1000.0;
const POINTS: usize = 400;

impl View for Compare {
    fn draw(&self) -> Html {
        let Self { beside, form, plan, source, curve, first, costs, can_keep, can_swap, on } = self;
        let keep = on.reform(|_| Action::Beside(true));
        let forget = on.reform(|_| Action::Beside(false));
        let twin = on.reform(|_| Action::Twin);
        let is_faulty = !form.get(Field::Fault).is_empty();
        let lead = html! { { t!("compare.lead") } };
        let body = html! {
            <>
                <div class="buttons" role="group" aria-label={t!("compare.title")}>
                    <button
                        type="button"
                        data-control="keep"
                        aria-disabled={(!can_keep).to_string()}
                        onclick={keep}
                    >
                        { t!("compare.keep") }
                    </button>
                    if is_faulty {
                        <button type="button" aria-disabled={(!can_keep).to_string()} onclick={twin}>
                            { t!("compare.twin") }
                        </button>
                    }
                    if *can_swap {
                        <button
                            type="button"
                            data-control="swap"
                            title={t!("compare.swap_title")}
                            onclick={on.reform(|_| Action::Swap)}
                        >
                            { t!("compare.swap") }
                        </button>
                    }
                    if beside.is_some() {
                        <button type="button" data-control="forget" onclick={forget}>
                            { t!("compare.forget") }
                        </button>
                    }
                </div>
                if let Some(beside) = beside {
                    { changed(beside, form, source) }
                    { plot(t!("compare.picture"), &beside.curve.losses(), &curve.losses()) }
                    { losses(beside, curve, *first) }
                    { plot(t!("compare.norms"), &beside.curve.grad_norms(), &curve.grad_norms()) }
                    { norms(beside, curve, *first) }
                    { costs_of(beside.costs.beside(costs), (beside.plan.config(), plan.config())) }
                } else {
                    <p class="hint">{ t!("compare.how") }</p>
                }
            </>
        };
        section("compare", t!("compare.title"), lead, body)
    }
}

/// What the user changed since.
fn changed(beside: &Beside, form: &Form, source: &Source) -> Html {
    let changes = beside.changes(form);
    let row = |key: &'static str, label, was: Cow<'static, str>, is: Cow<'static, str>| {
        html! {
            <tr {key}>
                <th scope="row">{ label }</th>
                <td>{ was }</td>
                <td>{ is }</td>
            </tr>
        }
    };
    let field = |(field, was, is): &Change| {
        row(field.key(), field.label(), field.shown(was), field.shown(is))
    };
    let mut rows: Vec<Html> = changes.iter().map(field).collect();
    let was = &beside.source;
    if was.text != source.text {
        let read = |source: &Source| own_text::source(source.text.as_ref());
        rows.push(row("text", t!("text_box.label"), read(was), read(source)));
    }
    if was.origin != source.origin {
        rows.push(row("from", t!("compare.began"), began(was), began(source)));
    }
    html! {
        if rows.is_empty() {
            <p>{ t!("compare.same") }</p>
        } else {
            <table>
                <caption>{ t!("compare.changed") }</caption>
                { head() }
                <tbody>{ for rows }</tbody>
            </table>
        }
    }
}

/// The state that a run began from.
fn began(source: &Source) -> Cow<'static, str> {
    match &source.origin {
        None => t!("compare.from_seed"),
        Some(origin) if origin.name.is_empty() => t!("compare.from_step", step = origin.steps()),
        Some(origin) => t!("compare.from_file", name = origin.name, step = origin.steps()),
    }
}

fn head() -> Html {
    html! {
        <thead>
            <tr>
                <td></td>
                <th scope="col">{ t!("compare.kept") }</th>
                <th scope="col">{ t!("compare.now") }</th>
            </tr>
        </thead>
    }
}

/// A number of both runs, step by step; the words below say the same.
fn plot(name: Cow<'static, str>, kept: &[(u32, f64)], now: &[(u32, f64)]) -> Html {
    let points = |numbers: &[(u32, f64)]| -> Vec<(f64, f64)> {
        let finite = numbers.iter().filter(|(_, number)| number.is_finite());
        finite.map(|&(step, number)| (f64::from(step + 1), number)).collect()
    };
    let (kept, now) = (points(kept), points(now));
    let all = || kept.iter().chain(&now);
    let end = all().map(|point| point.0).fold(1.0, f64::max);
    let begin = all().map(|point| point.0).fold(end, f64::min);
    let high = all().map(|point| point.1).fold(f64::MIN, f64::max);
    let low = all().map(|point| point.1).fold(f64::MAX, f64::min);
    // One step each has no course to draw; the words below say it.
    if kept.is_empty() || kept.len().max(now.len()) < 2 || high <= low {
        return html! {};
    }
    let (from, to) = (begin - 1.0, end.max(begin + 1.0));
    let x = Scale::new((from, to), (0.0, UNITS));
    let y = Scale::new((low, high), (UNITS - 20.0, 20.0));
    let marks = |axis: &str, scale: Scale, all: Vec<f64>| -> Html {
        let place = |tick: f64| format!("{axis}:{:.2}%", scale.at(tick) / UNITS * 100.0);
        let mark = |&tick: &f64| html! { <span ~style={place(tick)}>{ brief(tick) }</span> };
        all.iter().map(mark).collect()
    };
    html! {
        <figure class="chart">
            <div class="axes">
                <div class="y-axis" aria-hidden="true">{ marks("top", y, ticks(low, high, 4)) }</div>
                <div class="plot">
                    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label={name.clone()}>
                        <path class="ours" d={path(&thin(&now, POINTS), x, y)} />
                        // Dashed, and on top: where both are the same, both are seen.
                        <path class="other" d={path(&thin(&kept, POINTS), x, y)} />
                    </svg>
                </div>
                <div class="x-axis" aria-hidden="true">{ marks("left", x, ticks(from, to, 5)) }</div>
                <p class="x-title" aria-hidden="true">{ t!("curve.across") }</p>
            </div>
            <figcaption class="legend">
                <span>{ name }</span>
                <span><span class="key other"></span>{ t!("compare.kept") }</span>
                <span><span class="key ours"></span>{ t!("compare.now") }</span>
                <span>{ t!("compare.range", low = format!("{low:.3}"), high = format!("{high:.3}"), begin = begin, end = end) }</span>
            </figcaption>
        </figure>
    }
}

fn losses(beside: &Beside, curve: &Curve, first: u32) -> Html {
    let Some(apart) = beside.apart(curve, first) else {
        let kept = beside.curve.losses().last().map_or(0, |&(step, _)| step + 1);
        return html! {
            <p>
                if first > 0 && kept <= first {
                    { t!("compare.no_step_after", kept = kept, first = first) }
                } else {
                    { t!("compare.no_step") }
                }
            </p>
        };
    };
    let (at, largest) = apart.largest;
    let (last, was, is) = apart.last;
    let parted = match apart.parted {
        Some(step) => t!("compare.parted", step = step + 1),
        None => t!("compare.together", steps = apart.steps),
    };
    html! {
        <div role="status" aria-label={t!("compare.difference")} aria-live="off">
            <ul class="facts">
                <li>{ t!("compare.largest", by = format::tiny(largest), step = at + 1, steps = apart.steps) }</li>
                <li>{ t!("compare.last", step = last + 1, was = format!("{was:.4}"), is = format!("{is:.4}")) }</li>
                <li>{ parted }</li>
            </ul>
        </div>
    }
}

fn norms(beside: &Beside, curve: &Curve, first: u32) -> Html {
    let Some((step, was, is)) = beside.norms(curve, first) else { return html! {} };
    html! {
        <p>
            { t!("compare.norm", step = step + 1, was = format!("{was:.4}"), is = format!("{is:.4}"), ratio = format!("{:.3}", is / was)) }
        </p>
    }
}

fn times(ratio: f64) -> String {
    format!("× {ratio:.2}")
}

fn count(number: f64) -> String {
    format::count(number.round() as u64)
}

/// Steps from which on a ratio of times is told: fewer are an accident of the moment.
const FEW: usize = 5;

/// What a step cost the kept run and this one, of these settings.
fn costs_of(
    (was, is): (Option<Cost>, Option<Cost>),
    (kept, now): (&RunConfig, &RunConfig),
) -> Html {
    let cell = |cost: &Option<Cost>, text: &dyn Fn(&Cost) -> String| match cost {
        Some(cost) => text(cost),
        None => "–".to_owned(),
    };
    let both = |text: &dyn Fn(&Cost) -> String| (cell(&was, text), cell(&is, text));
    let ratio = |number: fn(&Cost) -> f64| match (&was, &is) {
        (Some(was), Some(is)) if number(was) > 0.0 => times(number(is) / number(was)),
        _ => "–".to_owned(),
    };
    let row = |name: Cow<'static, str>, (was, is): (String, String), ratio: String| {
        html! {
            <tr key={name.to_string()}>
                <th scope="row">{ name }</th>
                <td>{ was }</td>
                <td>{ is }</td>
                <td>{ ratio }</td>
            </tr>
        }
    };
    let enough = |cost: &Option<Cost>| cost.as_ref().is_some_and(|cost| cost.steps.len() >= FEW);
    let enough = enough(&was) && enough(&is);
    let time_ratio = if enough { ratio(|cost| cost.step_us) } else { "–".to_owned() };
    // Tokens of one rank's part: what it gets done in the same time is how well ranks are used.
    let part = |config: &RunConfig| (config.batch * config.seq_len) as f64 / config.cp as f64;
    let parts = (count(part(kept)), count(part(now)));
    let efficiency = match (&was, &is) {
        (Some(was), Some(is)) if enough && is.step_us > 0.0 => {
            format::percent(part(now) / part(kept) * was.step_us / is.step_us)
        }
        _ => "–".to_owned(),
    };
    let steps = both(&|cost| format!("{}–{}", cost.steps.start + 1, cost.steps.end));
    let time = both(&|cost| format::micros(cost.step_us));
    let middle = both(&|cost| {
        let (from, to) = cost.middle_us;
        match cost.steps.len() {
            ..FEW => "–".to_owned(),
            _ => format!("{}–{}", format::micros(from), format::micros(to)),
        }
    });
    let is_close = matches!((&was, &is), (Some(was), Some(is)) if is.is_as_quick_as(was));
    let waiting = both(&|cost| format::percent(cost.waiting));
    let bytes = both(&|cost| format::bytes(cost.bytes.round() as u64));
    let messages = both(&|cost| count(cost.messages));
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("compare.costs")}>
            <table>
                <caption>{ t!("compare.costs") }</caption>
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">{ t!("compare.kept") }</th>
                        <th scope="col">{ t!("compare.now") }</th>
                        <th scope="col">{ t!("compare.ratio") }</th>
                    </tr>
                </thead>
                <tbody>
                    { row(t!("compare.steps"), steps, String::new()) }
                    { row(t!("compare.time"), time, time_ratio) }
                    { row(t!("compare.middle"), middle, String::new()) }
                    { row(t!("compare.waiting"), waiting, String::new()) }
                    { row(t!("compare.bytes"), bytes, ratio(|cost| cost.bytes)) }
                    { row(t!("compare.messages"), messages, ratio(|cost| cost.messages)) }
                    if (kept.cp, kept.dp) != (now.cp, now.dp) {
                        { row(t!("compare.part"), parts, times(part(now) / part(kept))) }
                        { row(t!("compare.efficiency"), Default::default(), efficiency) }
                    }
                </tbody>
            </table>
            if !enough {
                <p class="hint">{ t!("compare.few", steps = FEW) }</p>
            } else if is_close {
                <p class="hint">{ t!("compare.close") }</p>
            }
        </div>
    }
}
