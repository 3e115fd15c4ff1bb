//! The step that other programs train from the same weights: checked to be equal, then timed.
//!
//! A GPT without positions and without a last norm, forward and backward, no optimiser; each token
//! is its own target. The folder's `data/ref.json` says what loss and gradient norm a reference
//! has, by shape, and `data/w_D_HEADS_LAYERS_TOKENS.bin` holds the weights as f32, each of them
//! (in, out).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device, Tensor};
use kernels::linear::{self, Gradient};
use kernels::{cross_entropy, profile::within};
use model::{Gpt, GptConfig, Gradients, Rope};
use parallel::CpContext;
use parallel::grad_sync::Reduction;
use plan::run::ModelShape;
use plan::{Layout, RunConfig, bucket};
use serde::{Deserialize, Serialize};

use crate::args::MachineArgs;
use crate::job::Job;
use crate::output::table;
use crate::ranks::{self, Clock, Seat, Stop};

const RANKS: [usize; 2] = [1, 2];
const WARM_UP: usize = 3;
const STEPS: usize = 20;
/// How far loss and gradient norm may lie from the reference's, relatively.
const LIMIT: f64 = 1e-3;

/// A step of one shape on some ranks.
#[derive(Debug, Serialize)]
pub struct Equal {
    d_model: usize,
    heads: usize,
    layers: usize,
    seq_len: usize,
    world_size: usize,
    loss: f64,
    grad_norm: f64,
    /// The quickest step, of the slowest rank.
    milliseconds: f64,
    /// The mean of the steps, of the slowest rank.
    mean_milliseconds: f64,
}

/// What the reference says of a shape.
#[derive(Debug, Deserialize)]
struct Reference {
    loss: f64,
    gnorm: f64,
    /// Name and shape (in, out) of each weight, in the file's order.
    shapes: Vec<(String, Vec<usize>)>,
}

/// Checks and times every shape in `folder`.
pub fn measure(folder: &Path) -> Result<Vec<Equal>> {
    let path = folder.join("data/ref.json");
    let named = || format!("the peers' reference, {}", path.display());
    let text = std::fs::read_to_string(&path).with_context(named)?;
    let references: BTreeMap<String, Reference> =
        serde_json::from_str(&text).with_context(named)?;
    let mut all = Vec::new();
    for (key, reference) in &references {
        let weights = folder.join(format!("data/w_{key}.bin"));
        let bytes = std::fs::read(&weights).with_context(|| weights.display().to_string())?;
        let case = Case::new(key, reference, &bytes).with_context(|| key.clone())?;
        for world_size in RANKS {
            let equal = case.measure(world_size)?;
            for (what, got, expected) in [
                ("loss", equal.loss, reference.loss),
                ("gradient norm", equal.grad_norm, reference.gnorm),
            ] {
                ensure!(
                    (got - expected).abs() <= LIMIT * expected.abs(),
                    "{key} on {world_size} ranks is not equal work: its {what} is {got}, the \
                     reference's {expected}"
                );
            }
            all.push(equal);
        }
    }
    Ok(all)
}

/// One shape with its weights, (out, in) and in the order of [`GptConfig::parameters`].
struct Case {
    config: GptConfig,
    seq_len: usize,
    weights: Vec<Vec<f32>>,
}

impl Case {
    fn new(key: &str, reference: &Reference, bytes: &[u8]) -> Result<Self> {
        let sizes: Vec<usize> = key.split('_').map(str::parse).collect::<Result<_, _>>()?;
        let &[d_model, heads, layers, seq_len] = sizes.as_slice() else {
            anyhow::bail!("expected width, heads, layers and tokens");
        };
        let mut named = BTreeMap::new();
        let mut rest = bytes;
        for (name, shape) in &reference.shapes {
            let len = 4 * shape.iter().product::<usize>();
            let (own, behind) = rest.split_at_checked(len).context("the weights end too early")?;
            rest = behind;
            let numbers = own.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            named.insert(name.as_str(), (shape.as_slice(), numbers.collect::<Vec<_>>()));
        }
        let vocab = named.get("emb").context("no weight `emb`")?.0[0];
        let config = GptConfig::new(vocab, d_model, heads, heads, layers);
        let mut weights = Vec::new();
        for (ours, shape) in config.parameters() {
            let theirs = match ours.split('.').collect::<Vec<_>>().as_slice() {
                ["embed", _] => "emb".to_owned(),
                ["head", _] => "head".to_owned(),
                ["norm", _] => {
                    weights.push(vec![1.0; d_model]);
                    continue;
                }
                ["layers", layer, part @ .., _] => {
                    let name = match part {
                        ["attn_norm"] => "n1",
                        ["attn", "qkv"] => "qkv",
                        ["attn", "out"] => "o",
                        ["mlp_norm"] => "n2",
                        ["mlp", "up"] => "up",
                        _ => "dn",
                    };
                    format!("{name}.{layer}")
                }
                _ => ours.clone(),
            };
            let (at, numbers) =
                named.remove(theirs.as_str()).with_context(|| format!("no weight `{theirs}`"))?;
            let turned = match (at, shape.as_slice()) {
                (at, shape) if at == shape && theirs == "emb" => numbers,
                (&[len], &[expected]) if len == expected => numbers,
                (&[rows, cols], &[o, i]) if (rows, cols) == (i, o) => transposed(&numbers, cols),
                (at, shape) => {
                    anyhow::bail!("`{theirs}` is {at:?}, expected (in, out) of {shape:?}")
                }
            };
            weights.push(turned);
        }
        Ok(Self { config, seq_len, weights })
    }

