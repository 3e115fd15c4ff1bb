//! What was compiled into this program.

use plan::runtime::Build;

/// The parts beyond the core that this program has.
pub const fn build() -> Build {
    Build::PLAIN
}
