//! The programs under test, built by the cargo that built these tests.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use escargot::CargoBuild;
use escargot::format::Message;

/// What the integration tests' own binary was built with: with other features cargo would compile
/// most of the workspace once more.
const FEATURES: &str = match (cfg!(feature = "mpi"), cfg!(feature = "browser")) {
    (false, false) => "",
    (true, false) => "tests/mpi,cli/mpi,comm/mpi",
    (false, true) => "tests/browser",
    (true, true) => "tests/mpi,cli/mpi,comm/mpi,tests/browser",
};

/// `ringside`; under the feature `mpi` it can run over MPI.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("ringside", |build| build.bin("ringside")))
}

/// Builds what `choose` chooses, beside these tests; the program that is called `name`.
pub fn built(name: &str, choose: fn(CargoBuild) -> CargoBuild) -> PathBuf {
    let build = CargoBuild::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .release()
        .arg("--workspace")
        .features(FEATURES)
        .test("integration");
    let messages = choose(build).exec().unwrap();
    let program = messages.into_iter().find_map(|message| match message.unwrap().decode() {
        Ok(Message::CompilerArtifact(made)) if made.target.name == name => {
            made.executable.map(|path| path.into_owned())
        }
        _ => None,
    });
    program.unwrap_or_else(|| panic!("cargo built no {name}"))
}
