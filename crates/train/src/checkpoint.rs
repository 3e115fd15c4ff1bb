//! A run's state as safetensors bytes: parameters by name, AdamW's moments, steps done.

use std::collections::HashMap;

use candle_core::{Device, Tensor};
use model::{Gpt, GptConfig};
use plan::saved::{ENTRY, Saved, not_finite};
use plan::{Optimizer as Kind, RunPlan};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use crate::optimizer::Optimizer;
use crate::trainer::gpt_config;
use crate::{Result, TrainError};

const FIRST: &str = "adamw.first.";
const SECOND: &str = "adamw.second.";

pub(crate) struct State<'a> {
    pub(crate) names: Vec<String>,
    pub(crate) model: &'a Gpt,
    pub(crate) optimizer: &'a Optimizer,
    pub(crate) steps_done: u32,
}

fn error(what: &str, expected: impl Into<String>, got: impl Into<String>) -> TrainError {
    TrainError::Checkpoint { what: what.to_owned(), expected: expected.into(), got: got.into() }
}

pub(crate) fn to_bytes(state: &State<'_>) -> Result<Vec<u8>> {
    let vars = state.model.vars().iter().map(|var| var.as_tensor().clone());
    let mut tensors: Vec<(String, Tensor)> = state.names.iter().cloned().zip(vars).collect();
    if let Optimizer::AdamW(adam) = state.optimizer {
        for (prefix, moments) in [(FIRST, &adam.first), (SECOND, &adam.second)] {
            for (name, moment) in state.names.iter().zip(moments) {
                tensors.push((format!("{prefix}{name}"), moment.clone()));
            }
        }
    }
    let saved = describe(state.model.config(), state.optimizer.kind(), state.steps_done);
    // One entry: a map of several would be written in another order each time.
    let metadata = HashMap::from([(ENTRY.to_owned(), saved.to_string())]);
    let tensors = tensors.iter().map(|(name, tensor)| (name, tensor));
    safetensors::serialize(tensors, Some(metadata))
        .map_err(|e| error("writing", "safetensors", e.to_string()))
}

/// How many steps the run had done when `bytes` were saved.
pub fn steps_done(bytes: &[u8]) -> Result<u32> {
    Ok(entry(bytes)?.steps_done)
}

/// Whether `plan`'s run can take up `bytes`, before any rank exists.
pub fn check(bytes: &[u8], plan: &RunPlan) -> Result<()> {
    open(bytes, &gpt_config(plan), plan.config().optimizer).map(|_| ())
}

/// The file and its steps done, once every tensor that the run needs was seen in it.
fn open<'a>(
    bytes: &'a [u8],
    config: &GptConfig,
    optimizer: Kind,
) -> Result<(SafeTensors<'a>, u32)> {
    let saved = entry(bytes)?;
    let expected = describe(config, optimizer, saved.steps_done);
    if saved != expected {
        return Err(error("run", expected.network(), saved.network()));
    }
    let file = SafeTensors::deserialize(bytes)
        .map_err(|e| error("file", "a safetensors file", e.to_string()))?;
    let prefixes = match optimizer {
        Kind::Sgd => &[""][..],
        Kind::Adamw => &["", FIRST, SECOND],
    };
    for (name, shape) in config.parameters() {
        for prefix in prefixes {
            view(&file, &format!("{prefix}{name}"), &shape)?;
        }
    }
    Ok((file, saved.steps_done))
}

fn describe(c: &GptConfig, optimizer: Kind, steps_done: u32) -> Saved {
    let &GptConfig { layers, d_model, heads, kv_heads, .. } = c;
    Saved { steps_done, layers, d_model, heads, kv_heads, optimizer }
}

