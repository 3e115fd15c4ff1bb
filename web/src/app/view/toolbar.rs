//! The buttons that drive the run, and the phase that it is in.

use yew::prelude::*;

use crate::app::browser;
use crate::app::engine::{Goal, Phase};
use crate::app::keys::Command;
use crate::app::state::Action;

/// Properties of [`Toolbar`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the run stands.
    pub phase: Phase,
    /// Which workers are ready.
    pub ready: Vec<bool>,
    /// Whether Run and Step may begin anything.
    pub can_run: bool,
    /// The settings that cannot work, by their labels.
    pub wrong: Vec<&'static str>,
    /// Whether Step back may.
    pub can_step_back: bool,
    /// Whether only the buttons that a page inside another page has are there.
    pub few: bool,
    /// Where actions go.
    pub on: Callback<Action>,
    /// The run's numbers.
    pub children: Html,
}

const STEP_BACK: &str = "Goes back one step, truly: fresh workers retrain from the same seed up to \
                         the step before";

/// The run's controls.
#[component]
pub fn Toolbar(props: &Props) -> Html {
    let Props { phase, ready, can_run, wrong, can_step_back, few, on, children } = props;
    let stands = matches!(phase, Phase::Idle | Phase::Paused);
    let run = *can_run && (stands || matches!(phase, Phase::Pausing));
    let pause = matches!(phase, Phase::Running | Phase::Loading(_) | Phase::Rewinding(_));
    let seed = on.reform(|_| Action::NewSeed(browser::random_seed()));
    let button = |name: &'static str,
                  title: &'static str,
                  key: Command,
                  enabled: bool,
                  action: fn() -> Action| {
        let class = if name == "Run" { "primary" } else { "" };
        // Not `disabled`: the button that was just pressed would lose the keyboard's focus.
        html! {
            <button
                type="button"
                class={class}
                title={key.titled(title)}
                aria-disabled={(!enabled).to_string()}
                onclick={on.reform(move |_| action())}
            >
                { icon(name) }{ name }
            </button>
        }
    };
    html! {
        <div class="toolbar">
            <div class="buttons" role="group" aria-label="Run controls">
                { button("Run", "Train on", Command::RunOrPause, run, || Action::Run) }
                { button("Pause", "Stop all ranks after the same step", Command::RunOrPause, pause, || Action::Pause) }
                { button("Step", "Train one step", Command::Step, *can_run && stands, || Action::Step) }
                if !few {
                    { button("Step back", STEP_BACK, Command::StepBack, *can_step_back, || Action::StepBack) }
                }
                <button
                    type="button"
                    title={Command::Reset.titled("End the workers; fresh ones begin again from the same seed")}
                    onclick={on.reform(|_| Action::Reset)}
                >
                    { icon("Reset") }{ "Reset " }<small>{ "(same seed)" }</small>
                </button>
                if !few {
                    <button type="button" title={Command::NewSeed.titled("Begin again from another seed")} onclick={seed}>
                        { icon("New seed") }{ "New seed" }
                    </button>
                }
            </div>
            <p class="phase" role="status" aria-label="State">
                <span class={classes!("lamp", lamp(phase))} aria-hidden="true"></span>
                { describe(phase, ready, wrong) }
            </p>
            { children.clone() }
        </div>
    }
}

fn describe(phase: &Phase, ready: &[bool], wrong: &[&str]) -> String {
    let up = ready.iter().filter(|&&ready| ready).count();
    let world = ready.len();
    match phase {
        Phase::Idle if !wrong.is_empty() => {
            format!("Waiting for settings that can work: see {}", wrong.join(", "))
        }
        Phase::Idle if up < world => format!("Loading workers: {up} of {world} ready"),
        Phase::Idle if world == 1 => "1 worker ready".to_owned(),
        Phase::Idle => format!("{world} workers ready"),
        Phase::Loading(Goal::Run | Goal::Reach(1)) => {
            format!("Begins when {world} workers are ready: {up} are")
        }
        Phase::Loading(Goal::Reach(to)) | Phase::Rewinding(to) => {
            format!("Retraining to step {to}")
        }
        Phase::Running => "Training".to_owned(),
        Phase::Pausing => "Pausing".to_owned(),
        Phase::Stepping => "Training one step".to_owned(),
        Phase::Paused => "Paused".to_owned(),
        Phase::Finished => "Finished".to_owned(),
        Phase::Failed(_) => "Stopped by a failure".to_owned(),
    }
}

fn lamp(phase: &Phase) -> &'static str {
    match phase {
        Phase::Running | Phase::Stepping | Phase::Rewinding(_) => "on",
        Phase::Failed(_) => "bad",
        _ => "off",
    }
}

fn icon(name: &str) -> Html {
    let path = match name {
        "Run" => "M4 2l10 6-10 6z",
        "Pause" => "M3 2h4v12H3zM9 2h4v12H9z",
        "Step" => "M2 2l8 6-8 6zM11 2h3v12h-3z",
        "Step back" => "M14 2L6 8l8 6zM2 2h3v12H2z",
        "Reset" => "M8 3V0L3.5 4 8 8V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z",
        _ => "M2 2h12v12H2zM4 4v8h8V4zM5.5 5.5h2v2h-2zM8.5 8.5h2v2h-2z",
    };
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={path} fill-rule="evenodd" /></svg> }
}
