//! The command line of `cargo xtask`, as types.

use clap::{Parser, Subcommand};

use crate::{bench, cuda, golden, seal, serve, setup, site, size, test};

/// The project's own commands. They run from any folder of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One variant a command, in the order in which a newcomer meets them.
#[derive(Subcommand)]
pub enum Command {
    /// Gets the tools that are missing, and only those
    ///
    /// The wasm32 standard library, Trunk, and wasm-bindgen-cli at Cargo.lock's version. Tools are
    /// installed below the user's cache folder, never over one that is already there. A second run
    /// installs nothing.
    Setup(setup::Args),
    /// Builds the page into a folder of static files
    ///
    /// Runs `setup` first unless --offline is given. The result can be copied to any static host:
    /// it needs no special headers, and by default it works below any path.
    Build(site::Args),
    /// Writes into a built page again which files it is made of
    ///
    /// `build` does it. Needed where a file of the page was changed by hand: the service worker
    /// keeps only what it knows the digest of.
    Seal(seal::Args),
    /// Builds the page and serves it on this machine
    ///
    /// Runs `setup` first. Ctrl-C ends it.
    Serve(serve::Args),
    /// Runs every check, the cheapest first, and stops at the first that fails
    ///
    /// Gets what is missing on the way, the browser included.
    Test(test::Args),
    /// Measures steps per second, natively and in the page, and prints tables
    Bench(bench::Args),
    /// Prints the sizes of the built page's two binaries beside their limits
    ///
    /// Exits with 1 when one is above its limit. Run `cargo xtask build` first.
    Size(size::Args),
    /// Generates the golden tensors in tests/golden again, with PyTorch
    ///
    /// The generated files are committed and the tests read only those, so this is needed only when
    /// tests/golden/generate.py has changed.
    Golden(golden::Args),
    /// Builds `ringside` with CUDA and with NCCL, on a machine with or without a GPU
    ///
    /// Uses the machine's CUDA toolkit, or puts one together from NVIDIA's packages on PyPI, below
    /// the user's cache folder; a second run fetches nothing. The first build compiles candle's
    /// kernels with nvcc, some ten minutes on two cores.
    Cuda(cuda::Args),
    /// Checks the rules of the project that a program can check
    ///
    /// Which crate may depend on which, where unsafe code and clocks may stand, how a file opens and
    /// how long it may be, that the README's commands exist and the architecture's map is complete.
    Tidy,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_flag_has_help() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }
}
