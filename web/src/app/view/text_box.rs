//! The user's own text: pasted, opened from a file, or dropped on the page.

use crate::t;
use plan::Refusal;
use web_sys::HtmlTextAreaElement;
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::fields::Field;
use crate::app::own_text::{Unfit, pasted, source};
use crate::app::state::{Action, OwnText};
use crate::app::view::checkpoint;
use crate::app::view::field::sentence;
use crate::app::view::file_button::FileButton;
use crate::app::view::own_file::{self, Found};

/// Properties of [`TextBox`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The text that was given, if it is not the built-in one.
    pub text: Option<OwnText>,
    /// The text of the run: an earlier one, while that will not do.
    pub read: Option<OwnText>,
    /// Whether the task reads a text at all.
    pub used: bool,
    /// What is wrong with it.
    pub refusal: Option<Refusal>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The box with its buttons.
#[component]
pub fn TextBox(Props { text, read, used, refusal, on }: &Props) -> Html {
    let area = use_node_ref();
    // A text that could not be taken changes nothing of the run: the box alone tells of it.
    let fault = use_state(|| None::<String>);
    let from_file = use_state_eq(|| false);

    let read_as = {
        let (on, fault) = (on.clone(), fault.clone());
        Callback::from(move |text: Result<OwnText, Unfit>| match text {
            Ok(text) => {
                fault.set(None);
                on.emit(Action::UseText(Some(text)));
            }
            Err(unfit) => fault.set(Some(unfit.sentence())),
        })
    };
    let typed = {
        let (read_as, from_file) = (read_as.clone(), from_file.clone());
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            from_file.set(false);
            read_as.emit(pasted(value));
        })
    };
    let taken = {
        let (area, from_file) = (area.clone(), from_file.clone());
        Callback::from(move |text: Result<OwnText, Unfit>| {
            from_file.set(true);
            if let (Ok(_), Some(area)) = (&text, area.cast::<HtmlTextAreaElement>()) {
                area.set_value("");
            }
            read_as.emit(text);
        })
    };
    let found = {
        let (on, fault) = (on.clone(), fault.clone());
        Callback::from(move |found: Vec<Found>| match own_file::checkpoint(&found) {
            Some(file) => {
                fault.set(None);
                spawn_local(checkpoint::read(file, on.clone()));
            }
            None => own_file::take(found, taken.clone()),
        })
    };
    let opened = found.reform(|file| vec![own_file::opened(file)]);
    let over = own_file::use_drop(found);
    let built_in = {
        let (on, fault, area) = (on.clone(), fault.clone(), area.clone());
        let from_file = from_file.clone();
        Callback::from(move |_| {
            from_file.set(false);
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.set_value("");
            }
            fault.set(None);
            on.emit(Action::UseText(None));
        })
    };
    let source = match used {
        // A text that will not do is read by nobody, nor is the one before.
        true if refusal.is_some() => "".into(),
        false => t!("text_box.unused", task = Field::Task.option("text")),
        true => source(read.as_ref()),
    };
    let wrong = (*fault).clone().or_else(|| refusal.as_ref().map(sentence));
    // What came of a file is said aloud; typing says nothing.
    let told = wrong.clone().unwrap_or_else(|| source.clone().into_owned());
    let told = if *from_file { told } else { String::new() };
    html! {
        <div class={classes!("field", "text-box", over.then_some("over"))}>
            if over {
                <div class="drop-here" aria-hidden="true"><p>{ t!("own_file.drop_here") }</p></div>
            }
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
            <p class="hint">{ t!("own_file.hint") }</p>
            <p class="unseen" role="status" aria-label={t!("own_file.status")}>{ told }</p>
            <div class="row">
                <FileButton
                    id="own-file"
                    label={t!("text_box.file")}
                    text={t!("text_box.open")}
                    on={opened}
                />
                <button type="button" class="quiet" aria-disabled={text.is_none().to_string()} onclick={built_in}>
                    { t!("text_box.use_built_in") }
                </button>
            </div>
        </div>
    }
}