    fn measure(&self, world_size: usize) -> Result<Equal> {
        let GptConfig { d_model, heads, layers, .. } = self.config;
        let (seq_len, layout, cp) = (self.seq_len, Layout::Zigzag, world_size);
        let default = RunConfig::default();
        let run = RunConfig { d_model, heads, layers, seq_len, layout, cp, ..default };
        let job = Job::of(run, &MachineArgs::CPU)?;
        let ranks =
            ranks::run(&job.place, Clock::Wall, async |seat| self.on_rank(&job, &seat).await)?;
        let slowest =
            |of: fn(&Took) -> f64| ranks.iter().map(|(_, took)| of(took)).fold(0.0, f64::max);
        let Told { loss, grad_norm } = ranks[0].0;
        Ok(Equal {
            d_model,
            heads,
            layers,
            seq_len,
            world_size,
            loss,
            grad_norm,
            milliseconds: 1e3 * slowest(|took| took.quickest),
            mean_milliseconds: 1e3 * slowest(|took| took.mean),
        })
    }

    async fn on_rank(&self, job: &Job, seat: &Seat) -> Result<(Told, Took), Stop> {
        let parameters = self.config.parameters().into_iter().zip(&self.weights);
        let values = parameters
            .map(|((_, shape), numbers)| Tensor::from_slice(numbers, shape, &Device::Cpu))
            .collect::<candle_core::Result<_>>()?;
        let model = Gpt::from_values(self.config, values)?;
        let (world, recorder) = (&seat.world, &seat.recorder);
        let context = CpContext::new(job.plan.cp(), world, recorder, DType::F32, &Device::Cpu)?;
        // Every token at position 0 is not turned: a model without positions.
        let rope = model.rope(&vec![0; context.positions().len()])?;
        let ids: Vec<u32> =
            (0..self.seq_len as u32).map(|i| i * 7919 % self.config.vocab as u32).collect();
        let ids = context.sequence().shard(context.rank(), &ids, 0);
        let GptConfig { vocab, d_model, heads, kv_heads, layers, .. } = self.config;
        let shape = ModelShape { vocab, d_model, heads, kv_heads, layers };
        let pieces = &bucket::pieces(&shape, world.size());
        let step = Step { model: &model, context: &context, rope: &rope, ids: &ids, pieces };
        let told = step.run(seat, self.seq_len).await?;
        let mut took = Took { quickest: f64::INFINITY, mean: 0.0 };
        for number in 0..WARM_UP + STEPS {
            world.barrier().await?;
            let start = Instant::now();
            step.run(seat, self.seq_len).await?;
            let seconds = start.elapsed().as_secs_f64();
            recorder.drain();
            if number >= WARM_UP {
                took.quickest = took.quickest.min(seconds);
                took.mean += seconds / STEPS as f64;
            }
        }
        Ok((told, took))
    }
}

struct Told {
    loss: f64,
    grad_norm: f64,
}

/// Seconds of a step.
struct Took {
    quickest: f64,
    mean: f64,
}

struct Step<'a> {
    model: &'a Gpt,
    context: &'a CpContext,
    rope: &'a Rope,
    ids: &'a [u32],
    /// Numbers in each piece of the gradient bucket.
    pieces: &'a [usize],
}

