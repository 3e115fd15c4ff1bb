//! Runs one test's story: a server, a browser, a page, and an end to all of them.

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;

use super::chrome::Chrome;
use super::page::Page;
use super::site::{Hosting, Site};

/// Longer than any story takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Browsers share few cores, and a page that waits for one is not what is tested.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Opens the page of `hosting` with `fragment` behind the `#`, and tells `story` in it.
pub fn open(
    hosting: Hosting,
    fragment: &str,
    story: impl AsyncFnOnce(&Page, &Site) -> Result<()>,
) -> Result<()> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let site = Site::serve(hosting).await?;
        let chrome = Chrome::start().await?;
        let page = Page::open(&chrome, &site.url(fragment)).await?;
        let told = AssertUnwindSafe(story(&page, &site)).catch_unwind();
        let outcome = tokio::time::timeout(LIMIT, told).await;
        let shown = page.shown().await;
        // The session first: it lets the browser end in order.
        let _ = chrome.client().clone().close().await;
        match outcome {
            Ok(Ok(result)) => result.with_context(|| format!("the page showed:\n{shown}")),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => anyhow::bail!("it took longer than {LIMIT:?}; the page showed:\n{shown}"),
        }
    })
}
