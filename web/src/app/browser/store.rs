//! Where the last run is kept between visits: one entry in a cache of the page's own address.
//!
//! Local storage is too small for a state, and the Cache interface is the shortest way to something
//! larger. Where it is missing, on plain HTTP for example, a reload begins anew.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, Response};

use super::window;

/// The entry's name; it is never fetched.
const ENTRY: &str = "last-run";

async fn cache() -> Result<Cache, JsValue> {
    let storage = window().caches()?;
    // Without a secure context there is none, whatever its type says.
    if storage.is_undefined() {
        return Err(JsValue::UNDEFINED);
    }
    let page = window().document().and_then(|document| document.base_uri().ok().flatten());
    let name = format!("ringside-last-run {}", page.unwrap_or_default());
    Ok(JsFuture::from(storage.open(&name)).await?.unchecked_into())
}

/// Keeps `run` in place of an earlier one.
pub async fn keep(run: Vec<u8>) {
    // A browser that keeps nothing, or has no room, loses only the next visit's head start.
    let _ = try_keep(&run).await;
}

async fn try_keep(run: &[u8]) -> Result<(), JsValue> {
    let bytes = Uint8Array::new_from_slice(run);
    let response = Response::new_with_opt_js_u8_array(Some(&bytes))?;
    JsFuture::from(cache().await?.put_with_str(ENTRY, &response)).await?;
    Ok(())
}

/// What was kept, if there is anything.
pub async fn kept() -> Option<Vec<u8>> {
    try_kept().await.ok().flatten()
}

async fn try_kept() -> Result<Option<Vec<u8>>, JsValue> {
    let found = JsFuture::from(cache().await?.match_with_str(ENTRY)).await?;
    let Ok(response) = found.dyn_into::<Response>() else { return Ok(None) };
    let buffer: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.unchecked_into();
    Ok(Some(Uint8Array::new(&buffer).to_vec()))
}