/// What the file says of itself.
fn entry(bytes: &[u8]) -> Result<Saved> {
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|e| error("file", "a safetensors file", e.to_string()))?;
    let text = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
    let text = text.ok_or_else(|| error(ENTRY, "an entry", "none: not a Ringside checkpoint"))?;
    text.parse().map_err(|_| error(ENTRY, "steps_done=NUMBER; and the run", text))
}

/// Puts the state into `model` and `optimizer` and returns the steps done. Everything is read and
/// checked first, so an error leaves both as they were.
pub(crate) fn restore(bytes: &[u8], model: &Gpt, optimizer: &mut Optimizer) -> Result<u32> {
    let (file, steps_done) = open(bytes, model.config(), optimizer.kind())?;
    let parameters = model.config().parameters();
    let read_all = |prefix: &str| {
        parameters
            .iter()
            .map(|(name, shape)| read(&file, &format!("{prefix}{name}"), shape, model))
            .collect::<Result<Vec<_>>>()
    };
    let values = read_all("")?;
    if let Optimizer::AdamW(adam) = optimizer {
        (adam.first, adam.second) = (read_all(FIRST)?, read_all(SECOND)?);
        adam.updates = steps_done;
    }
    for (var, value) in model.vars().iter().zip(&values) {
        var.set(value)?;
    }
    Ok(steps_done)
}

/// The tensor of that name, in f32, of that shape, and of finite numbers alone.
fn view<'a>(file: &SafeTensors<'a>, name: &str, shape: &[usize]) -> Result<TensorView<'a>> {
    let expected = || format!("F32 {shape:?}");
    let view = file.tensor(name).map_err(|_| error(name, expected(), "no such tensor"))?;
    if view.shape() != shape || view.dtype() != safetensors::Dtype::F32 {
        return Err(error(name, expected(), format!("{:?} {:?}", view.dtype(), view.shape())));
    }
    if let Some((first, count)) = not_finite(view.data()) {
        return Err(TrainError::NotFinite { tensor: name.to_owned(), count, first });
    }
    Ok(view)
}

fn read(file: &SafeTensors<'_>, name: &str, shape: &[usize], model: &Gpt) -> Result<Tensor> {
    let view = view(file, name, shape)?;
    let values: Vec<f32> = view
        .data()
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let tensor = Tensor::from_vec(values, shape, &Device::Cpu)?;
    Ok(tensor.to_device(model.vars()[0].device())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::RunConfig;
    use plan::saved::OF_OPTIMIZER;

    #[test]
    fn numbers_that_are_none_are_refused_by_name_and_place() {
        let config = RunConfig { optimizer: Kind::Sgd, ..RunConfig::default() };
        let plan = RunPlan::new(config).expect("a possible run");
        let bytes = |broken: Option<f32>| {
            let parameters = gpt_config(&plan).parameters().into_iter().enumerate();
            let tensors = parameters.map(|(at, (name, shape))| {
                let mut values = vec![0.5f32; shape.iter().product()];
                if let Some(broken) = broken.filter(|_| at == 1) {
                    values[3] = broken;
                    values[5] = broken;
                }
                let tensor = Tensor::from_vec(values, shape, &Device::Cpu).expect("its own shape");
                (name, tensor)
            });
            let saved = Saved::of(plan.config(), 7).to_string();
            let metadata = HashMap::from([(ENTRY.to_owned(), saved)]);
            safetensors::serialize(tensors, Some(metadata)).expect("it is written")
        };
        check(&bytes(None), &plan).expect("all numbers are finite");
        assert!([FIRST, SECOND].iter().all(|moment| moment.starts_with(OF_OPTIMIZER)));
        for broken in [f32::NAN, f32::INFINITY] {
            let error = check(&bytes(Some(broken)), &plan).expect_err("it is refused").to_string();
            let (name, _) = &gpt_config(&plan).parameters()[1];
            let expect = format!("checkpoint, {name}: 2 numbers are NaN or infinite, the first at");
            assert!(error.contains(&expect) && error.contains("index 3"), "{error}");
        }
    }
}
