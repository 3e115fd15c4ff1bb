//! The view that shows the same run in PyTorch, accelerate and Megatron-LM.

use crate::t;
use plan::RunPlan;
use plan::elsewhere::{Kind, Note, Piece, Target, elsewhere};
use yew::prelude::*;

use crate::app::shared::Shared;
use crate::app::view::copy::Copyable;

/// Properties of [`ElsewhereView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The run.
    pub plan: Shared<RunPlan>,
}

/// The view.
#[component]
pub fn ElsewhereView(Props { plan }: &Props) -> Html {
    let target = use_state(Target::default);
    let there = use_memo((plan.clone(), *target), |(plan, target)| elsewhere(plan, *target));
    let choice = |each: Target| {
        let set = target.clone();
        html! {
            <button
                key={each.key()}
                type="button"
                aria-pressed={(each == *target).to_string()}
                onclick={move |_| set.set(each)}
            >
                { each.name() }
            </button>
        }
    };
    let (missing, differs): (Vec<Note>, Vec<Note>) =
        there.notes.iter().partition(|note| note.is_missing());
    html! {
        <section class="view elsewhere" aria-labelledby="elsewhere-title">
            <h2 id="elsewhere-title">{ t!("elsewhere.title") }</h2>
            <p class="lead">{ t!("elsewhere.lead") }</p>
            <div class="row" role="group" aria-label={t!("elsewhere.where")}>
                { for Target::ALL.into_iter().map(choice) }
            </div>
            if there.pieces.is_empty() {
                <p class="verdict warning-verdict">
                    { t!("elsewhere.nothing", name = target.name()) }
                </p>
            }
            <div class="elsewhere-columns">
                <div class="elsewhere-code">
                    { for there.pieces.iter().map(|piece| code(*target, piece)) }
                </div>
                <div class="elsewhere-notes">
                    { list(t!("elsewhere.missing").into_owned(), &missing, *target) }
                    { list(t!("elsewhere.differs").into_owned(), &differs, *target) }
                    <p class="hint">
                        { t!("elsewhere.versions", versions = target.versions()) }{ t!("between.sentences") }
                        <a href={target.source()} target="_blank" rel="noopener">
                            { t!("elsewhere.source", name = target.name()) }
                        </a>
                    </p>
                </div>
            </div>
        </section>
    }
}

fn code(target: Target, Piece { kind, code }: &Piece) -> Html {
    let title = match kind {
        Kind::Python => t!("elsewhere.python"),
        Kind::Yaml => t!("elsewhere.yaml"),
        Kind::Shell => t!("elsewhere.shell"),
    };
    html! {
        <Copyable
            key={format!("{}-{}", target.key(), kind.key())}
            id={format!("elsewhere-{}", kind.key())}
            title={title.into_owned()}
            button={t!("elsewhere.copy").into_owned()}
            text={code.clone()}
        />
    }
}

fn list(title: String, notes: &[Note], target: Target) -> Html {
    if notes.is_empty() {
        return html! {};
    }
    html! {
        <>
            <h3>{ title }</h3>
            <ul class="bullets">
                { for notes.iter().map(|&note| html! { <li key={note.key()}>{ words(note, target) }</li> }) }
            </ul>
        </>
    }
}

fn words(note: Note, target: Target) -> String {
    let (mut seq, mut most, mut of, mut parts) = (0, 0, 0, 0);
    match note {
        Note::Padding { seq_len, padded, multiple } => {
            (seq, most, of) = (seq_len, padded, multiple)
        }
        Note::GradAccum { parts: each } => parts = each,
        _ => {}
    }
    t!(
        format!("elsewhere.notes.{}", note.key()),
        name = target.name(),
        seq_len = seq,
        padded = most,
        multiple = of,
        parts = parts
    )
    .into_owned()
}
