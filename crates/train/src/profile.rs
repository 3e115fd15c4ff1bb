//! A rank's steps with the log of its operations on.

use plan::profile::{Kind, Operation, Profile};

use crate::{Result, Trainer};

impl Trainer {
    /// Trains `steps` steps together with the other ranks and tells where their time went, by
    /// `clock`: nanoseconds since any moment. What evaluations do is part of it.
    pub async fn profile(
        &mut self,
        steps: u32,
        clock: impl Fn() -> u64 + Clone + 'static,
    ) -> Result<Profile> {
        kernels::profile::begin(clock.clone());
        let start = clock();
        let mut result = Ok(());
        for _ in 0..steps {
            result = self.step().await.map(|_| ());
            if result.is_err() {
                break;
            }
        }
        let seconds = mean(clock().saturating_sub(start), steps) * 1e-9;
        // The log ends with an error as well.
        let spent = kernels::profile::end();
        result?;
        let mut operations: Vec<_> = spent.into_iter().map(|spent| told(&spent, steps)).collect();
        operations.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Ok(Profile { steps, seconds, operations })
    }
}

fn told(spent: &kernels::profile::Spent, steps: u32) -> Operation {
    Operation {
        operation: format!("{} {}", spent.purpose, spent.name).trim_start().to_owned(),
        kind: match spent.kind {
            kernels::profile::Kind::Kernel => Kind::Kernel,
            kernels::profile::Kind::Exchange => Kind::Exchange,
            kernels::profile::Kind::Upkeep => Kind::Upkeep,
        },
        count: mean(spent.count, steps),
        seconds: mean(spent.nanoseconds, steps) * 1e-9,
        gflop: mean(spent.flop, steps) * 1e-9,
    }
}

fn mean(sum: u64, steps: u32) -> f64 {
    sum as f64 / f64::from(steps.max(1))
}
