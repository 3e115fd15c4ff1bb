//! The GPUs that the processes can see: what the machine has, and who hides some of it.

use std::collections::BTreeMap;

use plan::runtime::Launch;

use super::{GpuCount, Starter};
use crate::document::{Document, Value};
use crate::flags::Line;
use crate::input::Machine;
use crate::yaml::Scalar;

/// Who hides GPUs from the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// `CUDA_VISIBLE_DEVICES`.
    Variable,
    /// `gpu_ids`, by flag or in the file, which outranks the variable.
    GpuIds,
}

/// The list of GPUs that the launcher is given: a flag before the file; `all` is none.
pub fn ids(document: Option<&Document>, line: &Line) -> Option<String> {
    let written = || match document?.get("gpu_ids")? {
        Value::Scalar(Scalar::Null) | Value::List(_) | Value::Map(_) => None,
        Value::Scalar(scalar) => Some(scalar.to_string()),
    };
    let ids = line.value("gpu_ids").map(str::to_owned).or_else(written);
    ids.filter(|ids| ids.trim() != "all")
}

/// GPUs in all, and who hides the others.
pub fn gpus(
    machine: Option<&Machine>,
    variables: &BTreeMap<String, String>,
    ids: Option<&str>,
    starter: Starter,
    machines: u64,
) -> (GpuCount, Option<Hidden>) {
    let launched = matches!(starter, Starter::Launch | Starter::PerhapsNotebook);
    let list = match (ids.filter(|_| launched), variables.get("CUDA_VISIBLE_DEVICES")) {
        (Some(ids), _) => Some((ids, Hidden::GpuIds)),
        (None, Some(list)) => Some((list.as_str(), Hidden::Variable)),
        (None, None) => None,
    };
    let has = machine.map(|machine| machine.probe.cuda().map_or(0, <[_]>::len) as u64);
    let nodes = match machine.map(|machine| machine.probe.launch) {
        Some(Launch::Mpi { size, local_size, .. }) => size.div_ceil(local_size.max(1)) as u64,
        Some(Launch::Alone) | None => machines,
    };
    let Some((list, who)) = list else {
        let count = has.map_or(GpuCount::Unsaid, |has| GpuCount::Known(has.saturating_mul(nodes)));
        return (count, None);
    };
    let seen = has.unwrap_or(u64::MAX).min(seen(list, has));
    let hidden = (has != Some(0) && Some(seen) != has).then_some(who);
    (GpuCount::Known(seen.saturating_mul(nodes)), hidden)
}

/// How many GPUs a list leaves; what follows one that is not there is not seen either.
fn seen(list: &str, has: Option<u64>) -> u64 {
    let there = |id: &&str| {
        let id = id.trim();
        match id.parse::<i64>() {
            Ok(index) => u64::try_from(index).is_ok_and(|i| has.is_none_or(|has| i < has)),
            // GPUs and their parts have long names as well.
            Err(_) => id.starts_with("GPU-") || id.starts_with("MIG-"),
        }
    };
    list.split(',').take_while(there).count() as u64
}
