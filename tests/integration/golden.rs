//! PyTorch's numbers as the oracle; `tests/golden/generate.py` wrote them.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device, Tensor};
use model::{Gpt, GptConfig};
use plan::{RunConfig, RunPlan, StrategyKind};
use serde::Deserialize;

use crate::attention::{self, Case};
use crate::support::assert_close;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

fn tensors(name: &str) -> Result<HashMap<String, Tensor>> {
    Ok(candle_core::safetensors::load(path(name), &Device::Cpu)?)
}

fn json<T: serde::de::DeserializeOwned>(name: &str) -> Result<T> {
    Ok(serde_json::from_slice(&std::fs::read(path(name))?)?)
}

#[derive(Deserialize)]
struct Sizes {
    vocab: usize,
    d_model: usize,
    heads: usize,
    kv_heads: usize,
    layers: usize,
    batch: usize,
    seq: usize,
}

#[derive(Deserialize)]
struct Run {
    config: Sizes,
    loss: f64,
    grad_norm: f64,
    adamw: AdamW,
    losses: Vec<f64>,
    sgd: Sgd,
    sgd_losses: Vec<f64>,
}

#[derive(Deserialize)]
struct AdamW {
    lr: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    weight_decay: f64,
}

#[derive(Deserialize)]
struct Sgd {
    lr: f64,
}

struct Golden {
    run: Run,
    tensors: HashMap<String, Tensor>,
    ids: Vec<Vec<u32>>,
    targets: Vec<Vec<i64>>,
}

impl Golden {
    fn load(name: &str) -> Result<Self> {
        let tensors = tensors(&format!("{name}.safetensors"))?;
        let ids = tensors["ids"].to_dtype(DType::U32)?.to_vec2()?;
        let targets = tensors["targets"].to_vec2()?;
        Ok(Self { run: json(&format!("{name}.json"))?, tensors, ids, targets })
    }

    fn model(&self) -> Result<Gpt> {
        let c = &self.run.config;
        let config = GptConfig::new(c.vocab, c.d_model, c.heads, c.kv_heads, c.layers);
        let weight = |name: &str| self.tensors[&format!("weight.{name}")].clone();
        let values = config.parameters().iter().map(|(name, _)| weight(name)).collect();
        Ok(Gpt::from_values(config, values)?)
    }

    fn causal(&self) -> Vec<Vec<bool>> {
        let seq = self.run.config.seq;
        (0..seq).map(|q| (0..seq).map(|k| k <= q).collect()).collect()
    }

    fn outcome(&self, model: &Gpt) -> Result<model::reference::Outcome> {
        Ok(model::reference::run(model, &self.ids, &self.targets, &self.causal())?)
    }
}

fn check_model(name: &str) -> Result<()> {
    let golden = Golden::load(name)?;
    ensure!(golden.ids.len() == golden.run.config.batch, "the batch has its size");
    let model = golden.model()?;
    let outcome = golden.outcome(&model)?;
    ensure!((outcome.loss - golden.run.loss).abs() < 1e-5, "loss {}", outcome.loss);
    let (b, s, v) = golden.tensors["logits"].dims3()?;
    assert_close("logits", &outcome.logits.reshape((b, s, v))?, &golden.tensors["logits"])?;
    let mut square = 0.0;
    for ((name, _), gradient) in model.config().parameters().iter().zip(&outcome.gradients) {
        assert_close(name, gradient, &golden.tensors[&format!("grad.{name}")])?;
        square += gradient.sqr()?.sum_all()?.to_scalar::<f32>()? as f64;
    }
    let off = (square.sqrt() - golden.run.grad_norm).abs() / golden.run.grad_norm;
    ensure!(off < 1e-5, "gradient norm {}", square.sqrt());
    Ok(())
}

#[test]
fn the_model_equals_pytorch() -> Result<()> {
    check_model("gpt")
}

#[test]
fn the_model_with_grouped_query_heads_equals_pytorch() -> Result<()> {
    check_model("gpt_gqa")
}

#[test]
fn ten_losses_of_ten_steps_equal_pytorch() -> Result<()> {
    for name in ["gpt", "gpt_gqa"] {
        let golden = Golden::load(name)?;
        let a = &golden.run.adamw;
        ensure!((a.beta1, a.beta2, a.eps) == train::ADAMW_CONSTANTS, "the betas are ours");
        for (optimizer, lr, expect) in [
            (plan::Optimizer::Adamw, a.lr, &golden.run.losses),
            (plan::Optimizer::Sgd, golden.run.sgd.lr, &golden.run.sgd_losses),
        ] {
            ensure!(expect.len() == 10, "ten losses were written");
            let config =
                RunConfig { optimizer, weight_decay: a.weight_decay, ..RunConfig::default() };
            let model = golden.model()?;
            let mut optimizer = train::Optimizer::new(&config, model.vars())?;
            for (step, expect) in expect.iter().enumerate() {
                let outcome = golden.outcome(&model)?;
                let off = (outcome.loss - expect).abs() / expect;
                ensure!(off < 1e-5, "{name}, step {step}: {} against {expect}", outcome.loss);
                optimizer.step(model.vars(), &outcome.gradients, 1.0, lr)?;
            }
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Cases {
    cases: HashMap<String, AttentionSizes>,
}

#[derive(Deserialize)]
struct AttentionSizes {
    batch: usize,
    seq: usize,
    heads: usize,
    kv_heads: usize,
    head_dim: usize,
    documents: Option<Vec<usize>>,
    window: Option<usize>,
}

/// scaled_dot_product_attention with an explicit mask, over every world and strategy that fits.
#[test]
fn attention_equals_pytorch_on_every_world() -> Result<()> {
    let all = tensors("attention.safetensors")?;
    let mut checked = 0;
    for (name, sizes) in json::<Cases>("attention.json")?.cases {
        let tensor = |part: &str| all[&format!("{name}.{part}")].clone();
        let case = Case {
            q: tensor("q"),
            k: tensor("k"),
            v: tensor("v"),
            dout: tensor("dout"),
            out: tensor("out"),
            lse: tensor("lse"),
            grads: [tensor("dq"), tensor("dk"), tensor("dv")],
        };
        for cp in [1, 2, 3, 4, 8] {
            for strategy in StrategyKind::ALL {
                for layout in plan::Layout::ALL {
                    let config = RunConfig {
                        cp,
                        strategy,
                        layout,
                        batch: sizes.batch,
                        seq_len: sizes.seq,
                        heads: sizes.heads,
                        kv_heads: Some(sizes.kv_heads),
                        d_model: sizes.heads * sizes.head_dim,
                        documents: sizes.documents.clone().unwrap_or_default(),
                        window: sizes.window,
                        ..RunConfig::default()
                    };
                    let Ok(plan) = RunPlan::new(config) else {
                        let needs_heads = strategy == StrategyKind::Ulysses;
                        ensure!(needs_heads, "{name}: only Ulysses may refuse {cp} ranks");
                        continue;
                    };
                    attention::check(&plan, &case)
                        .with_context(|| format!("{name}, {cp} ranks, {strategy}, {layout}"))?;
                    checked += 1;
                }
            }
        }
    }
    ensure!(checked > 300, "only {checked} worlds were checked");
    Ok(())
}
