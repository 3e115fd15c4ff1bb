//! What a link held that this page could not take as it stood.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::state::Action;

/// Properties of [`Notices`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to tell.
    pub notices: Rc<[String]>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// A list of notices with a button that ends it; nothing while there are none.
#[component]
pub fn Notices(Props { notices, on }: &Props) -> Html {
    if notices.is_empty() {
        return html! { <div role="status" aria-label="Notices"></div> };
    }
    let dismiss = on.reform(|_| Action::DismissNotices);
    html! {
        <div class="notices" role="status" aria-label="Notices">
            <ul>
                { for notices.iter().map(|notice| html! { <li key={notice.as_str()}>{ notice }</li> }) }
            </ul>
            <button type="button" class="quiet" onclick={dismiss}>{ "Dismiss" }</button>
        </div>
    }
}
