//! The run's state as a file: saved for the native command, or opened to begin from.

use crate::t;
use gloo_file::File;
use gloo_file::futures::read_as_bytes;
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::origin::{MAX_BYTES, NoCheckpoint};
use crate::app::share::Keep;
use crate::app::state::Action;
use crate::app::view::file_button::FileButton;
use crate::app::view::memo::View;

/// The buttons.
#[derive(PartialEq)]
pub struct Checkpoint {
    /// Whether the present state can be saved.
    pub can_save: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl View for Checkpoint {
    fn draw(&self) -> Html {
        let Self { can_save, on } = self;
        let save = on.reform(|_| Action::Keep(Keep::Checkpoint));
        let open = {
            let on = on.clone();
            Callback::from(move |file| spawn_local(read(File::from(file), on.clone())))
        };
        html! {
            <div class="checkpoint">
                <h3 id="checkpoint-title">{ t!("checkpoint.title") }</h3>
                <p class="hint">{ t!("checkpoint.lead") }</p>
                <div class="buttons" role="group" aria-label={t!("checkpoint.title")}>
                    <button
                        type="button"
                        data-control="save-checkpoint"
                        aria-disabled={(!can_save).to_string()}
                        onclick={save}
                    >
                        { t!("checkpoint.save") }
                    </button>
                    <FileButton
                        id="checkpoint-file"
                        label={t!("checkpoint.open")}
                        text={t!("checkpoint.open")}
                        accept=".safetensors"
                        on={open}
                    />
                </div>
            </div>
        }
    }
}

/// Opens `file`, or tells why it will not do.
pub async fn read(file: File, on: Callback<Action>) {
    let (name, size) = (file.name(), file.size());
    if size > MAX_BYTES as u64 {
        return on.emit(Action::NoCheckpoint(NoCheckpoint::TooLong(name, size)));
    }
    on.emit(match read_as_bytes(&file).await {
        Ok(bytes) => Action::OpenCheckpoint(name, bytes),
        Err(error) => Action::NoCheckpoint(NoCheckpoint::Unread(name, error.to_string())),
    });
}
