//! A chart over the steps on the page: axes, lines, and a step that is read by pointer or keys.

use web_sys::Element;
use yew::prelude::*;

use crate::app::cursor::{Act, Spot};
use crate::app::geometry::chart::{Chart, UNITS};
use crate::app::geometry::scale::label;
use crate::app::state::Action;

/// A line of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// How it looks.
    pub class: Classes,
    /// Its path.
    pub path: String,
}

/// Properties of [`Plot`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The axes.
    pub chart: Chart,
    /// The lines, in the order of painting.
    pub lines: Vec<Line>,
    /// What the slider reads off.
    pub name: AttrValue,
    /// What it reads.
    pub words: AttrValue,
    /// The texts of the marks of the value axis.
    pub marks: Vec<String>,
    /// The step and value that are read, the step from 0.
    pub read: Option<(u32, f64)>,
    /// The last step before the run began, from 0: a line stands there.
    #[prop_or_default]
    pub begun: Option<u32>,
    /// The step that is lit, from 0.
    pub lit: Option<u32>,
    /// A level with its name.
    pub level: Option<(f64, AttrValue)>,
    /// The title of the step axis.
    pub across: AttrValue,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The chart.
#[component]
pub fn Plot(props: &Props) -> Html {
    let Props { chart, lines, name, words, marks, read, begun, lit, level, across, on } = props;
    let act = on.reform(Action::Cursor);
    let share = |pixel: f64, axis: &str| format!("{axis}:{:.2}%", pixel / UNITS * 100.0);
    let x_of = |step: u32| chart.x.at(f64::from(step + 1));
    let at = {
        let chart = chart.clone();
        move |event: &MouseEvent| -> Option<Spot> {
            let plot = event.target_dyn_into::<Element>()?.closest(".plot").ok()??;
            let rect = plot.get_bounding_client_rect();
            let share = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
            Some(Spot::of_step(chart.step_at(share)?))
        }
    };
    let last_spot = use_mut_ref(|| None::<Spot>);
    let moves = {
        let (act, at, last) = (act.clone(), at.clone(), last_spot.clone());
        Callback::from(move |event: PointerEvent| {
            let spot = at(&event);
            // A pointer within the same step says nothing new.
            if last.replace(spot) == spot && event.pointer_type() != "touch" {
                return;
            }
            match (spot, event.pointer_type().as_str()) {
                (Some(spot), "touch") => act.emit(Act::Move(spot)),
                (spot, _) => act.emit(Act::Hover(spot.unwrap_or_default())),
            }
        })
    };
    let leave = {
        let act = act.clone();
        Callback::from(move |_: PointerEvent| {
            last_spot.replace(None);
            act.emit(Act::Hover(Spot::default()));
        })
    };
    let choose = {
        let act = act.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(spot) = at(&event) {
                act.emit(Act::Choose(spot));
            }
        })
    };
    let key = {
        let (last, now) = (chart.last, read.map_or(1.0, |(step, _)| f64::from(step + 1)));
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => now - 1.0,
                "ArrowRight" | "ArrowUp" => now + 1.0,
                "PageDown" => now - 10.0,
                "PageUp" => now + 10.0,
                "Home" => 1.0,
                "End" => last,
                "Enter" => now,
                _ => return,
            };
            event.prevent_default();
            if last < 1.0 {
                return;
            }
            let spot = Spot::of_step(to.clamp(1.0, last) as u32 - 1);
            act.emit(if event.key() == "Enter" { Act::Choose(spot) } else { Act::Move(spot) });
        })
    };
    html! {
        <div class="axes">
            <div class="y-axis" aria-hidden="true">
                { for chart.up.iter().zip(marks).map(|(&tick, text)| html! {
                    <span key={tick.to_string()} ~style={share(chart.y.at(tick), "top")}>{ text }</span>
                }) }
            </div>
            <div
                class="plot"
                data-own=""
                tabindex="0"
                role="slider"
                aria-label={name}
                aria-valuemin="0"
                aria-valuemax={chart.last.to_string()}
                aria-valuenow={read.map_or(0, |(step, _)| step + 1).to_string()}
                aria-valuetext={words}
                onpointermove={moves}
                onpointerleave={leave}
                onclick={choose}
                onkeydown={key}
            >
                <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
                    { for chart.up.iter().map(|&tick| html! {
                        <path key={tick.to_string()} class="grid" d={format!("M0 {:.1}h1000", chart.y.at(tick))} />
                    }) }
                    if let Some((level, _)) = level {
                        <path class="guess" d={format!("M0 {:.1}h1000", chart.y.at(*level))} />
                    }
                    if let Some(step) = begun {
                        <path class="guess" d={format!("M{:.1} 0v1000", x_of(*step))} />
                    }
                    { for lines.iter().enumerate().map(|(index, line)| html! {
                        <path key={index} class={line.class.clone()} d={line.path.clone()} />
                    }) }
                    if let Some(step) = lit {
                        <path class="cursor" d={format!("M{:.1} 0v1000", x_of(*step))} />
                    }
                </svg>
                if let Some((level, name)) = level {
                    <span class="guess-label" ~style={share(chart.y.at(*level), "top")}>{ name }</span>
                }
                if let Some((step, value)) = read.filter(|(_, value)| value.is_finite()) {
                    <span class="point" ~style={format!("{};{}", share(x_of(step), "left"), share(chart.y.at(value), "top"))}></span>
                }
            </div>
            <div class="x-axis" aria-hidden="true">
                { for chart.across.iter().map(|&tick| html! {
                    <span key={tick.to_string()} ~style={share(chart.x.at(tick), "left")}>{ label(tick) }</span>
                }) }
            </div>
            <p class="x-title" aria-hidden="true">{ across }</p>
        </div>
    }
}
