//! What is seen of the bench: this machine's times, beside another's where its file is opened.

use gloo_file::File;
use gloo_file::futures::read_as_bytes;
use plan::bench::{Bench as Found, Hop, Profiled, Sharing, Sizes, Step};
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::view::file_button::FileButton;
use crate::app::view::parts::section;
use crate::app::view::typed::Chosen;
use crate::app::{browser, format, probe};
use crate::t;

use super::state::{Act, Bench, MAX_BYTES, named};

/// All of it; `act` hears what the user does.
pub fn page(bench: &Bench, act: &Callback<Act>) -> Html {
    let Bench { found, other, .. } = bench;
    html! {
        <div class="views bench">
            { section("bench-drive", t!("bench.title"), html! { { t!("bench.lead") } }, drive(bench, act)) }
            if !found.shapes.is_empty() {
                { section("bench-steps", t!("bench.steps"), steps_lead(found), steps(found, other)) }
            }
            if !found.sharing.is_empty() {
                { section(
                    "bench-sharing",
                    t!("bench.sharing"),
                    html! { { t!("bench.sharing_lead", sizes = named(Sizes::shared())) } },
                    sharing(found, other),
                ) }
            }
            if !found.hops.is_empty() {
                { section(
                    "bench-hops",
                    t!("bench.hops"),
                    html! { { t!("bench.hops_lead") } },
                    hops(found, other),
                ) }
            }
            if let Some(profiled) = found.profiles.get(bench.shown) {
                { section(
                    "bench-profile",
                    t!("bench.profile"),
                    html! { { t!("bench.profile_lead") } },
                    profile(bench, profiled, act),
                ) }
            }
        </div>
    }
}

/// The buttons, and how far it is.
fn drive(bench: &Bench, act: &Callback<Act>) -> Html {
    let begin = act.reform(|_| Act::Begin(browser::machine(), probe::cores()));
    let open = {
        let act = act.clone();
        Callback::from(move |file| spawn_local(read(File::from(file), act.clone())))
    };
    html! {
        <>
            <div class="buttons" role="group" aria-label={t!("bench.title")}>
                if bench.is_under_way() {
                    <button type="button" onclick={act.reform(|_| Act::Stop)}>
                        { t!("bench.stop") }
                    </button>
                } else {
                    <button type="button" class="primary" onclick={begin}>
                        { t!("bench.measure") }
                    </button>
                }
                <button
                    type="button"
                    aria-disabled={bench.found.shapes.is_empty().to_string()}
                    onclick={act.reform(|_| Act::Save)}
                >
                    { t!("bench.save") }
                </button>
                <FileButton
                    id="bench-file"
                    label={t!("bench.open")}
                    text={t!("bench.open")}
                    accept=".json"
                    on={open}
                />
                if let Some((name, _)) = &bench.other {
                    <button type="button" onclick={act.reform(|_| Act::Close)}>
                        { t!("bench.close", name = name) }
                    </button>
                }
            </div>
            <p class="hint">{ t!("bench.open_hint") }</p>
            <p role="status" aria-label={t!("places.bench.title")}>{ bench.words() }</p>
            if let Some(wrong) = &bench.wrong {
                <p class="error" role="alert">{ wrong }</p>
            }
        </>
    }
}

async fn read(file: File, act: Callback<Act>) {
    let name = file.name();
    let bytes = match file.size() {
        size if size > MAX_BYTES as u64 => {
            Err(t!("bench.too_long", size = format::bytes(size)).into())
        }
        _ => read_as_bytes(&file).await.map_err(|error| error.to_string()),
    };
    act.emit(Act::Open(name, bytes));
}

fn steps_lead(found: &Found) -> Html {
    let peak = found.peak_gflops.map_or_else(String::new, |peak| format!("{peak:.0}"));
    html! { { t!("bench.steps_lead", peak = peak) } }
}

