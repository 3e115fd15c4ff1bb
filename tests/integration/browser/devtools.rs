//! What WebDriver has no command for: Chrome's own protocol, through chromedriver.

use anyhow::{Context, Result, ensure};
use fantoccini::Client;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// Gives `command` with `parameters` to the page that `client` drives through the driver on `port`.
pub async fn command(
    port: u16,
    client: &Client,
    command: &str,
    parameters: Value,
) -> Result<Value> {
    let session = client.session_id().await?.context("there is a session")?;
    let body = json!({ "cmd": command, "params": parameters }).to_string();
    let request =
        Request::post(format!("http://127.0.0.1:{port}/session/{session}/goog/cdp/execute"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::<Bytes>::from(body))?;
    let answer =
        legacy::Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    let is_done = answer.status().is_success();
    let bytes = answer.into_body().collect().await?.to_bytes();
    let mut answer: Value = serde_json::from_slice(&bytes)?;
    ensure!(is_done, "{command}: {answer}");
    Ok(answer["value"].take())
}
