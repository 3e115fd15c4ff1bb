//! What the run becomes: its CP context, its mesh with every rank's groups, and the same mesh in
//! the playground.

use crate::t;
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor};
use crate::app::form::Form;
use crate::app::groups::mesh::GroupMesh;
use crate::app::places::Place;
use crate::app::view::groups::Chooser;
use crate::app::view::memo::View;
use crate::app::view::parts::section;
use crate::app::whole::whole;
use crate::app::{address, browser};
use crate::diagnosis::report::{Mesh, Playground, Report};

/// The outlook.
pub fn view(doctor: &Doctor, report: &Report, on: &Callback<Act>) -> Html {
    html! {
        <>
            { section(
                "context",
                t!("doctor.context.title"),
                html! { { t!("doctor.context.lead") } },
                context(report),
            ) }
            if let Some(mesh) = &report.mesh {
                { section(
                    "doctor-mesh",
                    t!("doctor.mesh.title"),
                    html! { { t!("doctor.mesh.lead") } },
                    html! {
                        <>
                            <p role="status" aria-label={t!("doctor.mesh.label")}>{ size(mesh) }</p>
                            { ranks(doctor, mesh, on) }
                        </>
                    },
                ) }
            }
            if let Some(playground) = &report.playground {
                { section(
                    "open",
                    t!("doctor.playground.title"),
                    html! { { t!("doctor.playground.lead") } },
                    link(playground),
                ) }
            }
        </>
    }
}

fn context(report: &Report) -> Html {
    html! {
        <p role="status" aria-label={t!("doctor.context.title")}>
            <b>{ t!("doctor.context.fate", fate = report.fate) }</b>
            if let Some(stage) = &report.stops {
                { t!("between.sentences") }{ t!("doctor.context.stops", stage = stage) }
            }
        </p>
    }
}

fn size(mesh: &Mesh) -> String {
    let axes: Vec<String> = mesh.axes.iter().map(|(axis, size)| format!("{axis} {size}")).collect();
    let axes = axes.join(" × ");
    let ranks = mesh.world_size;
    let words = match (ranks, axes.is_empty()) {
        (1, true) => t!("doctor.mesh.one"),
        (_, true) => t!("doctor.mesh.ranks", ranks = ranks),
        (_, false) => t!("doctor.mesh.axes", ranks = ranks, axes = axes),
    };
    match &mesh.note {
        Some(note) => format!("{words} {note}"),
        None => words.into(),
    }
}

fn ranks(doctor: &Doctor, mesh: &Mesh, on: &Callback<Act>) -> Html {
    match GroupMesh::of_doctor(mesh) {
        Some(mesh) if mesh.world() > 1 => {
            let typed = if doctor.rank.is_empty() { "0" } else { &doctor.rank };
            let rank = whole("rank", typed, 0, mesh.world() - 1);
            html! {
                { Chooser {
                    mesh,
                    rank,
                    typed: typed.to_owned().into(),
                    on: on.reform(Act::Choose),
                }.part() }
            }
        }
        Some(_) | None => html! {},
    }
}

fn link(playground: &Playground) -> Html {
    let run = address::write(Place::Play, &Form::of(&playground.run), false, false, None);
    html! {
        <>
            <p><a class="button" href={browser::link(&run)}>{ t!("doctor.playground.open") }</a></p>
            if !playground.notes.is_empty() {
                <ul class="hint bullets">
                    { for playground.notes.iter().map(|note| html! { <li>{ note }</li> }) }
                </ul>
            }
        </>
    }
}