/// A table in a box that scrolls where the page is narrow.
fn table(name: AttrValue, heads: Vec<AttrValue>, rows: Vec<Vec<String>>) -> Html {
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!("bench.table", of = name)}>
            <table>
                <thead><tr>{ for heads.into_iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().map(|row| html! {
                        <tr>{ for row.iter().enumerate().map(|(at, cell)| match at {
                            0 => html! { <th scope="row">{ cell }</th> },
                            _ => html! { <td>{ cell }</td> },
                        }) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// The heads of a table, and those of another machine's column where there is one.
fn heads(own: &[&str], other: &Option<(String, Found)>) -> Vec<AttrValue> {
    let own = own.iter().map(|&key| match key {
        // The same in every language.
        "GFLOP" | "GFLOP/s" | "GB/s" | "%" => key.to_owned().into(),
        _ => t!(format!("bench.{key}")).into(),
    });
    let theirs = other.iter().flat_map(|(name, _)| [name.clone().into(), t!("bench.ratio").into()]);
    own.chain(theirs).collect()
}

/// What another machine found, and ours by theirs.
fn beside(
    row: &mut Vec<String>,
    is_other: bool,
    ours: f64,
    theirs: Option<f64>,
    unit: fn(f64) -> String,
) {
    if is_other {
        row.push(theirs.map_or_else(String::new, unit));
        row.push(theirs.map_or_else(String::new, |theirs| format!("{:.2}", ours / theirs)));
    }
}

fn ms(milliseconds: f64) -> String {
    format!("{milliseconds:.1}")
}

fn steps(found: &Found, other: &Option<(String, Found)>) -> Html {
    let mut rows = Vec::new();
    for shape in &found.shapes {
        let (sizes, gflop) = (shape.sizes(), shape.gflop);
        let one = shape.milliseconds.first().map_or(f64::NAN, |step| step.milliseconds);
        for (ranks, &Step { milliseconds, of_peak, .. }) in shape.steps() {
            let theirs = other.as_ref().and_then(|(_, other)| other.step(sizes, &ranks));
            let theirs = theirs.map(|step| step.milliseconds);
            let mut row = vec![
                named(sizes),
                ranks,
                format!("{gflop:.2}"),
                ms(milliseconds),
                format!("{:.0}", 1e2 * of_peak),
                format!("{:.2}", milliseconds / one),
            ];
            beside(&mut row, other.is_some(), milliseconds, theirs, ms);
            rows.push(row);
        }
    }
    let own = ["sizes", "ranks", "GFLOP", "ms", "of_peak", "by_one"];
    table(t!("bench.steps").into(), heads(&own, other), rows)
}

fn sharing(found: &Found, other: &Option<(String, Found)>) -> Html {
    let one = found.sharing.first().map_or(f64::NAN, |first| first.wall_seconds);
    let row = |&Sharing { world_size, wall_seconds, efficiency, .. }: &Sharing| {
        let mut row = vec![
            world_size.to_string(),
            ms(1e3 * wall_seconds),
            format!("{:.2}", one / wall_seconds),
            format!("{efficiency:.2}"),
        ];
        let of = |(_, other): &(String, Found)| {
            let mut lines = other.sharing.iter();
            lines.find(|line| line.world_size == world_size).map(|line| 1e3 * line.wall_seconds)
        };
        let theirs = other.as_ref().and_then(of);
        beside(&mut row, other.is_some(), 1e3 * wall_seconds, theirs, ms);
        row
    };
    let rows = found.sharing.iter().map(row).collect();
    let own = ["ranks", "ms", "speed_up", "efficiency"];
    table(t!("bench.sharing").into(), heads(&own, other), rows)
}

fn hops(found: &Found, other: &Option<(String, Found)>) -> Html {
    let row = |&Hop { bytes, copied_microseconds: us, copied_gigabytes_per_s: rate, .. }: &Hop| {
        let mut row = vec![format::bytes(bytes), format::micros(us), format!("{rate:.2}")];
        let of = |(_, other): &(String, Found)| {
            other.hops.iter().find(|hop| hop.bytes == bytes).map(|hop| hop.copied_microseconds)
        };
        beside(&mut row, other.is_some(), us, other.as_ref().and_then(of), format::micros);
        row
    };
    let rows = found.hops.iter().map(row).collect();
    table(t!("bench.hops").into(), heads(&["message", "hop", "GB/s"], other), rows)
}

fn profile(bench: &Bench, Profiled { mean, .. }: &Profiled, act: &Callback<Act>) -> Html {
    let peak = bench.found.peak_gflops.unwrap_or(f64::NAN);
    let option = |(at, profiled): (usize, &Profiled)| {
        let Profiled { sizes, world_size, .. } = profiled;
        let title = t!("bench.of", sizes = named(*sizes), ranks = world_size);
        (at.to_string().into(), title.into())
    };
    let options: Vec<(AttrValue, AttrValue)> =
        bench.found.profiles.iter().enumerate().map(option).collect();
    let line = |seconds: f64| {
        [format!("{:.3}", 1e3 * seconds), format!("{:.1}", 1e2 * seconds / mean.seconds)]
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for operation in &mean.operations {
        let rate = operation.gflops();
        let mut row = vec![operation.operation.clone(), format!("{:.0}", operation.count)];
        row.extend(line(operation.seconds));
        row.push(rate.map_or_else(String::new, |rate| format!("{rate:.1}")));
        row.push(rate.map_or_else(String::new, |rate| format!("{:.0}", 1e2 * rate / peak)));
        rows.push(row);
    }
    let mut rest = vec![t!("bench.rest").into_owned(), String::new()];
    rest.extend(line(mean.rest()));
    rest.extend([String::new(), String::new()]);
    rows.push(rest);
    let own = ["operation", "times", "ms", "%", "GFLOP/s", "of_peak"];
    html! {
        <>
            <Chosen
                id="bench-profile-of"
                label={t!("bench.profile_of")}
                value={bench.shown.to_string()}
                {options}
                on={act.reform(|at: String| Act::Show(at.parse().unwrap_or_default()))}
            />
            { table(t!("bench.profile").into(), heads(&own, &None), rows) }
        </>
    }
}
