//! The page's components, put together.

mod alert;
mod backend;
mod bench_frame;
mod checkpoint;
mod compare;
mod copy;
mod curve;
mod curve_plot;
mod doctor;
mod elsewhere;
mod embedded;
mod fault_note;
mod field;
pub(crate) mod file_button;
mod groups;
mod help;
mod jump;
mod learn;
mod lesson;
mod link_matrix;
mod lit_words;
mod masthead;
mod memo;
mod memory;
mod mesh_grid;
mod motion;
mod notices;
mod other_build;
mod own_file;
pub(crate) mod parts;
mod plot;
mod presets;
mod ranks;
mod reader;
mod ring;
mod ring_drawing;
mod ring_table;
mod run_story;
mod schedule;
mod self_test;
mod settings;
mod share;
mod slices;
mod strategies;
mod term;
mod text_box;
mod tile_matrix;
mod time_bar;
mod timeline;
mod toolbar;
mod traffic;
mod trail;
mod tree;
pub(crate) mod typed;
mod watch;
mod welcome;
mod what_if;
mod workbench;

use std::rc::Rc;

use crate::t;
use yew::prelude::*;

use crate::app::beside::Source;
use crate::app::browser;
use crate::app::embed::{self, Panel};
use crate::app::engine::Phase;
use crate::app::gradual::{Gradual, Part};
use crate::app::notice::Notice;
use crate::app::places::Place;
use crate::app::share::Keep;
use crate::app::state::{Action, State};
use crate::app::turn;
use crate::app::view::memo::View;
use crate::cluster::Stop;

/// The whole page; its tables show `figures`, which may be a moment behind the state's.
pub fn page(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    // Another language is another page: what is drawn once is drawn anew.
    let language = state.language.code();
    html! { <div key={language} class="page" lang={language}>{ whole(state, figures, on) }</div> }
}

fn whole(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    if state.embed.is_some() {
        return embedded::page(state, figures, on);
    }
    let links = Place::ALL.map(|place| browser::link(&state.address(place)));
    html! {
        <>
            <masthead::Masthead
                place={state.place}
                links={links.to_vec()}
                language={state.language}
                {on}
            />
            <main>
                { other_build::OtherBuild { is_there: state.other_build }.part() }
                { notices::Notices { notices: notices_here(state), on: on.clone() }.part() }
                { beside_lesson(state, place(state, figures, on), on) }
            </main>
            <help::Help open={state.help} single_keys={state.single_keys} {on} />
            <term::Explanation place={state.place} />
            if state.place != Place::Play {
                <own_file::NoDrop />
            }
        </>
    }
}

/// What is to be told where the user is.
fn notices_here(state: &State) -> Rc<[Notice]> {
    let is_here = |notice: &&Notice| state.place == Place::Play || !notice.is_of_the_run();
    state.notices.iter().filter(is_here).cloned().collect()
}

/// What is looked at, beside the lesson that is open.
fn beside_lesson(state: &State, looked_at: Html, on: &Callback<Action>) -> Html {
    let is_open = state.lessons.open.is_some();
    html! {
        <div class={classes!("ground", is_open.then_some("with-lesson"))}>
            if is_open {
                <lesson::LessonPanel lessons={state.lessons.clone()} {on} />
            }
            <div class="playground">{ looked_at }</div>
        </div>
    }
}

/// What is looked at; the run goes on behind it.
fn place(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    match state.place {
        Place::Play => play(state, figures, on),
        Place::Groups => groups::GroupsView {
            groups: state.groups.clone(),
            run: state.plan.mesh(),
            on: on.clone(),
        }
        .part(),
        Place::Backend => html! { <backend::BackendView backend={state.backend.clone()} {on} /> },
        Place::Bench => bench_frame::BenchFrame { language: state.language }.part(),
        Place::Learn => learn::Learn { lessons: state.lessons.clone(), on: on.clone() }.part(),
        Place::Doctor => html! { <doctor::DoctorView doctor={state.doctor.clone()} {on} /> },
    }
}

