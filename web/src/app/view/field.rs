//! One labelled control, with what is wrong with it and what cannot be chosen.

use std::borrow::Cow;

use crate::t;
use plan::{Refusal, message};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::choices::Offer;
use crate::app::fields::{Field, Kind, in_words};
use crate::app::format;
use crate::app::language::told;
use crate::app::state::Action;
use crate::app::view::term::explain;

/// Properties of [`FieldControl`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which setting.
    pub field: Field,
    /// What stands in it.
    pub value: AttrValue,
    /// A select's entries; none for a field that is typed.
    #[prop_or_default]
    pub offers: Vec<Offer>,
    /// What is wrong with the value.
    #[prop_or_default]
    pub refusal: Option<Refusal>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// A select or a text input with label, hint and messages.
#[component]
pub fn FieldControl(props: &Props) -> Html {
    let Props { field, value, offers, refusal, on } = props;
    let id = format!("field-{}", field.key());
    let hint_id = format!("hint-{}", field.key());
    let error_id = format!("error-{}", field.key());
    let described = match refusal {
        Some(_) => format!("{hint_id} {error_id}"),
        None => hint_id.clone(),
    };
    let field = *field;
    let enter = on.reform(move |value| Action::Set(field, value));
    let invalid = refusal.is_some().then_some("true");
    let select = use_node_ref();
    {
        // The browser's choice is set as a property: the `selected` attribute counts only once.
        let (select, value) = (select.clone(), value.clone());
        use_effect(move || {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(&value);
            }
        });
    }
    let control = if offers.is_empty() {
        let change =
            enter.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().value());
        let mode = match field.kind() {
            Kind::Whole(..) => "numeric",
            Kind::Real(..) | Kind::MaybeReal(..) => "decimal",
            _ => "text",
        };
        html! {
            <input
                {id}
                type="text"
                name={field.key()}
                inputmode={mode}
                autocomplete="off"
                spellcheck="false"
                placeholder={field.placeholder()}
                value={value.clone()}
                aria-describedby={described}
                aria-invalid={invalid}
                onchange={change}
            />
        }
    } else {
        let change =
            enter.reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
        html! {
            <select
                {id}
                ref={select}
                name={field.key()}
                aria-describedby={described}
                aria-invalid={invalid}
                onchange={change}
            >
                { for offers.iter().map(option) }
            </select>
        }
    };
    html! {
        <div class="field">
            <label for={format!("field-{}", field.key())}>{ field.label() }</label>
            { control }
            <small id={hint_id} class="hint">{ explain(field, field.hint()) }</small>
            if let Some(refusal) = refusal {
                <p id={error_id} class="error">{ sentence(refusal) }</p>
            }
        </div>
    }
}

/// What is wrong and what would work, without the field's name: it stands beside the field. The
/// playground's settings are called as on their controls.
pub fn sentence(refusal: &Refusal) -> String {
    in_words(&verbatim(refusal))
}

/// The same with every name as it was written, where names are not the playground's.
pub fn verbatim(Refusal { value, reason, works, .. }: &Refusal) -> String {
    told(&message!("{value}: {reason}; {works}.", value, reason, works))
}

fn option(offer: &Offer) -> Html {
    let named = |refusal: &Refusal| format!("{} = {}", refusal.field, sentence(refusal));
    let title = offer.refused.as_ref().map(named);
    html! {
        <option
            key={offer.value.as_str()}
            value={offer.value.clone()}
            disabled={offer.refused.is_some()}
            {title}
        >
            { offer.label.clone() }
        </option>
    }
}

/// The options that cannot be chosen, each reason once; they are told below their row.
pub fn refused(field: Field, offers: &[Offer]) -> Html {
    let mut reasons: Vec<(&Refusal, Vec<&Cow<'static, str>>)> = Vec::new();
    for offer in offers {
        let Some(refusal) = &offer.refused else { continue };
        match reasons
            .iter_mut()
            .find(|(r, _)| (&r.field, &r.works) == (&refusal.field, &refusal.works))
        {
            Some((_, labels)) => labels.push(&offer.label),
            None => reasons.push((refusal, vec![&offer.label])),
        }
    }
    html! {
        { for reasons.into_iter().map(|(refusal, labels)| html! {
            <li key={format!("{}-{}", field.key(), told(&refusal.works))}>
                <b>{ format!("{} {}", field.label(), format::listed(labels)) }</b>
                { not_now(refusal) }
            </li>
        }) }
    }
}

/// What follows the names of options that cannot be chosen.
fn not_now(Refusal { reason, works, .. }: &Refusal) -> String {
    in_words(&t!("field.not_now", reason = told(reason), works = told(works)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_only_where_they_are_the_playgrounds() {
        let works = message!("write for example WORLD_SIZE=8 or seq_len=4096");
        let refusal = Refusal::new("settings", "seq_len 8", "line 1 is no NAME=VALUE", works);
        let expect = "seq_len 8: line 1 is no NAME=VALUE; write for example WORLD_SIZE=8 or \
                      seq_len=4096.";
        assert_eq!(verbatim(&refusal), expect);
        let label = format!("“{}”", Field::SeqLen.label());
        assert_eq!(sentence(&refusal), expect.replace("seq_len", &label));
    }
}
