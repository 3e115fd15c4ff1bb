//! The help: the keys, whether they count, and the glossary.

use crate::t;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::app::keys::TABLE;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::term::Glossary;
use crate::app::view::typed::tick;

/// Properties of [`Help`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Whether it is open.
    pub open: bool,
    /// Whether single keys drive the page.
    pub single_keys: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The dialog. The browser keeps the focus inside, closes it on Escape and gives the focus back.
#[component]
pub fn Help(Props { open, single_keys, on }: &Props) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(*open, move |&open| {
            let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
            match (open, dialog.open()) {
                // It refuses only where it is no longer on the page.
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        });
    }
    let close = on.reform(|_: MouseEvent| Action::Help(false));
    let closed = on.reform(|_: Event| Action::Help(false));
    html! {
        <dialog ref={dialog} class="help" aria-labelledby="help-title" onclose={closed}>
            <div class="help-head">
                <h2 id="help-title">{ t!("help.title") }</h2>
                <button type="button" onclick={close}>{ t!("help.close") }</button>
            </div>
            <h3>{ t!("help.keys") }</h3>
            <dl class="keys">
                { for TABLE.iter().map(|(keys, command)| html! {
                    <div key={keys[0]}>
                        <dt>{ for command.caps().into_iter().map(|cap| html! { <kbd>{ cap }</kbd> }) }</dt>
                        <dd>{ command.words() }</dd>
                    </div>
                }) }
            </dl>
            { tick(
                "single-keys",
                t!("help.single_keys").into_owned(),
                *single_keys,
                on.reform(Action::SingleKeys),
            ) }
            <p class="hint">{ t!("help.single_keys_hint") }</p>
            <h3>{ t!("help.words") }</h3>
            <p class="hint">{ t!("help.words_hint") }</p>
            { Glossary.part() }
        </dialog>
    }
}
