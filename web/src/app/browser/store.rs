//! Where the last runs are kept between visits: an entry for each in a cache of the page's own address.
//!
//! Local storage is too small for a state, and the Cache interface is the shortest way to something
//! larger. Where it is missing, on plain HTTP for example, a reload begins anew.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, Request, Response};

use super::window;

/// The entries' name, before the run's own; they are never fetched.
const ENTRY: &str = "last-run";
/// Entries that are kept: a run of another tab is not lost by one of this.
const MOST: u32 = 4;

fn entry(key: &str) -> String {
    format!("{ENTRY}?{key}")
}

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

/// Keeps `run` in place of an earlier one of the same `key`, and lets go of the oldest.
pub async fn keep(key: String, run: Vec<u8>) {
    // A browser that keeps nothing, or has no room, loses only the next visit's head start.
    let _ = try_keep(&key, &run).await;
}

async fn try_keep(key: &str, run: &[u8]) -> Result<(), JsValue> {
    let cache = cache().await?;
    let bytes = Uint8Array::new_from_slice(run);
    let response = Response::new_with_opt_js_u8_array(Some(&bytes))?;
    JsFuture::from(cache.put_with_str(&entry(key), &response)).await?;
    // The newest stand last: what is put again moves there.
    let entries: Array = JsFuture::from(cache.keys()).await?.unchecked_into();
    for index in 0..entries.length().saturating_sub(MOST) {
        let oldest: Request = entries.get(index).unchecked_into();
        JsFuture::from(cache.delete_with_request(&oldest)).await?;
    }
    Ok(())
}

/// What was kept under `key`, if there is anything.
pub async fn kept(key: &str) -> Option<Vec<u8>> {
    try_kept(key).await.ok().flatten()
}

async fn try_kept(key: &str) -> Result<Option<Vec<u8>>, JsValue> {
    let found = JsFuture::from(cache().await?.match_with_str(&entry(key))).await?;
    let Ok(response) = found.dyn_into::<Response>() else { return Ok(None) };
    let buffer: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.unchecked_into();
    Ok(Some(Uint8Array::new(&buffer).to_vec()))
}