/// The run.
fn play(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    html! {
        <>
            if state.welcome {
                <welcome::Welcome doors={doors(state)} {on} />
            }
            { presets::Presets { form: state.form.clone(), on: on.clone() }.part() }
            <div class="controls">
                { toolbar(state, on) }
                { time_bar(state, on) }
                { jump::Jump { first: ring::title(&state.plan) }.part() }
            </div>
            { run_story(state, on) }
            { workbench(state, on) }
            if !state.refusals.is_empty() {
                <p>{ t!("page.stale") }</p>
            }
            { fault_note::FaultNote { fault: state.plan.config().fault }.part() }
            { alert(state, on) }
            <watch::Watched {on}>
                <div class="columns">
                    { run_views(state, figures, on) }
                    { settings::Settings {
                        form: state.form.clone(),
                        text: state.text.clone(),
                        read: state.used_text.clone(),
                        refusals: state.refusals.clone(),
                        on: on.clone(),
                    }.part() }
                    { detail_views(state, figures, on) }
                </div>
                { lit_words(state, figures, on) }
            </watch::Watched>
        </>
    }
}

/// The choices that matter most.
fn workbench(state: &State, on: &Callback<Action>) -> Html {
    workbench::Workbench {
        form: state.form.clone(),
        text_bytes: state.text.as_ref().map(|text| text.bytes.len()),
        refusals: state.refusals.clone(),
        on: on.clone(),
    }
    .part()
}

/// Where one can begin.
fn doors(state: &State) -> Vec<(Place, String)> {
    const DOORS: [Place; 3] = [Place::Learn, Place::Play, Place::Doctor];
    DOORS.map(|place| (place, browser::link(&state.address(place)))).to_vec()
}

/// What is lit, in words.
fn lit_words(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    lit_words::LitWords {
        cursor: state.cursor,
        plan: state.plan.clone(),
        figures: figures.shown(Part::Traffic).clone(),
        curve: state.record.curve.clone(),
        on: on.clone(),
    }
    .part()
}

/// The buttons with the run's state and numbers.
fn toolbar(state: &State, on: &Callback<Action>) -> Html {
    toolbar::Toolbar {
        phase: state.engine.phase().clone(),
        ready: state.engine.ready().to_vec(),
        can_run: state.can_run(),
        wrong: state.wrong(),
        can_step_back: state.can_step_back(),
        is_ring: turn::is_ring(state.plan.attention()) && state.plan.attention().steps() > 1,
        few: state.embed.is_some(),
        first: state.record.first(),
        ended: state.ended,
        hops: shows_steps(state),
        on: on.clone(),
        children: reader::Reader {
            steps: state.steps(),
            first: state.record.first(),
            total: state.plan.config().steps,
            curve: state.record.curve.clone(),
        }
        .part(),
    }
    .part()
}

/// The run from its beginning to the furthest that it was.
fn time_bar(state: &State, on: &Callback<Action>) -> Html {
    time_bar::TimeBar {
        first: state.record.first(),
        at: state.steps(),
        furthest: state.record.furthest(),
        look: state.look,
        can_seek: state.can_run(),
        can_fork: state.can_fork(),
        loss: state.record.loss().map(|(_, loss)| loss),
        form: state.form.clone(),
        forks: state.embed.is_none(),
        on: on.clone(),
    }
    .part()
}

/// What led to the present run.
fn run_story(state: &State, on: &Callback<Action>) -> Html {
    let ended = *state.engine.phase() == Phase::Finished;
    run_story::RunStory {
        stopped: state.stopped.filter(|stop| !(ended && matches!(stop, Stop::Passed(_)))),
        origin: state.origin.clone(),
        put_away: state.put_away.as_ref().map(|run| run.steps()),
        on: on.clone(),
    }
    .part()
}

/// Whether the controls that go from moment to moment are there.
fn shows_steps(state: &State) -> bool {
    state.embed.as_ref().is_none_or(|embed| embed.shows_steps())
}

/// What failed, if anything did.
fn alert(state: &State, on: &Callback<Action>) -> Html {
    match state.engine.phase() {
        Phase::Failed(failures) => html! { <alert::Alert failures={failures.clone()} on={on} /> },
        _ => html! {},
    }
}

/// Whether `panel` is to be drawn: in a page of its own all are.
fn shows(state: &State, panel: Panel) -> bool {
    state.embed.as_ref().is_none_or(|embed| embed.shows(panel))
}

