//! Where the worker's files are, below whatever path the page is served from.

use web_sys::{Document, Url};

use crate::build_id::BUILD_ID;

/// What a worker does, as its address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One of a run's ranks.
    Rank,
    /// The one-rank reference.
    Reference,
    /// Trains a little that nobody sees, and ends.
    WarmUp,
    /// The doctor, which has a binary of its own.
    Doctor,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Reference => "reference",
            Self::WarmUp => "warm-up",
            Self::Doctor => "doctor",
        }
    }
}

/// The file that loads the other two.
const LOADER: &str = "worker_loader.js";

/// The workers' binary, the doctor's apart.
pub const WORKER: &str = "worker_bg.wasm";

/// The loader's address. The build id keeps files of an earlier deploy out of it: the names of
/// the worker's files stay the same from build to build.
pub fn loader(role: Role) -> String {
    resolve(&format!("{LOADER}?role={}&{}", role.name(), build()))
}

/// Every file that a worker needs, with whether it must be JavaScript.
pub fn files(role: Role) -> [(String, bool); 3] {
    let [script, wasm] = match role {
        Role::Rank | Role::Reference | Role::WarmUp => ["worker.js", WORKER],
        Role::Doctor => ["doctor.js", "doctor_bg.wasm"],
    };
    [(LOADER, true), (script, true), (wasm, false)].map(|(name, is_script)| (file(name), is_script))
}

/// A file of the page whose name stays the same from build to build.
pub fn file(name: &str) -> String {
    resolve(&format!("{name}?{}", build()))
}

/// The address at which the page's frame starts another of its binaries, `name`.
pub fn part(name: &str) -> String {
    resolve(&format!("./?part={name}&{}", build()))
}

/// Which build it is: of what sources, and, in a page that is kept for use without a network, with
/// which files.
fn build() -> String {
    let site = document().and_then(|document| {
        let meta = document.query_selector("meta[name=site]").ok().flatten()?;
        meta.get_attribute("content").filter(|site| !site.is_empty())
    });
    site.map_or_else(|| format!("build={BUILD_ID}"), |site| format!("build={BUILD_ID}&site={site}"))
}

fn resolve(relative: &str) -> String {
    let base = document().and_then(|document| document.base_uri().ok().flatten());
    let base = base.unwrap_or_default();
    // Without a base nothing resolves; the browser's own error will then name what it was given.
    Url::new_with_base(relative, &base).map_or_else(|_| relative.to_owned(), |url| url.href())
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}
