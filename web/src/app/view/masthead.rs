//! The page's head: its name, the way to each place, and what is to be seen there.

use crate::t;
use web_sys::{HtmlSelectElement, MouseEvent};
use yew::prelude::*;

use crate::app::browser;
use crate::app::keys::Command;
use crate::app::language::Language;
use crate::app::places::Place;
use crate::app::state::Action;
use crate::app::view::parts::plain_click;

/// Properties of [`Masthead`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the page is.
    pub place: Place,
    /// The addresses of [`Place::ALL`].
    pub links: Vec<String>,
    /// The language that is spoken.
    pub language: Language,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The page's head.
#[component]
pub fn Masthead(Props { place, links, language, on }: &Props) -> Html {
    // Tabs and the browser's history tell the places apart by it.
    use_effect_with((*place, *language), |(place, _)| browser::set_title(&place.title()));
    let link = |(&to, href): (&Place, &String)| {
        let go = plain_click(on, move || Action::Go(to));
        html! {
            <li key={to.key()}>
                <a href={href.clone()} data-place={to.key()} aria-current={(to == *place).then_some("page")} onclick={go}>
                    { to.title() }
                </a>
            </li>
        }
    };
    let welcome = on.reform(|event: MouseEvent| {
        event.prevent_default();
        Action::Welcome
    });
    let speak = on.reform(|event: Event| {
        let code = event.target_unchecked_into::<HtmlSelectElement>().value();
        Action::Speak(Language::of_tag(&code).unwrap_or_default())
    });
    html! {
        <header class="masthead">
            <h1><a href={links[0].clone()} onclick={welcome}>{ "Ringside" }</a></h1>
            <nav aria-label={t!("masthead.views")}>
                <ul>{ for Place::ALL.iter().zip(links).map(link) }</ul>
            </nav>
            <label class="language">
                <span class="unseen">{ t!("masthead.language") }</span>
                <select onchange={speak}>
                    { for Language::ALL.into_iter().map(|each| html! {
                        <option
                            key={each.code()}
                            value={each.code()}
                            lang={each.code()}
                            selected={each == *language}
                        >
                            { each.name() }
                        </option>
                    }) }
                </select>
            </label>
            <button
                type="button"
                class="help-button"
                data-control="help"
                title={Command::Help.titled(&t!("help.title"))}
                aria-haspopup="dialog"
                onclick={on.reform(|_: MouseEvent| Action::Help(true))}
            >
                { t!("help.button") }
            </button>
            <p>{ place.lead() }</p>
        </header>
    }
}
