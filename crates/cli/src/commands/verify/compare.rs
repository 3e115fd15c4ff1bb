//! How far the ranks' tensors are from the reference's.

use candle_core::{DType, Result, Tensor};
use model::reference::Outcome;
use plan::{Axis, Rank, RunPlan};
use serde::Serialize;
use train::Gradients;

use crate::device::Devices;

/// The largest relative norm of a difference that rounding to f32 explains on the CPU.
const CPU_LIMIT: f64 = 1e-5;
/// The same on a GPU, whose sums of many terms run in another order in every kernel.
const GPU_LIMIT: f64 = 1e-4;

/// What the ranks on `devices` are held to.
pub fn limit(devices: &Devices) -> f64 {
    if devices.is_cpu() { CPU_LIMIT } else { GPU_LIMIT }
}

/// A tensor by name and its distance from the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// `loss`, `logits`, or a parameter whose gradient it is.
    pub name: String,
    /// ||a - b|| / ||b||; 0 where both are 0. The largest over the ranks.
    pub rel_norm: f64,
}

impl Comparison {
    /// Whether rounding to f32 explains the distance.
    pub fn is_close(&self, limit: f64) -> bool {
        self.rel_norm <= limit
    }
}

/// Loss, logits, then each gradient by its parameter's name in `names`.
pub fn all(
    plan: &RunPlan,
    names: &[String],
    ranks: &[Gradients],
    reference: &Outcome,
) -> Result<Vec<Comparison>> {
    let mut all = vec![
        comparison("loss", ranks.iter().map(|rank| Ok(relative(&[rank.loss], &[reference.loss]))))?,
        comparison("logits", [logits(plan, ranks, &reference.logits)])?,
    ];
    for (index, name) in names.iter().enumerate() {
        let expected = values(&reference.gradients[index])?;
        let each =
            ranks.iter().map(|rank| Ok(relative(&values(&rank.gradients[index])?, &expected)));
        all.push(comparison(name, each)?);
    }
    Ok(all)
}

/// The tensor that is farthest off; one that is not a number is farther than any.
pub fn worst(all: &[Comparison]) -> &Comparison {
    let farther = |a: &&Comparison, b: &&Comparison| a.rel_norm.total_cmp(&b.rel_norm);
    all.iter().max_by(farther).expect("there is always a loss to compare")
}

fn comparison(name: &str, each: impl IntoIterator<Item = Result<f64>>) -> Result<Comparison> {
    let norms = each.into_iter().map(|norm| Ok(norm?.abs())).collect::<Result<Vec<_>>>()?;
    // By this order one that is not a number is the largest.
    let rel_norm = norms.into_iter().max_by(f64::total_cmp).unwrap_or(f64::NAN);
    Ok(Comparison { name: name.to_owned(), rel_norm })
}

/// The ranks' logits put back in the order of the whole sequences, beside the reference's.
fn logits(plan: &RunPlan, ranks: &[Gradients], reference: &Tensor) -> Result<f64> {
    let config = plan.config();
    let (mesh, sequence) = (plan.mesh(), plan.attention().sequence());
    let rows: Vec<Vec<Vec<f64>>> = ranks
        .iter()
        .map(|rank| rank.logits.to_dtype(DType::F64)?.to_vec2())
        .collect::<Result<_>>()?;
    let local_len = sequence.local_len();
    let mut whole = Vec::new();
    for dp in 0..config.dp {
        let members: Vec<Rank> =
            mesh.world().ranks().filter(|&rank| mesh.coordinate(rank, Axis::Dp) == dp).collect();
        for index in 0..config.batch {
            // A rank lays its slices of the batch end to end.
            let slices: Vec<Vec<(usize, usize)>> = members
                .iter()
                .map(|rank| (0..local_len).map(|i| (rank.index(), index * local_len + i)).collect())
                .collect();
            for (rank, row) in sequence.unshard(&slices) {
                whole.extend_from_slice(&rows[rank][row]);
            }
        }
    }
    Ok(relative(&whole, &values(reference)?))
}

fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

fn relative(got: &[f64], expected: &[f64]) -> f64 {
    if got.len() != expected.len() {
        return f64::NAN;
    }
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
    let difference = norm(&mut got.iter().zip(expected).map(|(a, b)| a - b));
    if difference == 0.0 {
        return 0.0;
    }
    difference / norm(&mut expected.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_relative() {
        assert_eq!(relative(&[0.0], &[0.0]), 0.0);
        assert_eq!(relative(&[3.0, 5.0], &[3.0, 4.0]), 0.2);
        assert_eq!(relative(&[1.0], &[0.0]), f64::INFINITY);
        assert!(relative(&[1.0], &[1.0, 2.0]).is_nan());
    }

    #[test]
    fn what_is_not_a_number_is_the_worst() {
        let named = |name: &str, each: [f64; 3]| comparison(name, each.map(Ok)).expect("numbers");
        let all = [
            named("near", [1e-7, -3e-7, 0.0]),
            named("lost", [1e-7, f64::NAN, 1.0]),
            named("far", [0.0, f64::INFINITY, 1.0]),
        ];
        assert_eq!(worst(&all).name, "lost");
        assert_eq!(worst(&all[..1]).rel_norm, 3e-7);
    }
}
