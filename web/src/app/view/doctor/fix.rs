//! The run as it would work: to copy, or to take over.

use ::doctor::Corrected;
use yew::prelude::*;

use crate::app::doctor::Act;
use crate::app::view::copy::Copyable;
use crate::app::view::parts::section;

/// The corrected run.
pub fn view(corrected: &Corrected, on: &Callback<Act>) -> Html {
    let install: Vec<String> =
        corrected.install.iter().map(|package| format!("pip install \"{package}\"")).collect();
    let variables: Vec<String> =
        corrected.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let lines = |lines: Vec<String>| (!lines.is_empty()).then(|| lines.join("\n"));
    let parts = [
        ("fix-install", "To install", "Copy the command", lines(install)),
        (
            "fix-config",
            "Corrected configuration",
            "Copy the configuration",
            corrected.config.clone(),
        ),
        ("fix-launch", "Corrected launch line", "Copy the launch line", corrected.launch.clone()),
        ("fix-variables", "Variables", "Copy the variables", lines(variables)),
        ("fix-script", "In the script", "Copy the changes", lines(corrected.script.clone())),
    ];
    section(
        "fix",
        "Corrected run",
        html! { { "Every fault that can be corrected is; what is left stands above as it is." } },
        html! {
            <>
                { for parts.into_iter().filter_map(|(id, title, button, text)| {
                    let text = text?;
                    Some(html! { <Copyable key={id} {id} {title} {button} {text} /> })
                }) }
                <div class="row">
                    <button type="button" class="primary" onclick={on.reform(|_| Act::UseCorrected)}>
                        { "Use it as your run" }
                    </button>
                </div>
            </>
        },
    )
}
