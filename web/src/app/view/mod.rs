//! The page's components, put together.

mod alert;
mod backend;
mod copy;
mod curve;
mod curve_plot;
mod doctor;
mod field;
mod groups;
mod masthead;
mod mesh_grid;
mod notices;
mod parts;
mod ranks;
mod reader;
mod ring;
mod ring_drawing;
mod schedule;
mod self_test;
mod settings;
mod share;
mod slices;
mod strategies;
mod text_box;
mod tile_matrix;
mod timeline;
mod toolbar;
mod traffic;
mod trail;
mod tree;
mod typed;
mod workbench;

use yew::prelude::*;

use crate::app::browser;
use crate::app::engine::Phase;
use crate::app::places::Place;
use crate::app::record::Figures;
use crate::app::state::{Action, State};

/// The whole page; its tables show `figures`, which may be a moment behind the state's.
pub fn page(state: &State, figures: &Figures, on: &Callback<Action>) -> Html {
    let links = Place::ALL.map(|place| browser::link(&state.address(place)));
    html! {
        <>
            <masthead::Masthead place={state.place} links={links.to_vec()} on={on} />
            <main>
                <notices::Notices notices={state.notices.clone()} on={on} />
                { place(state, figures, on) }
            </main>
        </>
    }
}

/// What is looked at; the run goes on behind it.
fn place(state: &State, figures: &Figures, on: &Callback<Action>) -> Html {
    match state.place {
        Place::Play => play(state, figures, on),
        Place::Groups => html! {
            <groups::GroupsView groups={state.groups.clone()} run={state.plan.mesh()} {on} />
        },
        Place::Backend => html! { <backend::BackendView backend={state.backend.clone()} {on} /> },
        Place::Doctor => html! { <doctor::DoctorView doctor={state.doctor.clone()} {on} /> },
    }
}

/// The run.
fn play(state: &State, figures: &Figures, on: &Callback<Action>) -> Html {
    let text_bytes = state.text.as_ref().map(|text| text.bytes.len());
    html! {
        <>
            <toolbar::Toolbar
                phase={state.engine.phase().clone()}
                ready={state.engine.ready().to_vec()}
                can_run={state.can_run()}
                wrong={state.wrong()}
                can_step_back={state.can_step_back()}
                on={on}
            >
                <reader::Reader
                    steps={state.steps()}
                    total={state.plan.config().steps}
                    curve={state.record.curve.clone()}
                />
            </toolbar::Toolbar>
            <workbench::Workbench
                form={state.form.clone()}
                {text_bytes}
                refusals={state.refusals.clone()}
                on={on}
            />
            if !state.refusals.is_empty() {
                <p>{ "The views below show the last settings that can work." }</p>
            }
            if let Phase::Failed(failures) = state.engine.phase() {
                <alert::Alert failures={failures.clone()} on={on} />
            }
            <div class="columns">
                { run_views(state, figures, on) }
                <settings::Settings
                    form={state.form.clone()}
                    text={state.text.clone()}
                    refusals={state.refusals.clone()}
                    on={on}
                />
                { detail_views(state, figures, on) }
            </div>
        </>
    }
}

/// What the eye is on while the run goes.
fn run_views(state: &State, figures: &Figures, on: &Callback<Action>) -> Html {
    html! {
        <div class={classes!("pair", stale(state))}>
            <ring::Ring plan={state.plan.clone()} newest={state.record.newest.clone()} tokens={figures.tokens.clone()} />
            <curve::CurveView
                curve={state.record.curve.clone()}
                world={state.world()}
                total={state.plan.config().steps}
                check={state.check}
                reference={state.reference.clone()}
                on={on}
            />
        </div>
    }
}

/// What explains the run.
fn detail_views(state: &State, figures: &Figures, on: &Callback<Action>) -> Html {
    let plan = &state.plan;
    html! {
        <div class={classes!("views", stale(state))}>
            <timeline::TimelineView
                plan={plan.clone()}
                newest={figures.newest.clone()}
                held={state.held.clone()}
                on={on}
            />
            <schedule::Schedule plan={plan.clone()} times={figures.times.clone()} />
            <traffic::Traffic
                plan={plan.clone()}
                sent={figures.sent.clone()}
                times={figures.times.clone()}
            />
            <ranks::Ranks
                plan={plan.clone()}
                ready={state.engine.ready().to_vec()}
                memory={figures.memory.clone()}
                times={figures.times.clone()}
            />
            <share::Share
                link={browser::whole_link(&state.address(Place::Play))}
                command={state.train_line()}
                own_text={state.text.is_some()}
                trained={state.steps() > 0}
                kept={state.kept.clone()}
                on={on}
            />
            <self_test::SelfTestView
                result={state.self_test.clone()}
                can_test={state.can_test_links()}
                on={on}
            />
        </div>
    }
}

/// Marks views that show the last settings that could work, and not those that are entered.
fn stale(state: &State) -> Option<&'static str> {
    (!state.refusals.is_empty()).then_some("stale")
}
