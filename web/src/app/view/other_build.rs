//! Says that another build of the page has come, and offers to change over.

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::view::memo::View;

/// The notice; nothing while there is no other build.
#[derive(PartialEq)]
pub struct OtherBuild {
    /// Whether another build is there.
    pub is_there: bool,
}

impl View for OtherBuild {
    fn draw(&self) -> Html {
        let Self { is_there } = self;
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
}
