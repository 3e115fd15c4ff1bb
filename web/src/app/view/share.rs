//! The view from which a run is taken away: its link, its command, its files and pictures.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::share::{Format, Keep, Picture};
use crate::app::state::Action;
use crate::app::view::copy::Copyable;
use crate::app::view::parts::section;

/// Properties of [`Share`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The whole address of the run.
    pub link: AttrValue,
    /// The line that trains it natively.
    pub command: AttrValue,
    /// Whether it reads a text of the user's own.
    pub own_text: bool,
    /// Whether a step has been trained.
    pub trained: bool,
    /// What was kept last, or why not.
    pub kept: Rc<str>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The view.
#[component]
pub fn Share(props: &Props) -> Html {
    let Props { link, command, own_text, trained, kept, on } = props;
    let file = |keep: Keep, name: &'static str| {
        let enabled = *trained || keep == Keep::Text;
        html! {
            <button type="button" aria-disabled={(!enabled).to_string()}
                onclick={on.reform(move |_| Action::Keep(keep))}>{ name }</button>
        }
    };
    let picture = |picture: Picture, format: Format| {
        let name = format!("{} as {}", title(picture), format.ending().to_uppercase());
        html! {
            <button key={name.clone()} type="button"
                onclick={on.reform(move |_| Action::Draw(picture, format))}>{ name }</button>
        }
    };
    section(
        "share",
        "Keep and share",
        html! { { "The link opens this run anywhere; the command runs the same one natively, and gives \
        the same losses. Files are made on this page and sent nowhere." } },
        html! {
            <>
                <div class="side-by-side even">
                    <Copyable id="run-link" title="Link to this run" button="Copy link" text={link.clone()} />
                    <div class="copyable">
                        <Copyable id="run-command" title="The same run natively" button="Copy the command" text={command.clone()} />
                        if *own_text {
                            <p class="hint">{ "It reads your own text from a file beside it: keep the text under that name." }</p>
                            <div class="row">{ file(Keep::Text, "Text") }</div>
                        }
                    </div>
                </div>
                <div class="row files" role="group" aria-label="Numbers">
                    { file(Keep::Steps, "Steps as CSV") }
                    { file(Keep::Traffic, "Traffic as CSV") }
                    { file(Keep::Trace, "Trace of the step") }
                </div>
                if !trained {
                    <p class="hint">{ "There are numbers to keep after the first step." }</p>
                }
                <div class="row files" role="group" aria-label="Pictures">
                    { for Picture::ALL.into_iter().flat_map(|p| [picture(p, Format::Svg), picture(p, Format::Png)]) }
                </div>
                <p class="hint" role="status" aria-label="Kept">{ &**kept }</p>
                <p class="hint">
                    { "The trace is the step that the timeline holds, or the newest; Perfetto and \
                       chrome://tracing open it." }
                </p>
            </>
        },
    )
}

fn title(picture: Picture) -> &'static str {
    match picture {
        Picture::Ring => "Ring",
        Picture::Matrix => "Matrix",
        Picture::Curve => "Curve",
        Picture::Timeline => "Timeline",
    }
}
