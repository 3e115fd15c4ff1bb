//! Finds out why a worker did not load: the browser's own error event has no text.

use futures::future::join_all;
use plan::{Message, message};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCache, RequestInit, Response};

use super::address::{self, Role};

/// A file that cannot be what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFile {
    /// Its address.
    pub url: String,
    /// What is wrong with it.
    pub message: Message,
}

/// The first of a worker's files that is not there, or is not what it should be.
pub async fn find_bad_file(role: Role) -> Option<BadFile> {
    let files = address::files(role);
    let probes = files.iter().map(|(url, is_script)| probe(url, *is_script));
    join_all(probes).await.into_iter().zip(&files).find_map(|(problem, (url, _))| {
        problem.map(|message| BadFile { url: url.clone(), message })
    })
}

async fn probe(url: &str, is_script: bool) -> Option<Message> {
    let response = match head(url).await {
        Ok(response) => response,
        Err(error) => {
            return Some(message!("it could not be fetched: {error}", error = text_of(&error)));
        }
    };
    if !response.ok() {
        let status = format!("{} {}", response.status(), response.status_text());
        return Some(message!("the server answered {status}", status = status.trim()));
    }
    let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
    judge_type(&kind, is_script)
}

async fn head(url: &str) -> Result<Response, JsValue> {
    let init = RequestInit::new();
    init.set_method("HEAD");
    // What the browser has kept is not what the server has.
    init.set_cache(RequestCache::NoStore);
    let window = web_sys::window().ok_or("no window")?;
    JsFuture::from(window.fetch_with_str_and_init(url, &init)).await?.dyn_into()
}

fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => format!("{error:?}"),
    }
}

/// What is wrong with a content type. A wasm file of any type but text can still be compiled.
fn judge_type(content_type: &str, is_script: bool) -> Option<Message> {
    let wanted = if is_script { "JavaScript" } else { "WebAssembly" };
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let fits = if is_script { kind.contains("javascript") } else { !kind.starts_with("text/") };
    (!fits).then(|| {
        let kind = if kind.is_empty() { message!("no content type") } else { kind.into() };
        message!("the server answered with {kind} where {wanted} should be", kind, wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::judge_type;

    #[test]
    fn html_is_neither_a_script_nor_wasm() {
        for is_script in [true, false] {
            let message = judge_type("text/html; charset=utf-8", is_script);
            assert!(message.is_some_and(|m| m.contains("text/html")));
        }
    }

    #[test]
    fn what_a_browser_takes_is_taken() {
        assert_eq!(judge_type("text/javascript", true), None);
        assert_eq!(judge_type("application/javascript; charset=utf-8", true), None);
        assert_eq!(judge_type("application/wasm", false), None);
        assert_eq!(judge_type("application/octet-stream", false), None);
        assert!(judge_type("", true).is_some_and(|m| m.contains("no content type")));
    }
}
