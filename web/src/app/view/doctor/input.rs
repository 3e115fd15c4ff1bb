//! What the doctor is given: texts, versions, a machine; or a sample to begin with.

use std::cell::RefCell;
use std::rc::Rc;

use crate::t;
use gloo_file::{File, futures::read_as_bytes};
use gloo_timers::callback::Timeout;
use plan::runtime::Preset;
use plan::{Refusal, message};
use web_sys::HtmlTextAreaElement;
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::browser;
use crate::app::doctor::entered::{MAX_BYTES, Part, file_too_long};
use crate::app::doctor::samples::Sample;
use crate::app::doctor::{Act, Doctor, Outcome};
use crate::app::language::told;
use crate::app::shared::Shared;
use crate::app::view::field::verbatim;
use crate::app::view::file_button::FileButton;
use crate::app::view::typed::{Chosen, Typed};

/// How long the user must pause before a diagnosis.
const PAUSE_MS: u32 = 120;

/// Properties of [`InputView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is entered.
    pub doctor: Shared<Doctor>,
    /// Where actions go.
    pub on: Callback<Act>,
}

/// The inputs.
#[component]
pub fn InputView(Props { doctor, on }: &Props) -> Html {
    let pause = use_mut_ref(|| None::<Timeout>);
    let typed = |part: Part| {
        let (on, pause): (_, Rc<RefCell<Option<Timeout>>>) = (on.clone(), pause.clone());
        Callback::from(move |text: String| {
            on.emit(Act::Type(part, text));
            let on = on.clone();
            // Replacing the timeout cancels the one before.
            *pause.borrow_mut() = Some(Timeout::new(PAUSE_MS, move || on.emit(Act::Diagnose)));
        })
    };
    let area = |part: Part, rows: u32| {
        html! {
            <TextArea
                {part}
                label={t!(format!("doctor.input.label.{}", part.key()))}
                {rows}
                hint={t!(format!("doctor.input.hint.{}", part.key()))}
                text={AttrValue::from(doctor.entered.get(part).clone())}
                replaced={doctor.replaced}
                refusal={refusal_of(doctor, part)}
                on={typed(part)}
            />
        }
    };
    let version = |part: Part, label: &'static str, placeholder: &'static str| {
        html! {
            <Typed
                id={format!("doctor-{}", part.key())}
                {label}
                {placeholder}
                value={AttrValue::from(doctor.entered.get(part).clone())}
                wrong={refusal_of(doctor, part).as_ref().map(verbatim)}
                on={typed(part)}
            />
        }
    };
    let (verdict_class, verdict) = super::headline(doctor);
    html! {
        <section class="view doctor-input" aria-labelledby="doctor-input-title">
            <h2 id="doctor-input-title">{ t!("doctor.input.title") }</h2>
            <div class="row" role="group" aria-label={t!("doctor.input.samples")}>
                { for Sample::ALL.map(|sample| html! {
                    <button
                        key={sample as usize}
                        type="button"
                        data-control={sample.key()}
                        onclick={on.reform(move |_| Act::Take(sample))}
                    >
                        { sample.title() }
                    </button>
                }) }
            </div>
            { area(Part::Error, 2) }
            { area(Part::Config, 12) }
            <OpenFile {on} unreadable={doctor.unreadable.clone()} />
            { area(Part::Launch, 2) }
            { area(Part::Settings, 3) }
            { facts() }
            <div class="versions">
                { version(Part::Accelerate, "accelerate", "1.13.0") }
                { version(Part::Torch, "torch", "2.9.1") }
                { version(Part::Trl, "TRL", "0.25.0") }
            </div>
            { machine(doctor.entered.machine, on) }
            // Where the verdict stands below all this, it is in reach at the window's lower edge.
            <button
                type="button"
                class={classes!("verdict-bar", verdict_class)}
                onclick={|_| browser::go_to("verdict-view")}
            >
                { verdict }
            </button>
        </section>
    }
}

fn refusal_of(doctor: &Doctor, part: Part) -> Option<Refusal> {
    match &doctor.outcome {
        Outcome::Refused(refusals) => refusals.iter().find(|r| r.field == part.key()).cloned(),
        Outcome::Nothing | Outcome::Diagnosed(_) => None,
    }
}

fn machine(chosen: Option<Preset>, on: &Callback<Act>) -> Html {
    let mut options: Vec<(AttrValue, AttrValue)> =
        vec![("".into(), t!("doctor.machine.unsaid").into())];
    // This page's own machine is a browser, where accelerate has no place.
    let presets = Preset::ALL.into_iter().filter(|&preset| preset != Preset::This);
    options.extend(presets.map(|preset| (preset.name().into(), told(&preset.title()).into())));
    html! {
        <Chosen
            id="doctor-machine"
            label={t!("doctor.machine.label")}
            value={chosen.map_or("", Preset::name)}
            {options}
            hint={t!("doctor.machine.hint")}
            on={on.reform(|name: String| Act::Machine(Preset::named(&name)))}
        />
    }
}

