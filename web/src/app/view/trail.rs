//! The trail of decisions in words: what stands behind the tree.

use std::borrow::Cow;

use crate::t;
use plan::runtime::{Decision, Detection, Device, Outcome, Standing};
use yew::prelude::*;

use crate::app::language::told;
use crate::app::view::field::sentence;

/// The result, or the refusal's words.
pub fn outcome(detection: &Detection) -> Html {
    match &detection.outcome {
        Outcome::Runs(profile) => {
            let device = match profile.device {
                Device::Cpu => "cpu",
                Device::Cuda => "cuda",
            };
            let figure = |name: Cow<'static, str>, value: String| {
                html! { <div key={&*name}><dt>{ name.clone() }</dt><dd>{ value }</dd></div> }
            };
            html! {
                <dl class="numbers outcome">
                    { figure(t!("trail.device"), device.to_owned()) }
                    { figure(t!("trail.backend"), profile.backend.name().to_owned()) }
                    { figure(t!("trail.ranks"), profile.world_size.to_string()) }
                </dl>
            }
        }
        Outcome::Refused(refusal) => html! {
            <p class="error refusal"><b>{ t!("trail.refused") }</b>{ format!("{} = {}", refusal.field, sentence(refusal)) }</p>
        },
    }
}

/// Every decision with its reason.
pub fn list(detection: &Detection) -> Html {
    html! {
        <ol class="trail" aria-label={t!("trail.list")}>
            { for detection.trail.iter().enumerate().map(|(index, decision)| html! {
                <li key={index}>{ words(decision) }</li>
            }) }
        </ol>
    }
}

fn words(Decision { step, standing, choice, reason }: &Decision) -> Html {
    let word = match standing {
        Standing::Taken => "taken",
        Standing::Overruled => "overruled",
        Standing::Refused => "refused",
    };
    html! {
        <>
            <span class="hint">{ told(&step.question()) }</span>{ t!("between.sentences") }
            <b>{ choice }</b>{ t!(format!("trail.standing.{word}"), reason = told(reason)) }
        </>
    }
}
