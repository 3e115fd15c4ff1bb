//! Says that another build of the page has come, and offers to change over.

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
        <div {class} role="status" aria-label="New version">
            if *is_there {
                <p>
                    { "A new version of this page is here. This one goes on as it is; the next load \
                       shows the new one, and begins the run again." }
                </p>
                <button type="button" onclick={|_| browser::reload()}>{ "Reload" }</button>
            }
        </div>
    }
}
