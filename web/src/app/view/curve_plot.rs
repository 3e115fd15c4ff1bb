//! The loss curve itself: axes, lines, and the value under the pointer or the arrow keys.

use plan::fold::Curve;
use plan::run::VOCAB;
use web_sys::Element;
use yew::prelude::*;

use crate::app::geometry::scale::{Scale, label, path, thin, ticks};
use crate::app::reference::ReferenceLog;
use crate::app::shared::Shared;

/// Properties of [`CurvePlot`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The numbers of every step.
    pub curve: Shared<Curve>,
    /// Ranks of the run.
    pub world: usize,
    /// Steps of the whole run.
    pub total: u32,
    /// The one-rank run.
    pub reference: Shared<ReferenceLog>,
}

/// The plot is drawn in thousandths of its width and height, so that text keeps its size.
const UNITS: f64 = 1000.0;
const POINTS: usize = 600;

/// The plot.
#[component]
pub fn CurvePlot(Props { curve, world, total, reference }: &Props) -> Html {
    let cursor = use_state(|| None::<u32>);
    let losses: Vec<(f64, f64)> =
        curve.losses().into_iter().map(|(step, loss)| (f64::from(step + 1), loss)).collect();
    let others: Vec<(f64, f64)> =
        reference.losses.iter().map(|(&step, &loss)| (f64::from(step + 1), loss)).collect();
    let last = losses.last().map_or(0.0, |&(step, _)| step);
    let (x, x_end) = (across(last, *total), extent(last, *total));
    let guess = (VOCAB as f64).ln();
    let finite = || losses.iter().chain(&others).map(|p| p.1).filter(|v| v.is_finite());
    let high = finite().fold(guess + 0.25, f64::max);
    let low = finite().fold(guess - 1.0, f64::min).floor().max(0.0);
    let y = Scale::new((low, high), (UNITS, 0.0));
    let share = |pixel: f64, axis: &str| format!("{axis}:{:.2}%", pixel / UNITS * 100.0);

    // What is read off is a step that was trained, the newest unless the user points elsewhere.
    let at = (*cursor).map(f64::from).filter(|&step| step <= last);
    let nearest = at.and_then(|at| losses.iter().find(|p| p.0 >= at).or(losses.last()).copied());
    let read = nearest.or(losses.last().copied());
    let move_to = {
        let (cursor, x) = (cursor.clone(), x);
        Callback::from(move |event: PointerEvent| {
            let plot: Element = event.target_unchecked_into();
            let Some(plot) = plot.closest(".plot").ok().flatten() else { return };
            let rect = plot.get_bounding_client_rect();
            let pixel = (f64::from(event.client_x()) - rect.left()) / rect.width() * UNITS;
            cursor.set(Some(x.invert(pixel).round().max(1.0) as u32));
        })
    };
    let leave = {
        let cursor = cursor.clone();
        Callback::from(move |_: PointerEvent| cursor.set(None))
    };
    let key = {
        let (cursor, now) = (cursor.clone(), read.map_or(1.0, |p| p.0));
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => now - 1.0,
                "ArrowRight" | "ArrowUp" => now + 1.0,
                "PageDown" => now - 10.0,
                "PageUp" => now + 10.0,
                "Home" => 1.0,
                "End" => last,
                "Escape" => return cursor.set(None),
                _ => return,
            };
            event.prevent_default();
            cursor.set(Some(to.clamp(1.0, last.max(1.0)) as u32));
        })
    };
    let words = match read {
        None => "No step has been trained yet.".to_owned(),
        Some((step, loss)) => {
            let other = reference.losses.get(&(step as u32 - 1));
            let other = other.map_or(String::new(), |loss| format!(", one rank {loss:.4}"));
            format!("Step {step}: loss {loss:.4}{other}")
        }
    };
    let name = match world {
        1 => "1 rank".to_owned(),
        n => format!("{n} ranks together"),
    };
    html! {
        <figure class="chart">
            <figcaption>
                <span class="reading">{ &words }</span>
                <span class="legend">
                    <span><span class="key ours"></span>{ name }</span>
                    if !others.is_empty() {
                        <span><span class="key other"></span>{ "one rank alone" }</span>
                    }
                </span>
            </figcaption>
            <div class="axes">
                <div class="y-axis" aria-hidden="true">
                    { for ticks(low, high, 5).into_iter().map(|tick| html! {
                        <span key={tick.to_string()} ~style={share(y.at(tick), "top")}>{ label(tick) }</span>
                    }) }
                </div>
                <div
                    class="plot"
                    tabindex="0"
                    role="slider"
                    aria-label="Step to read off the loss curve"
                    aria-valuemin="0"
                    aria-valuemax={last.to_string()}
                    aria-valuenow={read.map_or(0.0, |p| p.0).to_string()}
                    aria-valuetext={words.clone()}
                    onpointermove={move_to.clone()}
                    onpointerdown={move_to}
                    onpointerleave={leave}
                    onkeydown={key}
                >
                    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
                        { for ticks(low, high, 5).into_iter().map(|tick| html! {
                            <path key={tick.to_string()} class="grid" d={format!("M0 {:.1}h1000", y.at(tick))} />
                        }) }
                        <path class="guess" d={format!("M0 {:.1}h1000", y.at(guess))} />
                        <path class="ours" d={path(&thin(&losses, POINTS), x, y)} />
                        <path class="other" d={path(&thin(&others, POINTS), x, y)} />
                        if let Some((step, _)) = nearest {
                            <path class="cursor" d={format!("M{:.1} 0v1000", x.at(step))} />
                        }
                    </svg>
                    <span class="guess-label" ~style={share(y.at(guess), "top")}>{ "guessing: ln 256" }</span>
                    if let Some((step, loss)) = read.filter(|p| p.1.is_finite()) {
                        <span class="point" ~style={format!("{};{}", share(x.at(step), "left"), share(y.at(loss), "top"))}></span>
                    }
                </div>
                <div class="x-axis" aria-hidden="true">
                    { for ticks(0.0, x_end, 5).into_iter().map(|tick| html! {
                        <span key={tick.to_string()} ~style={share(x.at(tick), "left")}>{ label(tick) }</span>
                    }) }
                </div>
                <p class="x-title" aria-hidden="true">{ "step" }</p>
            </div>
        </figure>
    }
}

fn across(last: f64, total: u32) -> Scale {
    Scale::new((0.0, extent(last, total)), (0.0, UNITS))
}

/// The end of the step axis: it grows in round leaps, so that the curve does not creep.
fn extent(last: f64, total: u32) -> f64 {
    let leaps = [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0];
    let leap = leaps.into_iter().find(|&leap| leap >= last).unwrap_or(10_000.0);
    leap.min(f64::from(total).max(last)).max(1.0)
}
