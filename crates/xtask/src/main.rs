//! `cargo xtask`: dispatches a command line to the one file that carries it out.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program talks to its user"
)]

mod bench;
mod child;
mod cli;
mod cuda;
mod golden;
mod lessons;
mod seal;
mod serve;
mod setup;
mod site;
mod size;
mod static_files;
mod test;
mod tidy;
mod toolbox;
mod translations;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Setup(args) => setup::run(&args),
        Command::Build(args) => site::run(&args),
        Command::Seal(args) => seal::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Size(args) => size::run(&args),
        Command::Golden(args) => golden::run(&args),
        Command::Cuda(args) => cuda::run(&args),
        Command::Tidy => tidy::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
