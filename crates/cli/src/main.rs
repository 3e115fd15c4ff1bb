//! The `ringside` command: parses the line, runs one command, turns its end into an exit code.

mod args;
mod commands;
mod config_file;
mod device;
mod failure;
mod interrupt;
mod job;
mod output;
mod probe;
mod ranks;
mod unsafe_env;
mod unsafe_malloc;

use std::process::ExitCode;

use args::{Cli, Command, FaultArg};
use output::Style;

fn main() -> ExitCode {
    unsafe_malloc::keep_memory();
    match run(args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let style = if cli.json { Style::Json } else { Style::Table };
    let mut command = cli.command.unwrap_or_default();
    if let Some(run) = command.run_mut() {
        config_file::complete(run)?;
        if run.fault == Some(FaultArg::List) {
            return commands::faults::run(style);
        }
    }
    if let Some(threads) = command.kernel_threads() {
        unsafe_env::set_kernel_threads(threads)?;
    }
    match &command {
        Command::Train(args) => commands::train::run(args, style),
        Command::Verify(args) => commands::verify::run(args, style),
        Command::Inspect(args) => commands::inspect::run(args, style),
        Command::Bench(args) => commands::bench::run(args, style),
        Command::Doctor(args) => commands::doctor::run(args, style),
        Command::Faults => commands::faults::run(style),
    }
}
