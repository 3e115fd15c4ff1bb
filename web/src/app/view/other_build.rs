//! Says that another build of the page has come, and offers to change over.

use crate::t;
use yew::prelude::*;

use crate::app::browser;

/// Properties of [`OtherBuild`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Whether another build is there.
    pub is_there: bool,
}

/// The notice; nothing while there is no other build.
#[component]
pub fn OtherBuild(Props { is_there }: &Props) -> Html {
    let class = is_there.then_some("notices");
    html! {
        <div {class} role="status" aria-label={t!("other_build.label")}>
            if *is_there {
                <p>{ t!("other_build.words") }</p>
                <button type="button" onclick={|_| browser::reload()}>{ t!("other_build.reload") }</button>
            }
        </div>
    }
}
