//! How a command's error reaches the person: its text on stderr, its kind as the exit code.

use std::io::Write;
use std::process::ExitCode;

use parallel::{NoContext, ParallelError};
use plan::Refusal;
use train::TrainError;

use crate::ranks::RankFailure;

/// The request cannot be met; clap uses the same code for its own errors.
const BAD_REQUEST: u8 = 2;
/// The run began and did not end well.
const FAILED: u8 = 1;

/// Says what went wrong and returns the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        // Whoever read the output has seen enough, as in `ringside inspect shard | head`.
        return ExitCode::SUCCESS;
    }
    // Nothing is left to do where stderr itself is closed.
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(if is_bad_request(error) { BAD_REQUEST } else { FAILED })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn is_bad_request(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<Refusal>()
            || cause.downcast_ref().is_some_and(is_refused)
            || matches!(cause.downcast_ref(), Some(RankFailure::Train { source, .. }) if is_refused(source))
    })
}

fn is_refused(error: &TrainError) -> bool {
    matches!(
        error,
        TrainError::Refused(_)
            | TrainError::Checkpoint { .. }
            | TrainError::NotFinite { .. }
            | TrainError::Parallel(ParallelError::NoContext(NoContext::Unsupported(_)))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn a_refusal_is_a_bad_request_wherever_it_comes_from() {
        let refusal = || Refusal::new("cp", 0, "it must lie between 1 and 4", "try 1");
        let on_rank = |source| RankFailure::Train { rank: 2, source };
        assert!(is_bad_request(&refusal().into()));
        assert!(is_bad_request(&TrainError::Refused(refusal()).into()));
        assert!(is_bad_request(&on_rank(refusal().into()).into()));
        let no_context = ParallelError::from(NoContext::Unsupported(refusal()));
        assert!(is_bad_request(&on_rank(no_context.into()).into()));
        assert!(is_bad_request(&Err::<(), _>(refusal()).context("train").unwrap_err()));
    }

    #[test]
    fn a_run_that_diverged_is_a_failure() {
        let source = TrainError::Diverged { step: 3, loss: f64::NAN, grad_norm: f64::NAN };
        assert!(!is_bad_request(&RankFailure::Train { rank: 0, source }.into()));
        assert!(!is_bad_request(&anyhow!("the disk is full")));
    }
}
