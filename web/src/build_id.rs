//! Which sources a binary was built from, so that page and worker know each other.

/// A hash of the sources, the same in both binaries of one build.
pub const BUILD_ID: &str = env!("RINGSIDE_BUILD");