/// What no configuration holds, and the names under which it may be given.
fn facts() -> Html {
    let facts = [
        ("launcher", t!("doctor.facts.launcher")),
        ("num_processes", t!("doctor.facts.num_processes")),
        ("seq_len, pad_to_multiple_of, sliding_window", t!("doctor.facts.tokens")),
        ("packing", t!("doctor.facts.packing")),
        ("attention_mask", t!("doctor.facts.attention_mask")),
        ("padding_side", t!("doctor.facts.padding_side")),
        ("loss", t!("doctor.facts.loss")),
        ("valid_tokens", t!("doctor.facts.valid_tokens")),
        ("context", t!("doctor.facts.context")),
        ("attn_implementation, ddp_backend", t!("doctor.facts.trainer")),
    ];
    html! {
        <details>
            <summary>{ t!("doctor.facts.title") }</summary>
            <dl class="facts">
                { for facts.map(|(name, values)| html! {
                    <div key={name}><dt><code>{ name }</code></dt><dd>{ values }</dd></div>
                }) }
            </dl>
        </details>
    }
}

/// Properties of [`TextArea`].
#[derive(Clone, PartialEq, Properties)]
pub struct AreaProps {
    /// Which input.
    part: Part,
    /// Its label.
    label: AttrValue,
    /// Lines that it shows.
    rows: u32,
    /// What belongs there.
    hint: AttrValue,
    /// What the page holds.
    text: AttrValue,
    /// Counts changes that the user did not type.
    replaced: u32,
    /// What is wrong with it.
    refusal: Option<Refusal>,
    /// Hears what is typed.
    on: Callback<String>,
}

/// Several lines of text. What is typed stays as the browser has it; only a change that comes from
/// the page is written back, so that a long text is not compared at every letter.
#[component]
pub fn TextArea(props: &AreaProps) -> Html {
    let AreaProps { part, label, rows, hint, text, replaced, refusal, on } = props;
    let area = use_node_ref();
    {
        let (area, text) = (area.clone(), text.clone());
        use_effect_with(*replaced, move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                area.set_value(&text);
            }
        });
    }
    let id = format!("doctor-{}", part.key());
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let typed =
        on.reform(|event: InputEvent| event.target_unchecked_into::<HtmlTextAreaElement>().value());
    html! {
        <div class="field">
            <label for={id.clone()}>{ label }</label>
            <textarea
                ref={area}
                {id}
                rows={rows.to_string()}
                spellcheck="false"
                autocomplete="off"
                aria-describedby={format!("{hint_id} {error_id}")}
                aria-invalid={refusal.is_some().then_some("true")}
                oninput={typed}
            />
            <small id={hint_id} class="hint">{ hint }</small>
            <p id={error_id} class="error" hidden={refusal.is_none()}>
                { refusal.as_ref().map(verbatim) }
            </p>
        </div>
    }
}

/// Properties of [`OpenFile`].
#[derive(Clone, PartialEq, Properties)]
pub struct FileProps {
    /// The file that could not be taken.
    unreadable: Option<Refusal>,
    /// Where actions go.
    on: Callback<Act>,
}

/// Opens a configuration from a file.
#[component]
pub fn OpenFile(FileProps { unreadable, on }: &FileProps) -> Html {
    let opened = {
        let on = on.clone();
        Callback::from(move |file| {
            let file = File::from(file);
            let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
            if size > MAX_BYTES {
                // It is not even read.
                on.emit(Act::Unreadable(file_too_long(&file.name(), size)));
                return;
            }
            let on = on.clone();
            spawn_local(async move {
                on.emit(match read_as_bytes(&file).await {
                    Ok(bytes) => Act::File(file.name(), bytes),
                    Err(error) => Act::Unreadable(Refusal::new(
                        Part::Config.key(),
                        file.name(),
                        error.to_string(),
                        message!("open it again, or paste its text"),
                    )),
                });
            });
        })
    };
    html! {
        <div class="row">
            <FileButton
                id="doctor-file"
                label={t!("doctor.file.label")}
                text={t!("doctor.file.open")}
                on={opened}
            />
            <p id="doctor-file-error" role="status" class="error" aria-label={t!("doctor.file.status")}>
                { unreadable.as_ref().map(verbatim) }
            </p>
        </div>
    }
}
