//! The built page on a static host: a good one, or one that is broken in a chosen way.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

const POISONED: &str = "no task panics while it holds the list";

/// What a host does to one of the page's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// Hosts of single-page apps answer with their index page to whatever they do not know.
    Html,
    /// The answer takes until [`Site::release`].
    Held,
    /// It is of another build, as a cache would have it after a deploy.
    Stale,
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
    /// Whether the page's own content security policy also comes as a header, of every file.
    pub policy: bool,
}

/// A running server; it ends when this is dropped.
pub struct Site {
    port: u16,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// Where somebody's course page is.
const COURSE: &str = "/course";

/// Where a browser reports what a policy did not allow.
const VIOLATIONS: &str = "/violations";

struct Shared {
    dist: Mutex<PathBuf>,
    hosting: Hosting,
    released: watch::Sender<bool>,
    out_of_order: AtomicBool,
    asked: Mutex<Vec<String>>,
    not_found: Mutex<Vec<String>>,
    violations: Mutex<Vec<String>>,
}

/// The built page: its absence fails a test, it does not skip it.
pub fn dist() -> Result<PathBuf> {
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
    pub async fn serve(hosting: Hosting) -> Result<Self> {
        let shared = Arc::new(Shared {
            dist: Mutex::new(dist()?),
            hosting,
            released: watch::Sender::new(false),
            out_of_order: AtomicBool::new(false),
            asked: Mutex::default(),
            not_found: Mutex::default(),
            violations: Mutex::default(),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { port, shared, accepting })
    }

    /// The page's address, with what stands behind its `#`.
    pub fn url(&self, fragment: &str) -> String {
        format!("http://127.0.0.1:{}{}/#{fragment}", self.port, self.shared.hosting.prefix)
    }

    /// Serves what is in this folder from now on.
    pub fn deploy(&self, dist: &Path) {
        *self.shared.dist.lock().expect(POISONED) = dist.to_owned();
    }

    /// Answers whatever is asked with an error of its own, or as before.
    pub fn set_out_of_order(&self, is_so: bool) {
        self.shared.out_of_order.store(is_so, Ordering::Relaxed);
    }

    /// Ends the server, and every connection to it.
    pub fn stop(&self) {
        self.accepting.abort();
    }

    /// How often a file of the page was asked for.
    pub fn asked(&self, name: &str) -> usize {
        self.shared.asked.lock().expect(POISONED).iter().filter(|asked| *asked == name).count()
    }

    /// What browsers report to have been against the policy.
    pub fn violations(&self) -> Vec<String> {
        self.shared.violations.lock().expect(POISONED).clone()
    }

    /// The address of a course page of another origin, which holds the page in a frame.
    pub fn course(&self, fragment: &str) -> String {
        format!("http://localhost:{}{COURSE}?{}", self.port, self.url(fragment).replace('#', "%23"))
    }

    /// Answers what was held.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// Paths that were asked for and are not there.
    pub fn not_found(&self) -> Vec<String> {
        self.shared.not_found.lock().expect(POISONED).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // They end with this.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        let service = service_fn(move |request| {
            let shared = Arc::clone(&shared);
            async move { Ok::<_, Infallible>(shared.answer(request).await) }
        });
        connections.spawn(async move {
            let stream = TokioIo::new(stream);
            // A browser that hangs up is no fault of the host.
            let _ =
                hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await;
        });
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        if request.uri().path() == VIOLATIONS {
            let body = request.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            let report = String::from_utf8_lossy(&body).into_owned();
            self.violations.lock().expect(POISONED).push(report);
            return Response::default();
        }
        if let (COURSE, Some(frame)) = (request.uri().path(), request.uri().query()) {
            let frame = frame.replace("%23", "#").replace('&', "&amp;");
            let html = format!("<iframe width=\"900\" height=\"700\" src=\"{frame}\"></iframe>");
            let mut response = Response::new(Full::from(html));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
            return response;
        }
        if self.out_of_order.load(Ordering::Relaxed) {
            let mut response = Response::new(Full::from("<p>out of order</p>"));
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
            return response;
        }
        let name = self.name(request.uri().path());
        self.asked.lock().expect(POISONED).extend(name.clone());
        let fault = self.hosting.fault.filter(|(file, _)| name.as_deref() == Some(*file));
        let fault = fault.map(|(_, fault)| fault);
        if fault == Some(Fault::Held) {
            // Nobody else can end the wait: the sender lives as long as the site.
            let _ = self.released.subscribe().wait_for(|released| *released).await;
        }
        let name = match fault {
            Some(Fault::Missing) => None,
            Some(Fault::Html) => Some("index.html".to_owned()),
            Some(Fault::Held | Fault::Stale) | None => name,
        };
        let dist = self.dist.lock().expect(POISONED).clone();
        let file = name.and_then(|name| Some((std::fs::read(dist.join(&name)).ok()?, name)));
        let Some((bytes, name)) = file else {
            self.not_found.lock().expect(POISONED).push(request.uri().to_string());
            let mut response = Response::new(Full::from("it is not here\n"));
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        };
        let mut bytes = self.prepare(&name, bytes);
        if fault == Some(Fault::Stale) {
            make_stale(&mut bytes, request.uri().query().unwrap_or_default());
        }
        let kind = mime_guess::from_path(&name).first_or_octet_stream().to_string();
        let kind = kind.try_into().expect("a media type is plain ASCII");
        let mut response = Response::new(Full::from(bytes));
        response.headers_mut().insert(CONTENT_TYPE, kind);
        if self.hosting.policy {
            let policy = format!("{}; report-uri {VIOLATIONS}", policy_of(&dist));
            let policy = policy.try_into().expect("a policy is plain ASCII");
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    /// The file of the built page that a path means.
    fn name(&self, path: &str) -> Option<String> {
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

/// The content security policy that stands in the page.
fn policy_of(dist: &Path) -> String {
    let html = std::fs::read_to_string(dist.join("index.html")).unwrap_or_default();
    let meta = html.split("http-equiv=\"Content-Security-Policy\"").nth(1);
    let policy = meta.and_then(|meta| meta.split('"').nth(1));
    policy.expect("the page has a policy").to_owned()
}

/// Puts another build id in place of the one that the page asked for.
fn make_stale(bytes: &mut [u8], query: &str) {
    let Some(build) = query.split('&').find_map(|part| part.strip_prefix("build=")) else {
        return;
    };
    let places: Vec<usize> = bytes
        .windows(build.len())
        .enumerate()
        .filter_map(|(at, window)| (window == build.as_bytes()).then_some(at))
        .collect();
    for at in places {
        bytes[at..at + build.len()].fill(b'0');
    }
}
