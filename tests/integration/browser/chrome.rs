//! A Chromium of one's own, driven through chromedriver; both end with it.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;

const START: Duration = Duration::from_secs(30);

/// As root, headless, and without a word to anybody outside.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
];

/// The browser.
pub struct Chrome {
    driver: Child,
    port: u16,
    client: Client,
    _profile: TempDir,
}

fn program(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

impl Chrome {
    /// Starts one.
    pub async fn start() -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let name = program("RINGSIDE_CHROMEDRIVER", "chromedriver");
        let driver = Command::new(&name)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own, so that the browser's many processes end with it.
            .process_group(0)
            .spawn()
            .with_context(|| format!("could not start {name}; RINGSIDE_CHROMEDRIVER names it"))?;
        let profile = tempfile::tempdir()?;
        let mut args: Vec<String> = FLAGS.map(str::to_owned).to_vec();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        let options = json!({
            "args": args,
            "binary": program("RINGSIDE_CHROMIUM", "/usr/bin/chromium"),
        });
        let client = connect(port, options).await;
        let mut driver = driver;
        match client {
            Ok(client) => Ok(Self { driver, port, client, _profile: profile }),
            Err(error) => {
                end(&mut driver);
                Err(error)
            }
        }
    }

    /// The WebDriver session.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Where the driver listens.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        end(&mut self.driver);
    }
}

async fn connect(port: u16, options: Value) -> Result<Client> {
    let url = format!("http://127.0.0.1:{port}");
    let capabilities = [("goog:chromeOptions".to_owned(), options)].into_iter().collect();
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(capabilities);
    let begun = Instant::now();
    loop {
        match builder.connect(&url).await {
            Ok(client) => return Ok(client),
            // The driver needs a moment until it listens.
            Err(_) if begun.elapsed() < START => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(error) => bail!("Chromium did not start; RINGSIDE_CHROMIUM names it: {error}"),
        }
    }
}

/// Ends the driver with all that it has started.
fn end(driver: &mut Child) {
    let group = format!("-{}", driver.id());
    // What has ended already needs no signal.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
    let _ = driver.wait();
}
