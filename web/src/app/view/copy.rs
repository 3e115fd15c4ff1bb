//! A text to copy, with its button.

use crate::t;
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::browser;

/// Properties of [`Copyable`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The text's id.
    pub id: AttrValue,
    /// What it is.
    pub title: AttrValue,
    /// The button's name.
    pub button: AttrValue,
    /// The text.
    pub text: AttrValue,
    /// Whether another text is about to come, so that this one is not to be copied.
    #[prop_or_default]
    pub is_old: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Told {
    Nothing,
    Copied,
    ByHand,
}

/// The text in a box of its own.
#[component]
pub fn Copyable(Props { id, title, button, text, is_old }: &Props) -> Html {
    let told = use_state(|| Told::Nothing);
    {
        let told = told.clone();
        use_effect_with(text.clone(), move |_| told.set(Told::Nothing));
    }
    let copy = {
        let (text, id, told) = (text.clone(), id.clone(), told.clone());
        Callback::from(move |_| {
            let (text, id, told) = (text.clone(), id.clone(), told.clone());
            spawn_local(async move {
                if browser::copy(&text).await {
                    told.set(Told::Copied);
                } else {
                    browser::select(&id);
                    told.set(Told::ByHand);
                }
            });
        })
    };
    html! {
        <div class="copyable">
            <h3>{ title }</h3>
            <pre id={id.clone()} tabindex="0" role="region" aria-label={title.clone()}>{ text }</pre>
            <div class="row">
                <button type="button" disabled={*is_old} onclick={copy}>{ button }</button>
                <span role="status" class="hint">{ match *told {
                    Told::Nothing => None,
                    Told::Copied => Some(t!("copy.copied")),
                    Told::ByHand => Some(t!("copy.by_hand")),
                } }</span>
            </div>
        </div>
    }
}
