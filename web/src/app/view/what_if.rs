//! The view of what a step would do on other links or with a slow rank: modelled, not measured.

use crate::t;
use gloo_events::EventListener;
use web_sys::Element;
use yew::prelude::*;

use crate::app::browser;
use crate::app::cursor::Spot;
use crate::app::fields::{Field, WHAT_IF};
use crate::app::form::Form;
use crate::app::format;
use crate::app::geometry::timeline::Drawing;
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::FieldControl;
use crate::app::view::memo::View;
use crate::app::view::parts::{rank_button, section};
use crate::app::view::timeline::lanes::Lanes;
use crate::app::what_if::{WhatIf, end_us, offers, waited_us};

/// Milliseconds between two steps on show while the run goes on.
const FOLLOW_MS: f64 = 1000.0;

/// Properties of [`WhatIfView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is entered.
    pub form: Shared<Form>,
    /// Ranks of the run.
    pub world: usize,
    /// The newest step that all ranks have finished, a few times a second.
    pub newest: Option<Shared<WholeStep>>,
    /// The step that the user holds.
    pub held: Option<Shared<WholeStep>>,
    /// Whether the run goes on, and newer steps will come.
    pub goes: bool,
    /// What is lit.
    pub spot: Spot,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view; where nothing is asked it computes nothing.
#[component]
pub fn WhatIfView(Props { form, world, newest, held, goes, spot, on }: &Props) -> Html {
    let plot = use_node_ref();
    let width = use_state_eq(|| 800.0);
    {
        let (plot, width) = (plot.clone(), width.setter());
        use_effect_with((), move |()| {
            let measure = move || {
                if let Some(plot) = plot.cast::<Element>() {
                    width.set(plot.get_bounding_client_rect().width());
                }
            };
            measure();
            let window = web_sys::window();
            let listens = window.map(|w| EventListener::new(&w, "resize", move |_| measure()));
            move || drop(listens)
        });
    }
    let shown = use_mut_ref(|| (None::<Shared<WholeStep>>, f64::NEG_INFINITY));
    let step = {
        let (now, mut shown) = (browser::now_ms(), shown.borrow_mut());
        let is_due = !goes || newest.is_none() || now - shown.1 >= FOLLOW_MS;
        match held {
            Some(held) => *shown = (Some(held.clone()), f64::NEG_INFINITY),
            None if is_due => *shown = (newest.clone(), now),
            None => {}
        }
        shown.0.clone()
    };
    let model = form.model(*world);
    let asked = use_memo((step, model, *width), |(step, model, width)| {
        let step = step.as_ref().filter(|_| !model.is_measured())?;
        let asked = WhatIf::new(step, *model);
        let drawings = asked.draw(*width);
        Some((asked, drawings))
    });
    // How slow says nothing while no rank is.
    let has_slow = model.slow.is_some();
    let asked_for = WHAT_IF.into_iter().filter(|field| has_slow || *field != Field::SlowFactor);
    let controls = asked_for.map(|field| {
        let value = form.get(field).to_owned();
        let offers = offers(field, &value, *world);
        html! { <FieldControl key={field.key()} {field} {value} {offers} {on} /> }
    });
    let lanes = |drawing: &Shared<Drawing>, pattern| {
        Lanes { drawing: drawing.clone(), world: *world, outline: None, spot: *spot, pattern }
            .part()
    };
    section(
        "what-if",
        t!("what_if.title"),
        html! { { t!("what_if.lead") } },
        html! {
            <>
                <div class="fields">{ for controls }</div>
                <div ref={plot}>
                    if let Some((asked, [measured, modelled])) = &*asked {
                        <p class="reading">
                            <b>{ asked.times() }</b>{ " " }{ asked.words() }
                        </p>
                        <figure>
                            <figcaption>{ t!("what_if.measured") }</figcaption>
                            { lanes(measured, "waiting-measured") }
                        </figure>
                        <figure class="modelled">
                            <figcaption>{ t!("what_if.modelled") }</figcaption>
                            { lanes(modelled, "waiting-modelled") }
                        </figure>
                        { table(asked, *spot) }
                    } else {
                        <p class="hint">
                            { if model.is_measured() { t!("what_if.how") } else { t!("what_if.no_step") } }
                        </p>
                    }
                </div>
                <p class="hint">{ t!("what_if.limits") }</p>
            </>
        },
    )
}

/// How long each rank waits and when it is done, in both steps.
fn table(asked: &WhatIf, spot: Spot) -> Html {
    let row = |rank: usize| {
        let number = |us: u64| html! { <td>{ format::count(us) }</td> };
        html! {
            <tr key={rank} class={classes!(spot.rank_class(rank))} data-rank={rank.to_string()}>
                <th scope="row">{ rank_button(rank, spot, rank == 0) }</th>
                { number(waited_us(&asked.measured, rank)) }
                { number(waited_us(&asked.modelled, rank)) }
                { number(end_us(&asked.measured, rank)) }
                { number(end_us(&asked.modelled, rank)) }
            </tr>
        }
    };
    let heading = |words: std::borrow::Cow<'static, str>| html! { <th scope="col">{ words }</th> };
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("what_if.by_rank")}>
            <table>
                <thead>
                    <tr>
                        { heading(t!("what_if.rank")) }
                        { heading(t!("what_if.waits_measured")) }
                        { heading(t!("what_if.waits_modelled")) }
                        { heading(t!("what_if.ends_measured")) }
                        { heading(t!("what_if.ends_modelled")) }
                    </tr>
                </thead>
                <tbody>{ for (0..asked.modelled.spans.len()).map(row) }</tbody>
            </table>
        </div>
    }
}
