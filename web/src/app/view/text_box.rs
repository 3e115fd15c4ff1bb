//! The user's own text: pasted, or opened from a file.

use std::borrow::Cow;
use std::rc::Rc;

use gloo_file::{File, futures::read_as_bytes};
use plan::Refusal;
use rust_i18n::t;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::fields::Field;
use crate::app::format;
use crate::app::state::{Action, MAX_TEXT_BYTES, OwnText};
use crate::app::view::field::sentence;

/// Properties of [`TextBox`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The text, if it is not the built-in one.
    pub text: Option<OwnText>,
    /// Whether the task reads a text at all.
    pub used: bool,
    /// What is wrong with it.
    pub refusal: Option<Refusal>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The box with its buttons.
#[component]
pub fn TextBox(Props { text, used, refusal, on }: &Props) -> Html {
    let area = use_node_ref();
    let picker = use_node_ref();
    // A file that could not be taken changes nothing of the run: the box alone tells of it.
    let fault = use_state(|| None::<String>);

    let typed = {
        let (on, fault) = (on.clone(), fault.clone());
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            fault.set(None);
            on.emit(Action::UseText(Some(OwnText {
                name: None,
                bytes: value.into_bytes().into(),
            })));
        })
    };
    let opened = {
        let (on, fault, area) = (on.clone(), fault.clone(), area.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
            let file = File::from(file);
            input.set_value("");
            if file.size() > MAX_TEXT_BYTES as u64 {
                let (size, most) =
                    (format::bytes(file.size()), format::bytes(MAX_TEXT_BYTES as u64));
                let name = file.name();
                let words = t!("text_box.too_long", name = name, size = size, most = most);
                fault.set(Some(words.into_owned()));
                return;
            }
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.set_value("");
            }
            let (on, fault) = (on.clone(), fault.clone());
            spawn_local(async move {
                match read_as_bytes(&file).await {
                    Ok(bytes) => {
                        fault.set(None);
                        let bytes: Rc<[u8]> = bytes.into();
                        on.emit(Action::UseText(Some(OwnText { name: Some(file.name()), bytes })));
                    }
                    Err(error) => fault.set(Some(format!("{}: {error}.", file.name()))),
                }
            });
        })
    };
    let built_in = {
        let (on, fault, area) = (on.clone(), fault.clone(), area.clone());
        Callback::from(move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.set_value("");
            }
            fault.set(None);
            on.emit(Action::UseText(None));
        })
    };
    let pick = {
        let picker = picker.clone();
        Callback::from(move |_| {
            if let Some(picker) = picker.cast::<HtmlInputElement>() {
                picker.click();
            }
        })
    };
    let source = match text {
        _ if !used => {
            let task = Field::Task.option("text");
            t!("text_box.unused", task = task)
        }
        None => t!("text_box.built_in"),
        Some(OwnText { name, bytes }) => {
            let name = name.as_deref().map_or_else(|| t!("text_box.pasted"), Cow::from);
            match bytes.len() {
                1 => t!("text_box.read_one", name = name),
                bytes => t!("text_box.read", name = name, bytes = format::count(bytes as u64)),
            }
        }
    };
    let wrong = (*fault).clone().or_else(|| refusal.as_ref().map(sentence));
    html! {
        <div class="field text-box">
            <label for="own-text">{ t!("text_box.label") }</label>
            <textarea
                id="own-text"
                ref={area}
                rows="4"
                spellcheck="false"
                placeholder={t!("text_box.placeholder")}
                aria-describedby="own-text-source own-text-error"
                aria-invalid={wrong.is_some().then_some("true")}
                oninput={typed}
            />
            <p id="own-text-source" class="hint">{ source }</p>
            <p id="own-text-error" class="error" hidden={wrong.is_none()}>{ wrong }</p>
            <div class="row">
                <input
                    ref={picker}
                    id="own-file"
                    class="hidden-input"
                    type="file"
                    tabindex="-1"
                    aria-label={t!("text_box.file")}
                    onchange={opened}
                />
                <button type="button" onclick={pick}>{ t!("text_box.open") }</button>
                <button type="button" class="quiet" aria-disabled={text.is_none().to_string()} onclick={built_in}>
                    { t!("text_box.use_built_in") }
                </button>
            </div>
        </div>
    }
}
