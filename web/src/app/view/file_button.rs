//! A button that opens a file: the browser's own input does it, unseen.

use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`FileButton`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The id of the input.
    pub id: &'static str,
    /// The name of the input.
    pub label: AttrValue,
    /// What stands on the button.
    pub text: AttrValue,
    /// Endings of the files that are offered; all without it.
    #[prop_or_default]
    pub accept: Option<&'static str>,
    /// Where the file goes that was chosen.
    pub on: Callback<web_sys::File>,
}

/// The button.
#[component]
pub fn FileButton(Props { id, label, text, accept, on }: &Props) -> Html {
    let picker = use_node_ref();
    let pick = {
        let picker = picker.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(picker) = picker.cast::<HtmlInputElement>() {
                picker.click();
            }
        })
    };
    let opened = {
        let on = on.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
            // So that the same file can be chosen again.
            input.set_value("");
            on.emit(file);
        })
    };
    html! {
        <>
            <input
                ref={picker}
                id={*id}
                class="hidden-input"
                type="file"
                tabindex="-1"
                accept={*accept}
                aria-label={label.clone()}
                onchange={opened}
            />
            <button type="button" onclick={pick}>{ text }</button>
        </>
    }
}
