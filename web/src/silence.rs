//! Why a worker under gloo-worker says nothing: gloo-worker is silent of one that does not load.

use gloo_timers::future::TimeoutFuture;
use plan::{Message, message};

use crate::cluster::{Role, find_bad_file};

/// A worker that is silent this long may have been given a broken file: time to look.
const LOOK_AFTER_MS: u32 = 3_000;
/// A worker that is silent this long will not come, whatever the server says.
const GIVE_UP_AFTER_MS: u32 = 60_000;

/// The cause, as long as the page `still_waits` for the first word; `None` once it has come.
pub async fn cause(role: Role, still_waits: impl Fn() -> bool) -> Option<Message> {
    TimeoutFuture::new(LOOK_AFTER_MS).await;
    if still_waits()
        && let Some(file) = find_bad_file(role).await
    {
        return still_waits().then(|| message!("{url}: {why}", url = file.url, why = file.message));
    }
    TimeoutFuture::new(GIVE_UP_AFTER_MS - LOOK_AFTER_MS).await;
    let seconds = GIVE_UP_AFTER_MS / 1000;
    still_waits().then(|| message!("its worker has not answered for {seconds} s", seconds))
}
