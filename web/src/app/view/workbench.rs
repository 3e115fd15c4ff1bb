//! The choices that matter most, in one row.

use std::rc::Rc;

use crate::t;
use plan::{Refusal, StrategyKind};
use yew::prelude::*;

use crate::app::choices::{self, Offer};
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::{FieldControl, refused};
use crate::app::view::memo::View;

/// The row of selects.
#[derive(PartialEq)]
pub struct Workbench {
    /// What is entered.
    pub form: Shared<Form>,
    /// Length of the user's own text.
    pub text_bytes: Option<usize>,
    /// What is wrong.
    pub refusals: Rc<[Refusal]>,
    /// Where actions go.
    pub on: Callback<Action>,
}

const FIELDS: [Field; 7] = [
    Field::Cp,
    Field::Strategy,
    Field::UlyssesDegree,
    Field::Layout,
    Field::Dp,
    Field::Documents,
    Field::Task,
];

impl View for Workbench {
    fn draw(&self) -> Html {
        let Self { form, text_bytes, refusals, on } = self;
        // The degree is a choice for USP alone; elsewhere it shows only if a link has set it.
        let has_degree = form.get(Field::Strategy) == StrategyKind::Usp.name()
            || !form.get(Field::UlyssesDegree).is_empty();
        let shown = FIELDS.iter().filter(|&&field| has_degree || field != Field::UlyssesDegree);
        let offers: Vec<(Field, Vec<Offer>)> = shown
            .map(|&field| (field, choices::offers(form, *text_bytes, refusals, field)))
            .collect();
        let reasons = offers.iter().map(|(field, offers)| refused(*field, offers));
        let controls = offers.iter().map(|(field, offers)| {
            let field = *field;
            html! {
                <FieldControl
                    key={field.key()}
                    {field}
                    value={form.get(field).to_owned()}
                    offers={offers.clone()}
                    refusal={refusal_of(refusals, field)}
                    {on}
                />
            }
        });
        let documents = form.get(Field::Documents);
        let own_lengths = !documents.is_empty() && !documents.starts_with('x');
        html! {
            <div class="workbench" role="group" aria-label={t!("workbench.group")}>
                { for controls }
                if own_lengths {
                    { OwnLengths { value: documents.to_owned().into(), on: on.clone() }.part() }
                }
                if offers.iter().any(|(_, offers)| offers.iter().any(|offer| offer.refused.is_some())) {
                    <details class="not-now">
                        <summary>{ t!("workbench.why") }</summary>
                        <ul>{ for reasons }</ul>
                    </details>
                }
            </div>
        }
    }
}

/// What is wrong with `field`.
pub fn refusal_of(refusals: &[Refusal], field: Field) -> Option<Refusal> {
    refusals.iter().find(|refusal| Field::by_key(&refusal.field) == Some(field)).cloned()
}

/// Where lengths of documents are typed.
#[derive(PartialEq)]
struct OwnLengths {
    value: AttrValue,
    on: Callback<Action>,
}

impl View for OwnLengths {
    fn draw(&self) -> Html {
        let Self { value, on } = self;
        let change = on.reform(|event: Event| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            Action::Set(Field::Documents, input.value())
        });
        html! {
            <div class="field wide">
                <label for="document-lengths">{ t!("workbench.lengths") }</label>
                <input
                    id="document-lengths"
                    type="text"
                    inputmode="text"
                    autocomplete="off"
                    value={value.clone()}
                    aria-describedby="hint-documents error-documents"
                    onchange={change}
                />
                <small class="hint">{ t!("workbench.lengths_hint") }</small>
            </div>
        }
    }
}
