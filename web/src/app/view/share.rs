//! The view from which a run is taken away: its link, its command, its files and pictures.

use std::borrow::Cow;

use crate::t;
use yew::prelude::*;

use crate::app::share::{Format, Keep, Picture};
use crate::app::state::{Action, Kept};
use crate::app::view::copy::Copyable;
use crate::app::view::memo::View;
use crate::app::view::parts::section;

/// The view.
#[derive(PartialEq)]
pub struct Share {
    /// The whole address of the run.
    pub link: AttrValue,
    /// What shows it inside another page.
    pub frame: AttrValue,
    /// The line that trains it natively.
    pub command: AttrValue,
    /// Whether it reads a text of the user's own.
    pub own_text: bool,
    /// The step of the checkpoint that it begins from.
    pub resumes: Option<u32>,
    /// The numbers that there are to keep.
    pub numbers: Vec<Keep>,
    /// What was kept last, or why not.
    pub kept: Option<Kept>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Share {
    fn draw(&self) -> Html {
        let Self { link, frame, command, own_text, resumes, numbers, kept, on } = self;
        let file = |keep: Keep, name: Cow<'static, str>| {
            let enabled = matches!(keep, Keep::Text | Keep::Origin) || numbers.contains(&keep);
            html! {
                <button type="button" aria-disabled={(!enabled).to_string()}
                    onclick={on.reform(move |_| Action::Keep(keep))}>{ name }</button>
            }
        };
        let picture = |picture: Picture, format: Format| {
            let drawn = t!(format!("share.drawing.{}", picture.name()));
            let name =
                t!("share.picture", picture = drawn, format = format.ending().to_ascii_uppercase());
            html! {
                <button key={&*name} type="button"
                    onclick={on.reform(move |_| Action::Draw(picture, format))}>{ name }</button>
            }
        };
        section(
            "share",
            t!("share.title"),
            match *own_text || resumes.is_some() {
                true => html! { { t!("share.lead_in_part") } },
                false => html! { { t!("share.lead") } },
            },
            html! {
                <>
                    <div class="side-by-side even">
                        <div class="copyable">
                            <Copyable
                                id="run-link"
                                title={t!("share.link")}
                                button={t!("share.copy_link")}
                                text={link.clone()}
                            />
                            if *own_text {
                                <p class="hint">{ t!("share.link_text") }</p>
                            }
                            if let Some(step) = resumes {
                                <p class="hint">{ t!("share.link_origin", step = step) }</p>
                            }
                            <Copyable
                                id="run-frame"
                                title={t!("share.frame")}
                                button={t!("share.copy_frame")}
                                text={frame.clone()}
                            />
                        </div>
                        <div class="copyable">
                            <Copyable
                                id="run-command"
                                title={t!("share.command")}
                                button={t!("share.copy_command")}
                                text={command.clone()}
                            />
                            if *own_text {
                                <p class="hint">{ t!("share.own_text") }</p>
                                <div class="row">{ file(Keep::Text, t!("share.file.text")) }</div>
                            }
                            if let Some(step) = resumes {
                                <p class="hint">{ t!("share.origin", step = step) }</p>
                                <div class="row">{ file(Keep::Origin, t!("share.file.origin", step = step)) }</div>
                            }
                        </div>
                    </div>
                    <div class="row files" role="group" aria-label={t!("share.numbers")}>
                        { file(Keep::Steps, t!("share.file.steps")) }
                        { file(Keep::Traffic, t!("share.file.traffic")) }
                        { file(Keep::Trace, t!("share.file.trace")) }
                    </div>
                    if numbers.is_empty() {
                        <p class="hint">{ t!("share.untrained") }</p>
                    }
                    <div class="row files" role="group" aria-label={t!("share.pictures")}>
                        { for Picture::ALL.into_iter().flat_map(|p| [picture(p, Format::Svg), picture(p, Format::Png)]) }
                    </div>
                    <p class="hint" role="status" aria-label={t!("share.kept")}>{ kept.as_ref().map(told) }</p>
                    <p class="hint">{ t!("share.trace_hint") }</p>
                </>
            },
        )
    }
}

/// What became of a file.
fn told(kept: &Kept) -> Cow<'static, str> {
    match kept {
        Kept::As(name) => t!("share.kept_as", name = name),
        Kept::Not(name) => t!("share.not_kept", name = name),
    }
}
