//! Files of the page that it fetches when they are needed.

use js_sys::Error;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use crate::app::language::{Language, fetched};
use crate::cluster;

/// Sees to it that the page can speak `language`. Errors: why its texts are not to be had.
pub async fn fetch_language(language: Language) -> Result<(), String> {
    match fetched::file(language) {
        Some(name) if !fetched::is_here(language) => {
            let json = text(&name).await?;
            fetched::take(language, &json).map_err(|error| format!("{name}: {error}"))
        }
        _ => Ok(()),
    }
}

/// What is in the file of that name. Errors: the browser's or the server's words, with the name.
async fn text(name: &str) -> Result<String, String> {
    let url = cluster::file(name);
    let told = |error: JsValue| match error.dyn_ref::<Error>() {
        Some(error) => format!("{name}: {}", String::from(error.message())),
        None => format!("{name}: {error:?}"),
    };
    let response = JsFuture::from(super::window().fetch_with_str(&url)).await.map_err(told)?;
    let response: Response = response.dyn_into().map_err(told)?;
    if !response.ok() {
        return Err(format!("{name}: {} {}", response.status(), response.status_text()));
    }
    let text = JsFuture::from(response.text().map_err(told)?).await.map_err(told)?;
    Ok(text.as_string().unwrap_or_default())
}
