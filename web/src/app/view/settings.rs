//! The settings beside the views: text, model, training.

use std::rc::Rc;

use crate::t;
use plan::Refusal;
use yew::prelude::*;

use crate::app::choices;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::shared::Shared;
use crate::app::state::{Action, OwnText};
use crate::app::view::field::FieldControl;
use crate::app::view::memo::View;
use crate::app::view::text_box::TextBox;
use crate::app::view::workbench::refusal_of;

/// The panel.
#[derive(PartialEq)]
pub struct Settings {
    /// What is entered.
    pub form: Shared<Form>,
    /// The user's own text.
    pub text: Option<OwnText>,
    /// The text of the run.
    pub read: Option<OwnText>,
    /// What is wrong.
    pub refusals: Rc<[Refusal]>,
    /// Where actions go.
    pub on: Callback<Action>,
}

const SEQUENCE: [Field; 3] = [Field::SeqLen, Field::Batch, Field::Seed];
const MODEL: [Field; 5] =
    [Field::Layers, Field::DModel, Field::Heads, Field::KvHeads, Field::Window];
const TRAINING: [Field; 5] =
    [Field::Steps, Field::Lr, Field::Optimizer, Field::StopLoss, Field::StopSeconds];
const RARE: [Field; 6] = [
    Field::WarmupSteps,
    Field::WeightDecay,
    Field::GradClip,
    Field::GradAccum,
    Field::EvalEvery,
    Field::EvalBatches,
];

const LAB: [Field; 1] = [Field::Fault];

impl View for Settings {
    fn draw(&self) -> Html {
        let Self { form, text, read, refusals, on } = self;
        let text_bytes = text.as_ref().map(|text| text.bytes.len());
        let controls = |fields: &'static [Field]| {
            let control = |&field: &Field| {
                html! {
                    <FieldControl
                        key={field.key()}
                        {field}
                        value={form.get(field).to_owned()}
                        offers={choices::offers(form, text_bytes, refusals, field)}
                        refusal={refusal_of(refusals, field)}
                        {on}
                    />
                }
            };
            html! { <div class="fields">{ for fields.iter().map(control) }</div> }
        };
        let wrong = |fields: &[Field]| fields.iter().any(|&f| refusal_of(refusals, f).is_some());
        let text_refusal = refusals.iter().find(|refusal| refusal.field == "text").cloned();
        html! {
            <section class="settings" aria-labelledby="settings-title">
                <h2 id="settings-title">{ t!("settings.title") }</h2>
                <p class="lead">{ t!("settings.lead") }</p>
                <TextBox text={text.clone()} read={read.clone()} used={form.get(Field::Task) == "text"} refusal={text_refusal} {on} />
                { controls(&SEQUENCE) }
                <details open={true}>
                    <summary>{ t!("settings.model") }</summary>
                    { controls(&MODEL) }
                </details>
                <details open={true}>
                    <summary>{ t!("settings.training") }</summary>
                    { controls(&TRAINING) }
                </details>
                <details open={true}>
                    <summary>{ t!("settings.lab") }</summary>
                    { controls(&LAB) }
                </details>
                <details open={wrong(&RARE)}>
                    <summary>{ t!("settings.more") }</summary>
                    { controls(&RARE) }
                </details>
            </section>
        }
    }
}
