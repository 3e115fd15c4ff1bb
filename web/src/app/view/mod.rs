//! The page's components, put together.

mod alert;
mod curve;
mod curve_plot;
mod field;
mod masthead;
mod notices;
mod parts;
mod ranks;
mod reader;
mod ring;
mod ring_drawing;
mod schedule;
mod self_test;
mod settings;
mod slices;
mod text_box;
mod tile_matrix;
mod toolbar;
mod traffic;
mod workbench;

use yew::prelude::*;

use crate::app::engine::Phase;
use crate::app::state::{Action, State};

/// The whole page.
pub fn page(state: &State, on: &Callback<Action>) -> Html {
    let text_bytes = state.text.as_ref().map(|text| text.bytes.len());
    let steps = state.steps();
    html! {
        <>
            <masthead::Masthead />
            <notices::Notices notices={state.notices.clone()} on={on} />
            <toolbar::Toolbar
                phase={state.engine.phase().clone()}
                ready={state.engine.ready().to_vec()}
                can_run={state.can_run()}
                can_step_back={state.can_step_back()}
                on={on}
            >
                <reader::Reader
                    {steps}
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
            if let Phase::Failed(failures) = state.engine.phase() {
                <alert::Alert failures={failures.clone()} on={on} />
            }
            <div class="columns">
                <main class="views">
                    <div class="pair">
                        <ring::Ring plan={state.plan.clone()} newest={state.record.newest.clone()} />
                        <curve::CurveView
                            curve={state.record.curve.clone()}
                            world={state.world()}
                            total={state.plan.config().steps}
                            check={state.check}
                            reference={state.reference.clone()}
                            on={on}
                        />
                    </div>
                    <schedule::Schedule plan={state.plan.clone()} times={state.record.times.clone()} />
                    <traffic::Traffic
                        plan={state.plan.clone()}
                        sent={state.record.sent.clone()}
                        times={state.record.times.clone()}
                    />
                    <ranks::Ranks
                        plan={state.plan.clone()}
                        ready={state.engine.ready().to_vec()}
                        memory={state.record.memory.clone()}
                        times={state.record.times.clone()}
                    />
                    <self_test::SelfTestView
                        result={state.self_test.clone()}
                        can_test={state.can_test_links()}
                        on={on}
                    />
                </main>
                <settings::Settings
                    form={state.form.clone()}
                    text={state.text.clone()}
                    refusals={state.refusals.clone()}
                    on={on}
                />
            </div>
        </>
    }
}
