//! Controls that any view may use: a typed field and a select, with label, hint and message.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Properties of [`Typed`].
#[derive(Clone, PartialEq, Properties)]
pub struct TypedProps {
    /// The control's id.
    pub id: AttrValue,
    /// Its label.
    pub label: AttrValue,
    /// What stands in it.
    pub value: AttrValue,
    /// What it means.
    #[prop_or_default]
    pub hint: AttrValue,
    /// Shown while it is empty.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// The keyboard that suits it.
    #[prop_or(AttrValue::Static("text"))]
    pub mode: AttrValue,
    /// What is wrong with it.
    #[prop_or_default]
    pub wrong: Option<AttrValue>,
    /// Hears every letter.
    pub on: Callback<String>,
}

/// A line of text.
#[component]
pub fn Typed(props: &TypedProps) -> Html {
    let TypedProps { id, label, value, hint, placeholder, mode, wrong, on } = props;
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let typed =
        on.reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value());
    html! {
        <div class="field">
            <label for={id.clone()}>{ label }</label>
            <input
                id={id.clone()}
                type="text"
                inputmode={mode.clone()}
                autocomplete="off"
                spellcheck="false"
                placeholder={placeholder.clone()}
                value={value.clone()}
                aria-describedby={format!("{hint_id} {error_id}")}
                aria-invalid={wrong.is_some().then_some("true")}
                oninput={typed}
            />
            <small id={hint_id} class="hint">{ hint }</small>
            <p id={error_id} class="error" hidden={wrong.is_none()}>{ wrong.clone() }</p>
        </div>
    }
}

/// Properties of [`Chosen`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChosenProps {
    /// The control's id.
    pub id: AttrValue,
    /// Its label.
    pub label: AttrValue,
    /// What is chosen.
    pub value: AttrValue,
    /// Values with what the user reads.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// What it means.
    #[prop_or_default]
    pub hint: AttrValue,
    /// Hears the value that is chosen.
    pub on: Callback<String>,
}

/// One of a few.
#[component]
pub fn Chosen(ChosenProps { id, label, value, options, hint, on }: &ChosenProps) -> Html {
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
    let hint_id = format!("{id}-hint");
    let change =
        on.reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
    html! {
        <div class="field">
            <label for={id.clone()}>{ label }</label>
            <select ref={select} id={id.clone()} aria-describedby={hint_id.clone()} onchange={change}>
                { for options.iter().map(|(value, label)| html! {
                    <option key={value.as_str()} value={value.clone()}>{ label }</option>
                }) }
            </select>
            <small id={hint_id} class="hint">{ hint }</small>
        </div>
    }
}

/// A box to tick, with its label and its name in lessons.
pub fn tick(
    control: &'static str,
    label: impl Into<AttrValue>,
    checked: bool,
    on: Callback<bool>,
) -> Html {
    let label: AttrValue = label.into();
    let change =
        on.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    html! {
        <label class="check">
            <input type="checkbox" data-control={control} {checked} onchange={change} />
            { label }
        </label>
    }
}
