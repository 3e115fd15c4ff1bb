//! The run as it would work: to copy, or to take over.

use crate::t;
use yew::prelude::*;

use crate::app::doctor::Act;
use crate::app::view::copy::Copyable;
use crate::app::view::parts::section;
use crate::diagnosis::report::Corrected;

/// The corrected run; what `is_old` is that of something entered before, and is not taken.
pub fn view(corrected: &Corrected, is_old: bool, on: &Callback<Act>) -> Html {
    let install: Vec<String> =
        corrected.install.iter().map(|package| format!("pip install \"{package}\"")).collect();
    let variables: Vec<String> =
        corrected.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let lines = |lines: Vec<String>| (!lines.is_empty()).then(|| lines.join("\n"));
    let parts = [
        ("install", lines(install)),
        ("config", corrected.config.clone()),
        ("launch", corrected.launch.clone()),
        ("variables", lines(variables)),
        ("script", lines(corrected.script.clone())),
    ];
    section(
        "fix",
        t!("doctor.fix.title"),
        html! { { t!("doctor.fix.lead") } },
        html! {
            <>
                { for parts.into_iter().filter_map(|(part, text)| {
                    let text = text?;
                    let title = t!(format!("doctor.fix.what.{part}"));
                    let button = t!(format!("doctor.fix.copy.{part}"));
                    Some(html! {
                        <Copyable key={part} id={format!("fix-{part}")} {title} {button} {text} {is_old} />
                    })
                }) }
                <div class="row">
                    <button
                        type="button"
                        class="primary"
                        data-control="use-corrected"
                        disabled={is_old}
                        onclick={on.reform(|_| Act::UseCorrected)}
                    >
                        { t!("doctor.fix.use") }
                    </button>
                </div>
            </>
        },
    )
}
