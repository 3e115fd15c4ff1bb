//! Runs the laws of the collectives on a world that mpirun started:
//! `mpirun -n 4 mpi_conformance`; rank 0 prints, and any broken law ends it with an error.

use std::process::ExitCode;
use std::time::Duration;

use comm::mpi::MpiGroup;
use comm::{ProcessGroup, conformance};

fn main() -> ExitCode {
    let group = match MpiGroup::start(Duration::from_secs(20)) {
        Ok(group) => group,
        Err(refusal) => return fail(&refusal.to_string()),
    };
    let outcomes = futures::executor::block_on(conformance::run(&group));
    for (law, outcome) in &outcomes {
        if let Err(seen) = outcome {
            return fail(&format!("rank {}: {law}: {seen}", group.rank()));
        }
    }
    if group.rank().index() == 0 {
        say(&format!("{} laws hold on {} ranks", outcomes.len(), group.size()));
    }
    ExitCode::SUCCESS
}

#[allow(clippy::print_stdout, reason = "a program's result")]
fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "a program's error")]
fn fail(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::FAILURE
}
