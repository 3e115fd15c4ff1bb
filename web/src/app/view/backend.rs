//! The backend's place: a machine, a wish, the decision tree, and what accelerate does there.

use std::borrow::Cow;

use crate::t;
use plan::Refusal;
use plan::runtime::practice::{End, Machine, Practice, VERSIONS, practice};
use plan::runtime::{
    BackendChoice, Browser, DeviceChoice, Feature, Place, Preset, Probe, Support, detect,
};
use yew::prelude::*;

use crate::app::backend::{Act, Backend, backend_name, device_name};
use crate::app::beat_text::capital;
use crate::app::format;
use crate::app::language::told;
use crate::app::probe;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::memo::View;
use crate::app::view::parts::section;
use crate::app::view::tree::Tree;
use crate::app::view::typed::{Chosen, Typed, tick};
use crate::app::view::{field, trail};

/// Properties of [`BackendView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is entered.
    pub backend: Shared<Backend>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Features that the switches offer, with their keys in the catalogues and their names in lessons.
const FEATURES: [(Feature, &str, &str); 2] =
    [(Feature::Fsdp, "fsdp", "want-fsdp"), (Feature::Deepspeed, "deepspeed", "want-deepspeed")];

/// The view.
#[component]
pub fn BackendView(Props { backend, on }: &Props) -> Html {
    let act = on.reform(Action::Backend);
    {
        let (act, known) = (act.clone(), backend.this.is_some());
        use_effect_with((), move |()| {
            if !known {
                act.emit(Act::Probed(probe::probe()));
            }
        });
    }
    let Some(found) = backend.probe() else { return html! {} };
    let request = backend.request();
    let detection = request.as_ref().map(|request| Shared::new(detect(&found, request)));
    html! {
        <div class="views">
            <div class="machine" role="group" aria-label={t!("backend.group")}>
                { controls(backend, request.as_ref().err(), &act) }
                { machine(&found) }
            </div>
            { section("decision", t!("backend.decision"), html! { { t!("backend.lead") } }, html! {
                <>
                    <div role="status" aria-label={t!("backend.outcome")}>{ match &detection {
                        Ok(detection) => trail::outcome(detection),
                        Err(refusal) => refused(refusal),
                    } }</div>
                    if let Ok(detection) = &detection {
                        { Tree { detection: detection.clone() }.part() }
                        <h3>{ t!("backend.how") }</h3>
                        { trail::list(detection) }
                    }
                </>
            }) }
            if let Ok(request) = &request {
                { beside(backend.preset, &found, request) }
            }
        </div>
    }
}

fn refused(refusal: &Refusal) -> Html {
    html! { <p class="error">{ format!("{} = {}", refusal.field, field::sentence(refusal)) }</p> }
}

fn controls(backend: &Backend, refusal: Option<&Refusal>, act: &Callback<Act>) -> Html {
    let machines: Vec<(AttrValue, AttrValue)> =
        Preset::ALL.map(|preset| (preset.name().into(), title(preset).into())).to_vec();
    let devices: Vec<(AttrValue, AttrValue)> =
        DeviceChoice::ALL.map(|d| (device_name(d).into(), device_name(d).into())).to_vec();
    let backends: Vec<(AttrValue, AttrValue)> =
        BackendChoice::ALL.map(|b| (backend_name(b).into(), backend_name(b).into())).to_vec();
    let device = act.reform(|name: String| {
        let named = DeviceChoice::ALL.into_iter().find(|&device| device_name(device) == name);
        Act::Device(named.unwrap_or_default())
    });
    let talk = act.reform(|name: String| {
        let named = BackendChoice::ALL.into_iter().find(|&backend| backend_name(backend) == name);
        Act::Backend(named.unwrap_or_default())
    });
    html! {
        <div class="wishes">
            <Chosen
                id="machine"
                label={t!("backend.machine.label")}
                value={backend.preset.name()}
                options={machines}
                hint={t!("backend.machine.hint")}
                on={act.reform(|name: String| {
                    Act::Machine(Preset::named(&name).unwrap_or(Preset::This))
                })}
            />
            <Chosen
                id="device"
                label={t!("backend.device.label")}
                value={device_name(backend.device)}
                options={devices}
                hint={t!("backend.device.hint")}
                on={device}
            />
            <Chosen
                id="backend"
                label={t!("backend.talk.label")}
                value={backend_name(backend.backend)}
                options={backends}
                hint={t!("backend.talk.hint")}
                on={talk}
            />
            <Typed
                id="world-size"
                label={t!("backend.world.label")}
                value={backend.world_size.clone()}
                placeholder={t!("backend.world.placeholder")}
                hint={t!("backend.world.hint")}
                mode="numeric"
                wrong={refusal.map(field::sentence)}
                on={act.reform(Act::WorldSize)}
            />
            <div class="switches">
                { tick(
                    "force-cpu",
                    t!("backend.switch.force_cpu"),
                    backend.force_cpu,
                    act.reform(Act::ForceCpu),
                ) }
                { for FEATURES.map(|(feature, key, control)| tick(
                    control,
                    t!(format!("backend.switch.{key}")),
                    backend.features.contains(&feature),
                    act.reform(move |want| Act::Want(feature, want)),
                )) }
            </div>
        </div>
    }
}

