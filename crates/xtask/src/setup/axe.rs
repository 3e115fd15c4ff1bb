//! axe-core, which the browser tests hold the page's accessibility to: one file of an npm package.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::{Fetch, Tool, cargo_tool::cache};
use crate::{child, toolbox::Toolbox};

/// Rules change with it, so it is raised on purpose, with the checksum.
const VERSION: &str = "4.14.1";
/// Of the package as the registry hands it out.
const SHA256: &str = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745";
/// The script within the package.
const SCRIPT: &str = "package/axe.min.js";
/// Names a script in place of the one that is fetched.
const VARIABLE: &str = "RINGSIDE_AXE";

/// Makes sure of the script and tells the browser tests where it is.
pub fn ensure(toolbox: &mut Toolbox, fetch: Fetch) -> Result<Tool> {
    let (place, installed) = match env::var_os(VARIABLE).map(PathBuf::from) {
        Some(named) => {
            ensure!(named.is_file(), "{VARIABLE} names {}, where no file is", named.display());
            (named, false)
        }
        None => fetched(fetch)?,
    };
    toolbox.add_browser_variable(VARIABLE, &place);
    Ok(Tool { name: format!("axe-core {VERSION}"), place: place.display().to_string(), installed })
}

/// The script in the cache and whether it had to be fetched.
fn fetched(fetch: Fetch) -> Result<(PathBuf, bool)> {
    let folder = cache()?.join("tools").join(format!("axe-core-{VERSION}"));
    let (archive, script) = (folder.join("axe-core.tgz"), folder.join(SCRIPT));
    if script.is_file() {
        return Ok((script, false));
    }
    let url = format!("https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz");
    let missing =
        format!("axe-core {VERSION} is missing: {VARIABLE} may name the axe.min.js of {url}");
    if fetch == Fetch::Forbidden {
        bail!("{missing}; --offline forbids to fetch it");
    }
    fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--output"]);
    curl.arg(&archive).arg(&url);
    child::condensed(&format!("Fetching axe-core {VERSION}"), curl).context(missing)?;
    let bytes =
        fs::read(&archive).with_context(|| format!("could not read {}", archive.display()))?;
    check(&bytes, SHA256).with_context(|| format!("{url} is not what it was"))?;
    unpack(&archive, &folder)?;
    ensure!(script.is_file(), "{url} holds no {SCRIPT}");
    Ok((script, true))
}

fn check(bytes: &[u8], expected: &str) -> Result<()> {
    let got: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(got == expected, "its SHA-256 is {got}, expected {expected}");
    Ok(())
}

fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(archive).arg("-C").arg(folder).arg(SCRIPT);
    child::read(tar).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pinned_bytes_are_taken() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(check(b"", empty).is_ok());
        let error = check(b"another", empty).unwrap_err().to_string();
        assert!(error.contains(empty), "{error}");
    }
}
