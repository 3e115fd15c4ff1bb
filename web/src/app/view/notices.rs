//! What a link held that this page could not take as it stood.

use std::rc::Rc;

use crate::t;
use yew::prelude::*;

use crate::app::notice::Notice;
use crate::app::state::Action;
use crate::app::view::memo::View;

/// A list of notices with a button that ends it; nothing while there are none.
#[derive(PartialEq)]
pub struct Notices {
    /// What to tell.
    pub notices: Rc<[Notice]>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Notices {
    fn draw(&self) -> Html {
        let Self { notices, on } = self;
        if notices.is_empty() {
            return html! { <div role="status" aria-label={t!("notices.label")}></div> };
        }
        let dismiss = on.reform(|_| Action::DismissNotices);
        html! {
            <div class="notices" role="status" aria-label={t!("notices.label")}>
                <ul>
                    { for notices.iter().enumerate().map(|(index, notice)| html! {
                        <li key={index}>{ notice.words() }</li>
                    }) }
                </ul>
                <button type="button" class="quiet" onclick={dismiss}>{ t!("notices.dismiss") }</button>
            </div>
        }
    }
}