impl Step<'_> {
    /// Forward and backward, gradients summed over the ranks.
    async fn run(&self, seat: &Seat, tokens: usize) -> Result<Told, Stop> {
        let Self { model, context, rope, ids, pieces } = *self;
        let gradients = Gradients::new(model, pieces, 1)?;
        let mut x = model.embed(ids)?.detach();
        let mut tapes = Vec::new();
        for layer in 0..model.config().layers {
            let (qkv, pre) = model.pre(layer, &x, 1, rope)?;
            let attended = context.forward(layer, &qkv.q_bhtd, &qkv.k_bktd, &qkv.v_bktd).await?;
            let (y, post) = model.post(layer, &x, &attended.out_bhtd)?;
            tapes.push((pre, attended, post));
            x = y;
        }
        let head = model.vars()[model.vars().len() - 1].as_detached_tensor();
        let logits = within("head", || linear::forward(&x, &head, None))?;
        let targets: Vec<i64> = ids.iter().map(|&id| i64::from(id)).collect();
        let loss = cross_entropy::forward(&logits, &targets)?;
        let last = pieces.len() - 1;
        let at = pieces[last] - head.elem_count();
        let dhead = Gradient::new(&gradients.pieces()[last], at, head.dims())?;
        let mut reduction = Reduction::new(seat.world.as_ref(), gradients.pieces());
        let mut dx = within("head", || linear::backward(&loss.dlogits_nv, &x, &head, &dhead))?;
        for (layer, (pre, attended, post)) in tapes.into_iter().enumerate().rev() {
            let (dx_post, dout) = model.post_backward(layer, &post, &dx, 1, &gradients)?;
            reduction.begin(gradients.complete_from(model, layer)).await?;
            let grad = reduction.beside(context.backward(layer, &attended, &dout)).await?;
            dx = model.pre_backward(layer, &pre, &grad, &dx_post, rope, &gradients)?;
        }
        model.embed_backward(ids, &dx, &gradients)?;
        let sum = reduction.finish(&[loss.sum]).await?;
        let all = gradients.views(&sum.pieces)?;
        let squares: f64 = all.iter().map(kernels::adamw::squares).sum::<Result<_, _>>()?;
        let norm = squares.sqrt();
        Ok(Told { loss: sum.extras[0] / tokens as f64, grad_norm: norm / tokens as f64 })
    }
}

fn transposed(numbers: &[f32], cols: usize) -> Vec<f32> {
    (0..cols).flat_map(|col| numbers.iter().skip(col).step_by(cols).copied()).collect()
}

/// The section as people read it.
pub fn table(all: &[Equal]) -> comfy_table::Table {
    let mut rows =
        table::new(["d, heads, layers, tokens", "ranks", "loss", "gradient norm", "ms", "mean ms"]);
    for equal in all {
        let Equal { d_model, heads, layers, seq_len, .. } = equal;
        rows.add_row([
            format!("{d_model}, {heads}, {layers}, {seq_len}").into(),
            table::right(equal.world_size),
            table::right(format!("{:.5}", equal.loss)),
            table::right(format!("{:.5}", equal.grad_norm)),
            table::right(format!("{:.1}", equal.milliseconds)),
            table::right(format!("{:.1}", equal.mean_milliseconds)),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "8_2_1_12";
    const VOCAB: usize = 11;

    fn shapes() -> Vec<(String, Vec<usize>)> {
        let of = |name: &str, shape: &[usize]| (name.to_owned(), shape.to_vec());
        vec![
            of("emb", &[VOCAB, 8]),
            of("head", &[8, VOCAB]),
            of("n1.0", &[8]),
            of("qkv.0", &[8, 24]),
            of("o.0", &[8, 8]),
            of("n2.0", &[8]),
            of("up.0", &[8, 32]),
            of("dn.0", &[32, 8]),
        ]
    }

    /// Weights of some irregular size, and what they give.
    fn folder(loss: f64, gnorm: f64) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("data")).expect("a folder within");
        let len: usize = shapes().iter().map(|(_, s)| s.iter().product::<usize>()).sum();
        let bytes: Vec<u8> =
            (0..len).flat_map(|i| ((i as f32 * 0.7).sin() * 0.3).to_le_bytes()).collect();
        let reference = serde_json::json!({
            KEY: { "loss": loss, "gnorm": gnorm, "gn": {}, "shapes": shapes(), "nparam": len },
        });
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join("data").join(name), bytes).expect("a file");
        };
        write(&format!("w_{KEY}.bin"), &bytes);
        write("ref.json", reference.to_string().as_bytes());
        folder
    }

    #[test]
    fn one_rank_and_two_do_the_references_work_and_other_work_is_refused() {
        let all = measure(folder(LOSS, NORM).path()).expect("equal work");
        assert_eq!(all.iter().map(|equal| equal.world_size).collect::<Vec<_>>(), RANKS);
        assert!(all.iter().all(|equal| equal.milliseconds > 0.0));
        for (loss, norm, what) in [(LOSS * 1.01, NORM, "loss"), (LOSS, NORM * 1.01, "norm")] {
            let error = measure(folder(loss, norm).path()).expect_err("other work").to_string();
            assert!(error.contains("not equal work") && error.contains(what), "{error}");
        }
    }

    #[test]
    fn weights_are_turned() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    /// Of the formula in f64, the gradient by central differences.
    const LOSS: f64 = 2.434_672_876;
    const NORM: f64 = 0.351_665_608;
}
