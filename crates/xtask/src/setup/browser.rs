//! Chromium and the WebDriver that fits it.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{Fetch, Tool, apt};
use crate::{child, toolbox::Toolbox};

/// One of the two programs, under the names that systems give it.
struct Program {
    title: &'static str,
    variable: &'static str,
    names: &'static [&'static str],
    /// Where it is on systems that put applications elsewhere than on PATH.
    places: &'static [&'static str],
}

const CHROMIUM: Program = Program {
    title: "chromium",
    variable: "RINGSIDE_CHROMIUM",
    names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    places: &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
};

const CHROMEDRIVER: Program = Program {
    title: "chromedriver",
    variable: "RINGSIDE_CHROMEDRIVER",
    names: &["chromedriver", "chromium.chromedriver"],
    places: &["/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"],
};

/// A browser without a font draws boxes, and Debian's Chromium only recommends one.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-liberation"];

/// Makes sure of both programs and tells the browser tests where they are.
pub fn ensure(toolbox: &mut Toolbox, fetch: Fetch) -> Result<[Tool; 2]> {
    let installed = CHROMIUM.find()?.is_none() || CHROMEDRIVER.find()?.is_none();
    if installed {
        install(fetch)?;
    }
    let chromium = CHROMIUM.found(installed)?;
    let chromedriver = CHROMEDRIVER.found(installed)?;
    let (browser, driver) = (major(&chromium.name), major(&chromedriver.name));
    if browser != driver {
        bail!(
            "{} and {} do not fit together: install versions with the same first number, or name \
             them with {} and {}",
            chromium.name,
            chromedriver.name,
            CHROMIUM.variable,
            CHROMEDRIVER.variable
        );
    }
    toolbox.add_browser_variable(CHROMIUM.variable, &chromium.place);
    toolbox.add_browser_variable(CHROMEDRIVER.variable, &chromedriver.place);
    Ok([chromium, chromedriver])
}

fn install(fetch: Fetch) -> Result<()> {
    let missing: Vec<_> = [CHROMIUM, CHROMEDRIVER]
        .into_iter()
        .filter(|program| !matches!(program.find(), Ok(Some(_))))
        .map(|program| format!("{} (or set {})", program.title, program.variable))
        .collect();
    let missing = missing.join(" and ");
    if fetch == Fetch::Forbidden {
        bail!("{missing} is missing and --offline forbids to install it");
    }
    if !apt::is_available() {
        bail!(
            "{missing} is missing: install Chromium or Chrome with a chromedriver of its version"
        );
    }
    apt::install(&PACKAGES).with_context(|| format!("{missing} is missing"))
}

impl Program {
    fn find(&self) -> Result<Option<PathBuf>> {
        if let Some(named) = env::var_os(self.variable) {
            let named = PathBuf::from(named);
            if !named.is_file() {
                bail!("{} names {}, where no file is", self.variable, named.display());
            }
            return Ok(Some(named));
        }
        let on_path = self.names.iter().filter_map(|name| which::which(name).ok());
        let in_place = self.places.iter().map(Path::new).filter(|place| place.is_file());
        Ok(on_path.chain(in_place.map(Path::to_path_buf)).next())
    }

    fn found(&self, installed: bool) -> Result<Tool> {
        let place = self.find()?.with_context(|| format!("{} is still missing", self.title))?;
        let mut command = Command::new(&place);
        command.arg("--version");
        let version = version_word(&child::read(command)?).unwrap_or_else(|| "?".to_owned());
        let name = format!("{} {version}", self.title);
        Ok(Tool { name, place: place.display().to_string(), installed })
    }
}

/// The version in an answer like `Chromium 156.0.8078.114 built on Debian GNU/Linux 12`.
fn version_word(answer: &str) -> Option<String> {
    answer
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

/// The first number of the version in `chromium 156.0.8078.114`: browser and driver must share it.
fn major(name: &str) -> Option<String> {
    Some(version_word(name)?.split('.').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_found_in_both_answers() {
        let chromium = "Chromium 156.0.8078.114 built on Debian GNU/Linux 12 (bookworm)";
        assert_eq!(version_word(chromium).as_deref(), Some("156.0.8078.114"));
        let driver = "ChromeDriver 156.0.8078.114 (93f1-refs/branch-heads/8078@{#1})";
        assert_eq!(version_word(driver).as_deref(), Some("156.0.8078.114"));
        assert_eq!(version_word("no version"), None);
    }

    #[test]
    fn major_is_the_first_number() {
        assert_eq!(major("chromium 156.0.8078.114"), Some("156".to_owned()));
        assert_eq!(major("chromium ?"), None);
    }
}
