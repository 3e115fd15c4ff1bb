//! `cargo xtask build`: the page as a folder of static files, bundled by Trunk.

use std::{
    fs, io,
    path::{Path, PathBuf, absolute},
};

use anyhow::{Context, Result};

use crate::{
    child, lessons, seal,
    setup::{self, Fetch, Need},
    toolbox::Toolbox,
    translations, workspace,
};

/// Flags of `cargo xtask build`.
#[derive(clap::Args)]
pub struct Args {
    /// Path or URL below which the page will be served, for example /sub/dir/
    ///
    /// The default makes every address in the page relative, which works below any path.
    #[arg(long, default_value = "./", value_name = "URL")]
    public_url: String,
    /// Folder that receives the files; what is in it is replaced [default: dist at the root]
    #[arg(long, value_name = "DIR")]
    dist: Option<PathBuf>,
    /// Uses the network for nothing: works, or names the tool and version that is missing
    #[arg(long)]
    offline: bool,
}

/// One build of the page.
pub struct Site<'a> {
    /// Absolute folder that receives the files.
    pub dist: &'a Path,
    /// Path or URL below which the page will be served.
    pub public_url: &'a str,
    /// Whether crates may be downloaded.
    pub fetch: Fetch,
}

/// Where the page is built unless told otherwise.
pub fn default_dist() -> PathBuf {
    workspace::root().join("dist")
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let fetch = Fetch::unless(args.offline);
    let toolbox = setup::ensure(&[Need::Page], fetch)?;
    // Relative to the caller's folder, while Trunk runs at the root.
    let dist = match &args.dist {
        Some(dist) => absolute(dist).with_context(|| format!("--dist {}", dist.display()))?,
        None => default_dist(),
    };
    build(&toolbox, &Site { dist: &dist, public_url: &args.public_url, fetch })?;
    println!("The page is in {}", dist.display());
    Ok(())
}

/// Builds the page with tools that are known to be there.
pub fn build(toolbox: &Toolbox, site: &Site) -> Result<()> {
    // First, since a mistake in a lesson is found in a second.
    let lessons = lessons::compiled(&workspace::root().join("web/lessons"))?;
    forget_old_bindings()?;
    let mut command = toolbox.wasm("trunk");
    command.args(["build", "--release", "--locked", "--skip-version-check"]);
    command.arg("--dist").arg(site.dist).arg("--public-url").arg(site.public_url);
    if site.fetch == Fetch::Forbidden {
        command.arg("--offline");
    }
    // Trunk 0.21 takes only `true` and `false` for NO_COLOR and refuses to start otherwise.
    command.env_remove("NO_COLOR").env("TRUNK_COLOR", "never");
    // Trunk's own backtrace would push the compiler's error out of the last lines.
    command.env("RUST_BACKTRACE", "0");
    child::condensed("Building the page (minutes the first time)", command)
        .context("could not build the page")?;
    lessons.write(site.dist)?;
    translations::write(site.dist)?;
    seal::seal(site.dist).map(drop)
}

/// Trunk copies every snippet it finds among the bindings, those of versions long gone too, so two
/// builds of one tree could differ.
fn forget_old_bindings() -> Result<()> {
    let folder = workspace::target().join("wasm-bindgen");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
