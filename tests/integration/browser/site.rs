//! The built page on a static host: a good one, or one that is broken in a chosen way.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use tiny_http::{Header, Request, Response, Server};

/// More than the connections of one browser, so that a held answer blocks no other.
const THREADS: usize = 12;

const POISONED: &str = "no thread panics while it holds the list";

/// What a host does to one of the page's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// Hosts of single-page apps answer with their index page to whatever they do not know.
    Html,
    /// The answer takes until [`Site::release`].
    Held,
}

/// How the page is served.
#[derive(Clone, Debug, Default)]
pub struct Hosting {
    /// The path below which it lies: empty, or like `/sub/dir`.
    pub prefix: &'static str,
    /// What is wrong with which file.
    pub fault: Option<(&'static str, Fault)>,
    /// A script that runs before the page's own.
    pub script: Option<&'static str>,
}

/// A running server; it ends when this is dropped.
pub struct Site {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
    port: u16,
}

struct Shared {
    dist: PathBuf,
    hosting: Hosting,
    released: AtomicBool,
    not_found: Mutex<Vec<String>>,
}

/// The built page: its absence fails a test, it does not skip it.
fn dist() -> Result<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let dist = std::env::var_os("RINGSIDE_DIST").map_or(built, PathBuf::from);
    ensure!(
        dist.join("index.html").is_file(),
        "there is no built page in {}; `cargo xtask build` makes it, RINGSIDE_DIST names another",
        dist.display()
    );
    Ok(dist)
}

impl Site {
    /// Serves the built page.
    pub fn serve(hosting: Hosting) -> Result<Self> {
        let shared = Arc::new(Shared {
            dist: dist()?,
            hosting,
            released: AtomicBool::new(false),
            not_found: Mutex::default(),
        });
        let server = Server::http((Ipv4Addr::LOCALHOST, 0)).map_err(|error| anyhow!(error))?;
        let port = server.server_addr().to_ip().map_or(0, |address| address.port());
        let server = Arc::new(server);
        let threads = (0..THREADS)
            .map(|_| {
                let (server, shared) = (Arc::clone(&server), Arc::clone(&shared));
                thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        shared.answer(request);
                    }
                })
            })
            .collect();
        Ok(Self { server, threads, shared, port })
    }

    /// The page's address, with what stands behind its `#`.
    pub fn url(&self, fragment: &str) -> String {
        format!("http://127.0.0.1:{}{}/#{fragment}", self.port, self.shared.hosting.prefix)
    }

    /// Answers what was held.
    pub fn release(&self) {
        self.shared.released.store(true, Ordering::SeqCst);
    }

    /// Paths that were asked for and are not there.
    pub fn not_found(&self) -> Vec<String> {
        self.shared.not_found.lock().expect(POISONED).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.release();
        self.threads.iter().for_each(|_| self.server.unblock());
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn answer(&self, request: Request) {
        let url = request.url().to_owned();
        let name = self.name(&url);
        let fault = self.hosting.fault.filter(|(file, _)| name.as_deref() == Some(*file));
        while fault.is_some_and(|(_, fault)| fault == Fault::Held)
            && !self.released.load(Ordering::SeqCst)
        {
            thread::sleep(Duration::from_millis(20));
        }
        let name = match fault {
            Some((_, Fault::Missing)) => None,
            Some((_, Fault::Html)) => Some("index.html".to_owned()),
            Some((_, Fault::Held)) | None => name,
        };
        let file = name.and_then(|name| Some((fs::read(self.dist.join(&name)).ok()?, name)));
        // A reader that went away is no fault of the host.
        let _ = match file {
            Some((bytes, name)) => {
                let kind = mime_guess::from_path(&name).first_or_octet_stream();
                let header = Header::from_bytes("Content-Type", kind.to_string())
                    .expect("a media type is plain ASCII");
                request.respond(Response::from_data(self.prepare(&name, bytes)).with_header(header))
            }
            None => {
                self.not_found.lock().expect(POISONED).push(url);
                request.respond(Response::from_string("it is not here\n").with_status_code(404))
            }
        };
    }

    /// The file of the built page that a URL means.
    fn name(&self, url: &str) -> Option<String> {
        let path = url.split(['?', '#']).next()?;
        let path = path.strip_prefix(self.hosting.prefix)?.strip_prefix('/')?;
        let path = if path.is_empty() { "index.html" } else { path };
        let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        plain.then(|| path.to_owned())
    }

    fn prepare(&self, name: &str, bytes: Vec<u8>) -> Vec<u8> {
        match (self.hosting.script, name) {
            (Some(script), "index.html") => {
                let html = String::from_utf8_lossy(&bytes);
                html.replacen("<head>", &format!("<head><script>{script}</script>"), 1).into_bytes()
            }
            _ => bytes,
        }
    }
}
