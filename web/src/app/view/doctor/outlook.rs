//! What the run becomes: its CP context, its mesh with every rank's groups, and the same mesh in
//! the playground.

use ::doctor::{Context, Playground, Report};
use yew::prelude::*;

use crate::app::doctor::{Act, Doctor};
use crate::app::form::Form;
use crate::app::groups::mesh::GroupMesh;
use crate::app::places::Place;
use crate::app::view::groups::Chooser;
use crate::app::view::parts::section;
use crate::app::whole::whole;
use crate::app::{address, browser};

/// The outlook.
pub fn view(doctor: &Doctor, report: &Report, on: &Callback<Act>) -> Html {
    html! {
        <>
            { section("context", "CP context", html! { { CONTEXT } }, context(&report.context)) }
            if let Some(mesh) = &report.mesh {
                { section("doctor-mesh", "Mesh that results", html! { { MESH } }, html! {
                    <>
                        <p role="status" aria-label="Mesh">{ size(mesh) }</p>
                        { ranks(doctor, mesh, on) }
                    </>
                }) }
            }
            if let Some(playground) = &report.playground {
                { section("open", "In the playground", html! { { OPEN } }, link(playground)) }
            }
        </>
    }
}

const CONTEXT: &str = "accelerate builds it in prepare(); a training step under CP enters it.";
const MESH: &str = "Axes of more than one rank, in accelerate's order; the last varies fastest.";
const OPEN: &str = "The same mesh, as far as a browser can run it, with a small GPT in it.";

fn context(context: &Context) -> Html {
    html! {
        <p role="status" aria-label="CP context">
            <b>{ format!("Fate: {}.", context.fate.title()) }</b>
            if let Some(stage) = context.stops {
                { format!(" The run stops {}.", stage.title()) }
            }
        </p>
    }
}

fn size(mesh: &::doctor::Mesh) -> String {
    let axes: Vec<String> = mesh.axes.iter().map(|(axis, size)| format!("{axis} {size}")).collect();
    let ranks = if mesh.world_size == 1 { "rank" } else { "ranks" };
    let mut words = format!("{} {ranks}", mesh.world_size);
    if !axes.is_empty() {
        words = format!("{words}: {}", axes.join(" × "));
    }
    match &mesh.note {
        Some(note) => format!("{words}. No groups: {note}."),
        None => format!("{words}."),
    }
}

fn ranks(doctor: &Doctor, mesh: &::doctor::Mesh, on: &Callback<Act>) -> Html {
    match GroupMesh::of_doctor(mesh) {
        Some(mesh) if mesh.world() > 1 => {
            let typed = if doctor.rank.is_empty() { "0" } else { &doctor.rank };
            let rank = whole("rank", typed, 0, mesh.world() - 1);
            html! {
                <Chooser {mesh} {rank} typed={typed.to_owned()} on={on.reform(Act::Choose)} />
            }
        }
        Some(_) | None => html! {},
    }
}

fn link(playground: &Playground) -> Html {
    let run = address::write(Place::Play, &Form::of(&playground.run), false, false, None);
    html! {
        <>
            <p><a class="button" href={browser::link(&run)}>{ "Open this mesh in the playground" }</a></p>
            if !playground.notes.is_empty() {
                <ul class="hint bullets">
                    { for playground.notes.iter().map(|note| html! {
                        <li key={note.as_str()}>{ note }</li>
                    }) }
                </ul>
            }
        </>
    }
}