fn title(preset: Preset) -> String {
    capital(&told(&preset.title()))
}

/// What the machine has.
fn machine(probe: &Probe) -> Html {
    let has = |support: Support| match support {
        Support::Present => t!("backend.facts.present"),
        Support::Absent => t!("backend.facts.absent"),
    };
    let mut rows: Vec<(&str, Cow<'static, str>)> = Vec::new();
    match probe.place {
        Place::Browser(Browser { simd, workers, isolation }) => rows.extend([
            ("wasm", has(Support::Present)),
            ("simd", has(simd)),
            ("workers", has(workers)),
            ("isolated", has(isolation)),
        ]),
        Place::Native => rows.extend([
            (
                "gpus",
                match probe.cuda() {
                    Ok(gpus) => {
                        let name = gpus.first().map_or("", |gpu| gpu.name.as_str());
                        format!("{} × {name}", gpus.len()).into()
                    }
                    Err(why) => told(&why.reason()).into(),
                },
            ),
            (
                "build",
                format::listed([probe.build.cuda, probe.build.nccl, probe.build.mpi].map(has))
                    .into(),
            ),
        ]),
    }
    let cores = match probe.place {
        Place::Browser(_) => t!("backend.facts.hint", number = probe.cores),
        Place::Native => probe.cores.to_string().into(),
    };
    rows.push(("cores", cores));
    let memory = match probe.memory {
        Some(bytes) => format!("{} GiB", bytes >> 30).into(),
        None => t!("backend.facts.unsaid"),
    };
    rows.push(("memory", memory));
    html! {
        <dl class="facts machine-facts">
            { for rows.into_iter().map(|(key, value)| html! {
                <div {key}><dt>{ t!(format!("backend.fact.{key}")) }</dt><dd>{ value }</dd></div>
            }) }
        </dl>
    }
}

/// What two versions of accelerate do in the same place.
fn beside(preset: Preset, probe: &Probe, request: &plan::runtime::Request) -> Html {
    let machine = Machine { preset, probe: probe.clone() };
    let practices = VERSIONS.map(|version| practice(version, &machine, request));
    let lead = html! { { t!("backend.practice.lead") } };
    section(
        "practice",
        t!("backend.practice.title"),
        lead,
        html! { <div class="side-by-side even">{ for practices.iter().map(column) }</div> },
    )
}

fn column(practice: &Practice) -> Html {
    let (class, words) = match practice.end {
        End::Runs => ("good", t!("backend.practice.runs")),
        End::Misleads => ("warned", t!("backend.practice.misleads")),
        End::Stops => ("bad", t!("backend.practice.stops")),
        End::Elsewhere => ("hint", t!("backend.practice.elsewhere")),
    };
    let version = practice.version.to_string();
    html! {
        <article key={version.clone()} aria-label={format!("accelerate {version}")}>
            <h3>{ format!("accelerate {version}") }</h3>
            <p><code>{ &practice.call }</code></p>
            <p class={classes!("ending", class)}>{ words }</p>
            <ol class="trail">
                { for practice.steps.iter().enumerate().map(|(index, step)| html! {
                    <li key={index}>{ told(step) }</li>
                }) }
            </ol>
        </article>
    }
}
