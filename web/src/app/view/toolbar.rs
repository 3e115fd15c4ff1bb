//! The buttons that drive the run, and the phase that it is in.

use std::borrow::Cow;

use crate::t;
use yew::prelude::*;

use crate::app::browser;
use crate::app::engine::{Goal, Phase};
use crate::app::format;
use crate::app::keys::Command;
use crate::app::state::Action;
use crate::app::view::memo::View;

/// The run's controls.
#[derive(PartialEq)]
pub struct Toolbar {
    /// Where the run stands.
    pub phase: Phase,
    /// Which workers are ready.
    pub ready: Vec<bool>,
    /// Whether Run and Step may begin anything.
    pub can_run: bool,
    /// The settings that cannot work, by their labels.
    pub wrong: Vec<Cow<'static, str>>,
    /// Whether Step back may.
    pub can_step_back: bool,
    /// Whether blocks move on a ring.
    pub is_ring: bool,
    /// Whether only the buttons that a page inside another page has are there.
    pub few: bool,
    /// Whether a step can be gone through exchange by exchange.
    pub hops: bool,
    /// The step at which the run began.
    pub first: u32,
    /// Steps of the run that a change has ended.
    pub ended: u32,
    /// Where actions go.
    pub on: Callback<Action>,
    /// The run's numbers.
    pub children: Html,
}

impl View for Toolbar {
    fn draw(&self) -> Html {
        let Self { phase, ready, can_run, wrong, can_step_back, is_ring, few, hops, .. } = self;
        let Self { first, ended, on, children, .. } = self;
        let reset = match first {
            0 => t!("toolbar.title.reset"),
            step => t!("toolbar.title.reset_to", step = step),
        };
        let within = matches!(phase, Phase::Within);
        let stands = within || matches!(phase, Phase::Idle | Phase::Paused);
        let run = *can_run && (stands || matches!(phase, Phase::Pausing));
        let pause = matches!(phase, Phase::Running | Phase::Loading(_) | Phase::Seeking(_));
        let hop = if *is_ring { "ring" } else { "exchange" };
        let seed = on.reform(|_| Action::NewSeed(browser::random_seed()));
        let button =
            |key: &'static str, command: Command, enabled: bool, action: fn() -> Action| {
                let class = if key == "run" { "primary" } else { "" };
                let control = match key {
                    "ring" | "exchange" => "ring-step",
                    "back" => "step-back",
                    key => key,
                };
                // Not `disabled`: the button that was just pressed would lose the keyboard's focus.
                html! {
                    <button
                        type="button"
                        class={class}
                        data-control={control}
                        title={command.titled(&t!(format!("toolbar.title.{key}")))}
                        aria-disabled={(!enabled).to_string()}
                        onclick={on.reform(move |_| action())}
                    >
                        { icon(key) }{ t!(format!("toolbar.button.{key}")) }
                    </button>
                }
            };
        html! {
            <div class="toolbar">
                <div class="buttons" role="group" aria-label={t!("toolbar.group")}>
                    { button("run", Command::RunOrPause, run, || Action::Run) }
                    { button("pause", Command::RunOrPause, pause, || Action::Pause) }
                    { button("step", Command::Step, *can_run && (stands || *phase == Phase::Stepping), || Action::Step) }
                    if *hops {
                        { button(hop, Command::RingStep, *can_run && stands, || Action::Hop) }
                    }
                    if !few {
                        { button("back", Command::StepBack, *can_step_back, || Action::StepBack) }
                    }
                    <button
                        type="button"
                        data-control="reset"
                        title={Command::Reset.titled(&reset)}
                        onclick={on.reform(|_| Action::Reset)}
                    >
                        { icon("reset") }{ t!("toolbar.button.reset") }{ " " }
                        <small>
                            if *first > 0 {
                                { t!("toolbar.to_step", step = first) }
                            } else {
                                { t!("toolbar.same_seed") }
                            }
                        </small>
                    </button>
                    if !few {
                        <button
                            type="button"
                            data-control="new-seed"
                            title={Command::NewSeed.titled(&t!("toolbar.title.seed"))}
                            onclick={seed}
                        >
                            { icon("seed") }{ t!("toolbar.button.seed") }
                        </button>
                    }
                </div>
                <p class="phase" role="status" aria-label={t!("toolbar.state")}>
                    <span class={classes!("lamp", lamp(phase))} aria-hidden="true"></span>
                    { describe(phase, ready, wrong) }
                    if *phase == Phase::Idle && *ended > 0 {
                        { t!("toolbar.ended", step = ended) }
                    }
                </p>
                { children.clone() }
            </div>
        }
    }
}

fn describe(phase: &Phase, ready: &[bool], wrong: &[Cow<'static, str>]) -> Cow<'static, str> {
    let up = ready.iter().filter(|&&ready| ready).count();
    let world = ready.len();
    match phase {
        Phase::Idle if !wrong.is_empty() => {
            t!("toolbar.phase.wrong", settings = format::listed(wrong))
        }
        Phase::Idle if up < world => t!("toolbar.phase.loading", up = up, world = world),
        Phase::Idle if world == 1 => t!("toolbar.phase.ready_one"),
        Phase::Idle => t!("toolbar.phase.ready", world = world),
        Phase::Loading(Goal::Run | Goal::Reach(1)) => {
            t!("toolbar.phase.begins", up = up, world = world)
        }
        Phase::Loading(Goal::Reach(to) | Goal::TakeUp(to)) | Phase::Seeking(to) => {
            t!("toolbar.phase.seeking", to = to)
        }
        Phase::Running => t!("toolbar.phase.running"),
        Phase::Pausing => t!("toolbar.phase.pausing"),
        Phase::Stepping => t!("toolbar.phase.stepping"),
        Phase::Hopping => t!("toolbar.phase.hopping"),
        Phase::Within => t!("toolbar.phase.within"),
        Phase::Paused => t!("toolbar.phase.paused"),
        Phase::Finished => t!("toolbar.phase.finished"),
        Phase::Failed(_) => t!("toolbar.phase.failed"),
    }
}

fn lamp(phase: &Phase) -> &'static str {
    match phase {
        Phase::Running | Phase::Stepping | Phase::Hopping | Phase::Seeking(_) => "on",
        Phase::Failed(_) => "bad",
        _ => "off",
    }
}

fn icon(key: &str) -> Html {
    let path = match key {
        "run" => "M4 2l10 6-10 6z",
        "pause" => "M3 2h4v12H3zM9 2h4v12H9z",
        "step" => "M2 2l8 6-8 6zM11 2h3v12h-3z",
        "ring" | "exchange" => "M8 1a7 7 0 1 0 7 7h-3a4 4 0 1 1-4-4zM10 1l5 3.5-5 3.5z",
        "back" => "M14 2L6 8l8 6zM2 2h3v12H2z",
        "reset" => "M8 3V0L3.5 4 8 8V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z",
        _ => "M2 2h12v12H2zM4 4v8h8V4zM5.5 5.5h2v2h-2zM8.5 8.5h2v2h-2z",
    };
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={path} fill-rule="evenodd" /></svg> }
}
