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

use std::process::ExitCode;

use args::Command;
use output::Style;

fn main() -> ExitCode {
    let cli = args::parse();
    let style = if cli.json { Style::Json } else { Style::Table };
    let command = cli.command.unwrap_or_default();
    unsafe_env::set_kernel_threads(command.kernel_threads());
    let result = match &command {
        Command::Train(args) => commands::train::run(args, style),
        Command::Verify(args) => commands::verify::run(args, style),
        Command::Inspect(args) => commands::inspect::run(args, style),
        Command::Bench(args) => commands::bench::run(args, style),
        Command::Doctor(args) => commands::doctor::run(args, style),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