/// What the eye is on while the run goes.
fn run_views(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    let newest = &figures.shown(Part::Ring).newest;
    html! {
        <div class={classes!("pair", stale(state))}>
            if shows(state, Panel::Ring) {
                <ring::Ring
                    plan={state.plan.clone()}
                    newest={state.chosen().or_else(|| newest.clone())}
                    held={state.seen.is_none() && state.held.is_some()}
                    at_once={state.seen.is_some() || *state.engine.phase() != Phase::Running}
                    tokens={figures.shown(Part::Slices).tokens.clone()}
                    cursor={state.cursor}
                    {on}
                />
            }
            if shows(state, Panel::Curve) {
                <curve::CurveView
                    curve={state.record.curve.clone()}
                    at={state.steps()}
                    first={state.record.first()}
                    world={state.world()}
                    total={state.plan.config().steps}
                    check={state.check}
                    reference={state.reference.clone()}
                    cursor={state.cursor}
                    on={on}
                />
            }
        </div>
    }
}

/// The numbers that can be kept as files.
const NUMBERS: [Keep; 3] = [Keep::Steps, Keep::Traffic, Keep::Trace];

/// What explains the run.
fn detail_views(state: &State, figures: &Gradual, on: &Callback<Action>) -> Html {
    let (plan, cursor) = (&state.plan, state.cursor);
    let memory = figures.shown(Part::Memory);
    let spot = cursor.spot();
    html! {
        <div class={classes!("views", stale(state))}>
            if shows(state, Panel::Compare) {
                { compare::Compare {
                    beside: state.beside.clone(),
                    form: state.form.clone(),
                    plan: state.plan.clone(),
                    source: Source::of(state),
                    curve: state.record.curve.clone(),
                    first: state.record.first(),
                    costs: figures.shown(Part::Compare).costs.clone(),
                    can_keep: state.record.has_steps(),
                    can_swap: state.can_swap(),
                    on: on.clone(),
                }.part() }
            }
            if shows(state, Panel::Timeline) {
                <timeline::TimelineView
                    plan={plan.clone()}
                    newest={figures.shown(Part::Timeline).newest.clone()}
                    held={state.chosen()}
                    lost={state.lost_step()}
                    {cursor}
                    on={on}
                />
            }
            if shows(state, Panel::WhatIf) {
                <what_if::WhatIfView
                    form={state.form.clone()}
                    world={state.world()}
                    newest={figures.shown(Part::Timeline).newest.clone()}
                    held={state.chosen()}
                    goes={*state.engine.phase() == Phase::Running}
                    {spot}
                    {on}
                />
            }
            if shows(state, Panel::Schedule) {
                { schedule::Schedule {
                    plan: plan.clone(),
                    times: figures.shown(Part::Schedule).times.clone(),
                    spot,
                    on: on.clone(),
                }.part() }
            }
            if shows(state, Panel::Traffic) {
                { traffic::Traffic {
                    plan: plan.clone(),
                    sent: figures.shown(Part::Traffic).sent.clone(),
                    times: figures.shown(Part::Traffic).times.clone(),
                    spot,
                    on: on.clone(),
                }.part() }
            }
            if shows(state, Panel::Ranks) {
                { ranks::Ranks {
                    plan: plan.clone(),
                    ready: state.engine.ready().to_vec(),
                    memory: figures.shown(Part::Ranks).memory.clone(),
                    times: figures.shown(Part::Ranks).times.clone(),
                    spot,
                }.part() }
                <memory::Memory
                    plan={plan.clone()}
                    log={memory.memory_log.clone()}
                    steps={memory.times.first() + memory.times.steps(state.world())}
                    {cursor}
                    {on}
                />
            }
            if state.embed.is_none() {
                { share::Share {
                    link: browser::whole_link(&state.address(Place::Play)).into(),
                    frame: embed::frame(&browser::whole_link(&state.frame_address())).into(),
                    command: state.train_line().into(),
                    own_text: state.text.is_some(),
                    resumes: state.origin.as_ref().map(|origin| origin.steps()),
                    numbers: NUMBERS.into_iter().filter(|&keep| state.can_keep(keep)).collect::<Vec<_>>(),
                    kept: state.kept.clone(),
                    on: on.clone(),
                }.part() }
                { checkpoint::Checkpoint { can_save: state.can_take(), on: on.clone() }.part() }
                <elsewhere::ElsewhereView plan={plan.clone()} />
            }
            if shows(state, Panel::Links) {
                { self_test::SelfTestView {
                    result: state.self_test.clone(),
                    can_test: state.can_test_links(),
                    on: on.clone(),
                }.part() }
            }
        </div>
    }
}

/// Marks views that show the last settings that could work, and not those that are entered.
fn stale(state: &State) -> Option<&'static str> {
    (!state.refusals.is_empty()).then_some("stale")
}
