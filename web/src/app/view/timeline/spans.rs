//! The spans of one rank as a table: the words behind the timeline.

use std::borrow::Cow;

use crate::t;
use plan::{EventKind, RunPlan};
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::format;
use crate::app::geometry::timeline::{Lanes, Span};
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::app::span_text::{Told, tell};
use crate::app::timeline::Place;
use crate::app::turn;

/// Properties of [`Spans`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The step that is shown.
    pub step: Option<Shared<WholeStep>>,
    /// Its spans.
    pub lanes: Shared<Lanes>,
    /// The span that is chosen in the drawing.
    pub chosen: Option<Place>,
    /// Whether the table is open; a closed one has no rows to keep up.
    pub opened: bool,
    /// The run.
    pub plan: Shared<RunPlan>,
    /// Hears whether it is open.
    pub toggled: Callback<bool>,
}

/// The table, with the choice of a rank.
#[component]
pub fn Spans(Props { step, lanes, chosen, opened, plan, toggled }: &Props) -> Html {
    let picked = use_state(|| None::<usize>);
    {
        // A span chosen in the drawing brings the table of its rank.
        let picked = picked.clone();
        use_effect_with(*chosen, move |_| picked.set(None));
    }
    let rank = picked.or(chosen.map(|(rank, _)| rank)).unwrap_or(0);
    let world = plan.mesh().world().get();
    let rank = rank.min(world.saturating_sub(1));
    let pick = Callback::from(move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        picked.set(select.value().parse().ok());
    });
    let toggle = toggled.reform(|event: Event| {
        event.target_dyn_into::<HtmlElement>().is_some_and(|details| details.has_attribute("open"))
    });
    let spans = lanes.spans.get(rank).map_or(&[][..], Vec::as_slice);
    let told = chosen.filter(|(other, _)| *other == rank).map(|(_, index)| index);
    html! {
        <details ontoggle={toggle}>
            <summary>{ t!("spans.as_table") }</summary>
            if *opened {
                <div class="field span-rank">
                    <label for="timeline-rank">{ t!("spans.of_rank") }</label>
                    <select id="timeline-rank" onchange={pick}>
                        { for (0..world).map(|other| html! {
                            <option key={other} value={other.to_string()} selected={other == rank}>{ other }</option>
                        }) }
                    </select>
                </div>
                if step.is_none() {
                    <p>{ t!("spans.no_step") }</p>
                } else {
                    <div class="scroll tall" tabindex="0" role="region" aria-label={t!("spans.title")}>
                        { table(spans, told, turn::name(plan.attention())) }
                    </div>
                }
            }
        </details>
    }
}

fn table(spans: &[Span], told: Option<usize>, turn: Cow<'static, str>) -> Html {
    html! {
        <table>
            <thead>
                <tr>
                    <th scope="col" class="text">{ t!("spans.what") }</th>
                    <th scope="col">{ t!("spans.layer") }</th>
                    <th scope="col">{ turn }</th>
                    <th scope="col">{ t!("spans.other") }</th>
                    <th scope="col">{ t!("spans.start") }</th>
                    <th scope="col">{ t!("spans.took") }</th>
                    <th scope="col">{ t!("spans.bytes") }</th>
                </tr>
            </thead>
            <tbody>{ for spans.iter().enumerate().map(|(index, span)| row(index, span, told == Some(index))) }</tbody>
        </table>
    }
}

fn row(index: usize, span: &Span, told: bool) -> Html {
    let Told { what, layer, ring_step, other, bytes } = tell(span);
    let number = |number: Option<u64>| number.map_or("–".to_owned(), format::count);
    let block = match span.kind {
        EventKind::Tile { kv_from, .. } => Some(kv_from.to_string()),
        _ => None,
    };
    html! {
        <tr key={index} aria-current={told.then_some("true")} data-rank={span.rank.to_string()} data-block={block}>
            <th scope="row" class="text">{ what }</th>
            <td>{ number(layer.map(|n| n as u64)) }</td>
            <td>{ number(ring_step.map(|n| n as u64 + 1)) }</td>
            <td>{ number(other.map(u64::from)) }</td>
            <td>{ format::count(span.start_us) }</td>
            <td>{ format::count(span.took_us) }</td>
            <td>{ number(bytes) }</td>
        </tr>
    }
}
