//! Where a training step's time goes: what each operation cost, as a value to send and to show.

use serde::{Deserialize, Serialize};

/// Whether an operation is what a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Arithmetic of the model, its gradients or its parameters.
    Kernel,
    /// Messages, and waiting for them.
    Exchange,
    /// What a step would rather do without: copies, new tensors, its own bookkeeping.
    Upkeep,
}

/// What one operation costs in a step, the mean over some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name, and what it is for.
    pub operation: String,
    /// What it is.
    pub kind: Kind,
    /// How often it is done.
    pub count: f64,
    /// How long that takes, operations inside it left out.
    pub seconds: f64,
    /// Billions of floating-point operations of its matrix products.
    pub gflop: f64,
}

/// One rank's step, the mean over some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Steps that it is the mean of.
    pub steps: u32,
    /// How long a step takes.
    pub seconds: f64,
    /// What it does, the longest first.
    pub operations: Vec<Operation>,
}

impl Operation {
    /// Billions of floating-point operations a second; `None` for what has no matrix product.
    pub fn gflops(&self) -> Option<f64> {
        (self.gflop > 0.0 && self.seconds > 0.0).then(|| self.gflop / self.seconds)
    }
}

impl Profile {
    /// Of a step's time, what no operation has told of: events, control, freed memory.
    pub fn rest(&self) -> f64 {
        self.seconds - self.operations.iter().map(|o| o.seconds).sum::<f64>()
    }

    /// Share of the step that operations of `kind` take; upkeep holds the rest as well.
    pub fn share(&self, kind: Kind) -> f64 {
        let told = self.operations.iter().filter(|o| o.kind == kind).map(|o| o.seconds);
        let rest = if kind == Kind::Upkeep { self.rest() } else { 0.0 };
        (told.sum::<f64>() + rest) / self.seconds
    }

    /// Billions of floating-point operations of a step's matrix products.
    pub fn gflop(&self) -> f64 {
        self.operations.iter().map(|o| o.gflop).sum()
    }

    /// The mean over ranks: a rank that does not do an operation counts as one that takes no time
    /// for it. `None` without ranks.
    pub fn mean(ranks: &[Self]) -> Option<Self> {
        let share = 1.0 / ranks.len() as f64;
        let mut operations: Vec<Operation> = Vec::new();
        for new in ranks.iter().flat_map(|rank| &rank.operations) {
            let (count, seconds, gflop) =
                (new.count * share, new.seconds * share, new.gflop * share);
            match operations.iter_mut().find(|known| known.operation == new.operation) {
                Some(known) => {
                    known.count += count;
                    known.seconds += seconds;
                    known.gflop += gflop;
                }
                None => operations.push(Operation { count, seconds, gflop, ..new.clone() }),
            }
        }
        operations.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let seconds = ranks.iter().map(|rank| rank.seconds * share).sum();
        Some(Self { steps: ranks.first()?.steps, seconds, operations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str, kind: Kind, seconds: f64, gflop: f64) -> Operation {
        Operation { operation: name.to_owned(), kind, count: 2.0, seconds, gflop }
    }

    fn profile(seconds: f64, operations: Vec<Operation>) -> Profile {
        Profile { steps: 5, seconds, operations }
    }

    #[test]
    fn the_shares_of_a_step_are_the_whole() {
        let one = profile(
            8.0,
            vec![
                operation("matmul", Kind::Kernel, 4.0, 12.0),
                operation("wait", Kind::Exchange, 1.0, 0.0),
                operation("copy", Kind::Upkeep, 2.0, 0.0),
            ],
        );
        let shares = [Kind::Kernel, Kind::Exchange, Kind::Upkeep].map(|kind| one.share(kind));
        assert_eq!((one.rest(), shares), (1.0, [0.5, 0.125, 0.375]));
        assert_eq!((one.gflop(), one.operations[0].gflops()), (12.0, Some(3.0)));
        assert_eq!(one.operations[1].gflops(), None);
    }

    #[test]
    fn the_mean_over_ranks_takes_what_only_some_do() {
        let one = profile(4.0, vec![operation("copy", Kind::Upkeep, 2.0, 0.0)]);
        let matmul = operation("matmul", Kind::Kernel, 6.0, 3.0);
        let other = profile(6.0, vec![operation("copy", Kind::Upkeep, 4.0, 0.0), matmul]);
        let mean = Profile::mean(&[one, other]).expect("two ranks");
        let halved = Operation { count: 1.0, ..operation("matmul", Kind::Kernel, 3.0, 1.5) };
        let copy = operation("copy", Kind::Upkeep, 3.0, 0.0);
        assert!(mean.operations.contains(&copy) && mean.operations.contains(&halved), "{mean:?}");
        assert_eq!((mean.seconds, mean.steps), (5.0, 5));
        assert_eq!(Profile::mean(&[]), None);
    }
}
