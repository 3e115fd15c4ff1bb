//! Attention alone over ranks: out, lse, dq, dk and dv for a random dout, against f64.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device, Tensor, Var};
use comm::{ProcessGroup, Recorder, threads};
use model::Qkv;
use parallel::CpContext;
use plan::{Layout, RunConfig, RunPlan, StrategyKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{TIMEOUT, assert_close};

/// Whole-sequence inputs and what attention must give for them.
pub struct Case {
    /// (B, H, S, D).
    pub q: Tensor,
    /// (B, K, S, D).
    pub k: Tensor,
    /// (B, K, S, D).
    pub v: Tensor,
    /// (B, H, S, D).
    pub dout: Tensor,
    /// (B, H, S, D).
    pub out: Tensor,
    /// (B, H, S).
    pub lse: Tensor,
    /// Gradients of q, k and v.
    pub grads: [Tensor; 3],
}

/// Random inputs in f32, results by the book in f64.
fn random_case(plan: &RunPlan) -> Result<Case> {
    let (m, batch, s) = (plan.model(), plan.config().batch, plan.config().seq_len);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut draw = |heads: usize| -> Result<Tensor> {
        let shape = (batch, heads, s, m.head_dim());
        let values: Vec<f32> =
            (0..batch * heads * s * m.head_dim()).map(|_| rng.random_range(-2.0..2.0)).collect();
        Ok(Tensor::from_vec(values, shape, &Device::Cpu)?)
    };
    let (q, k, v) = (draw(m.heads)?, draw(m.kv_heads)?, draw(m.kv_heads)?);
    let dout = draw(m.heads)?;
    let leaf = |t: &Tensor| anyhow::Ok(Var::from_tensor(&t.to_dtype(DType::F64)?)?);
    let (ql, kl, vl) = (leaf(&q)?, leaf(&k)?, leaf(&v)?);
    let qkv = Qkv {
        q_bhtd: ql.as_tensor().clone(),
        k_bktd: kl.as_tensor().clone(),
        v_bktd: vl.as_tensor().clone(),
    };
    let (out, lse) = model::reference::attention(&qkv, &train::reference::visibility(plan))?;
    let store = (&out * dout.to_dtype(DType::F64)?)?.sum_all()?.backward()?;
    let grad = |var: &Var| store.get(var).cloned().context("a leaf has a gradient");
    let grads = [grad(&ql)?, grad(&kl)?, grad(&vl)?];
    Ok(Case { q, k, v, dout, out: out.detach(), lse: lse.detach(), grads })
}

/// What one rank gives: out, lse as computed, dq, dk, dv.
type Shard = [Tensor; 5];

/// Runs attention on every rank and compares with `case`.
pub fn check(plan: &RunPlan, case: &Case) -> Result<()> {
    let shards = threads::run(plan.mesh().world(), TIMEOUT, async |group| {
        let rank = plan.cp_rank(group.rank());
        let world: Rc<dyn ProcessGroup> = Rc::new(group);
        let recorder = Recorder::from_now(0);
        let context = CpContext::new(plan.cp(), &world, &recorder, DType::F32, &Device::Cpu)?;
        let pick = |whole: &Tensor| pick(plan, rank, whole);
        let attended =
            context.forward(0, &pick(&case.q)?, &pick(&case.k)?, &pick(&case.v)?).await?;
        let grad = context.backward(0, &attended, &pick(&case.dout)?).await?;
        let lse = attended.lse().clone();
        anyhow::Ok([attended.out_bhtd, lse, grad.q_bhtd, grad.k_bktd, grad.v_bktd])
    });
    let shards: Vec<Shard> = shards.into_iter().collect::<Result<_>>()?;
    assert_close("out", &place(plan, &shards, 0)?, &case.out)?;
    assert_close("lse", &place_lse(plan, &shards)?, &case.lse)?;
    for (index, name) in ["dq", "dk", "dv"].into_iter().enumerate() {
        assert_close(name, &place(plan, &shards, 2 + index)?, &case.grads[index])?;
    }
    Ok(())
}

/// A rank's positions of a whole (B, H, S, D); padding is filled with large values, so that a
/// rank that looks at it is found out.
fn pick(plan: &RunPlan, rank: plan::Rank, whole: &Tensor) -> Result<Tensor> {
    let sequence = plan.attention().sequence();
    let (b, h, s, d) = whole.dims4()?;
    let padding = Tensor::full(1e3f32, (b, h, sequence.padded_len() - s, d), &Device::Cpu)?;
    let padded = Tensor::cat(&[whole, &padding], 2)?;
    let ids = Tensor::new(sequence.positions(rank), &Device::Cpu)?;
    Ok(padded.index_select(&ids, 2)?.contiguous()?)
}

/// The ranks' (B, H, c, D) back in order of positions, padding dropped.
fn place(plan: &RunPlan, shards: &[Shard], which: usize) -> Result<Tensor> {
    let sequence = plan.attention().sequence();
    let all: Vec<_> = shards.iter().map(|shard| shard[which].clone()).collect();
    let positions: Vec<u32> =
        sequence.world().ranks().flat_map(|rank| sequence.positions(rank).to_vec()).collect();
    in_order(&Tensor::cat(&all, 2)?, &positions, sequence.seq_len())
}

/// The same for lse, which lies by heads and by ring index while attention is computed.
fn place_lse(plan: &RunPlan, shards: &[Shard]) -> Result<Tensor> {
    let attention = plan.attention();
    let (u, r) = (attention.strategy().ulysses(), attention.strategy().ring());
    let rows = (0..r)
        .map(|ring| {
            let heads: Vec<_> = (0..u).map(|i| shards[ring * u + i][1].clone()).collect();
            Tensor::cat(&heads, 1)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let positions: Vec<u32> = (0..r).flat_map(|ring| attention.positions(ring).to_vec()).collect();
    let all = in_order(&Tensor::cat(&rows, 2)?, &positions, attention.sequence().seq_len())?;
    Ok(all.squeeze(3)?)
}

fn in_order(all: &Tensor, positions: &[u32], seq_len: usize) -> Result<Tensor> {
    let mut order = vec![0u32; positions.len()];
    for (index, &position) in positions.iter().enumerate() {
        order[position as usize] = index as u32;
    }
    order.truncate(seq_len);
    Ok(all.index_select(&Tensor::new(order, &Device::Cpu)?, 2)?)
}

fn check_random(config: &RunConfig) -> Result<()> {
    let plan = RunPlan::new(config.clone())?;
    check(&plan, &random_case(&plan)?).with_context(|| format!("{config:?}"))
}

/// Every layout, strategy, head sharing, packing, window and length for `cp` ranks.
fn matrix(cp: usize, heads: usize, kv: [usize; 3]) -> Result<()> {
    let mut checked = 0;
    for layout in Layout::ALL {
        for strategy in StrategyKind::ALL {
            for kv_heads in kv {
                for (seq_len, documents) in
                    [(48, vec![]), (48, vec![7, 1, 23, 17]), (41, vec![]), (41, vec![20, 21])]
                {
                    for window in [None, Some(6)] {
                        check_random(&RunConfig {
                            cp,
                            layout,
                            strategy,
                            heads,
                            kv_heads: Some(kv_heads),
                            d_model: 6 * heads,
                            batch: 2,
                            seq_len,
                            documents: documents.clone(),
                            window,
                            ..RunConfig::default()
                        })?;
                        checked += 1;
                    }
                }
            }
        }
    }
    ensure!(checked == 288, "{checked} combinations ran, 288 were meant to");
    Ok(())
}

#[test]
fn one_rank() -> Result<()> {
    matrix(1, 8, [8, 2, 1])
}

#[test]
fn two_ranks() -> Result<()> {
    matrix(2, 8, [8, 2, 1])
}

#[test]
fn three_ranks() -> Result<()> {
    matrix(3, 6, [6, 3, 1])
}

#[test]
fn four_ranks() -> Result<()> {
    matrix(4, 8, [8, 2, 1])
}

#[test]
fn eight_ranks() -> Result<()> {
    matrix(8, 8, [8, 2, 1])
}

#[test]
fn usp_of_every_degree() -> Result<()> {
    for layout in Layout::ALL {
        for degree in [1, 2, 4, 8] {
            check_random(&RunConfig {
                cp: 8,
                strategy: StrategyKind::Usp,
                ulysses_degree: Some(degree),
                layout,
                heads: 8,
                kv_heads: Some(4),
                d_model: 48,
                seq_len: 50,
                ..RunConfig::default()
            })?;
        }
    }
    Ok(())
}

#[test]
fn slices_longer_than_a_block() -> Result<()> {
    for strategy in StrategyKind::ALL {
        for layout in Layout::ALL {
            check_random(&RunConfig {
                cp: 2,
                strategy,
                layout,
                heads: 4,
                kv_heads: Some(2),
                d_model: 16,
                seq_len: 4 * plan::schedule::MAX_BLOCK + 75,
                window: (layout == Layout::Striped).then_some(300),
                ..RunConfig::default()
            })?;
        }
    }
    Ok(())
}

#[test]
fn as_many_heads_as_tokens_hides_no_transposition() -> Result<()> {
    for strategy in StrategyKind::ALL {
        check_random(&RunConfig {
            cp: 4,
            strategy,
            heads: 8,
            kv_heads: Some(8),
            d_model: 64,
            seq_len: 8,
            batch: 2,
            ..RunConfig::default()
        })?;
    }
    Ok(())
}

#[test]
fn combinations_that_cannot_work_are_refused_with_a_reason() {
    let base = RunConfig { heads: 8, kv_heads: Some(8), cp: 3, ..RunConfig::default() };
    for (config, field) in [
        (RunConfig { strategy: StrategyKind::Ulysses, ..base.clone() }, "strategy"),
        (
            RunConfig { strategy: StrategyKind::Usp, ulysses_degree: Some(3), ..base.clone() },
            "ulysses_degree",
        ),
        (RunConfig { ulysses_degree: Some(3), ..base.clone() }, "ulysses_degree"),
        (RunConfig { dropout: 0.1, ..base.clone() }, "dropout"),
        (RunConfig { cp: 300, ..base.clone() }, "cp"),
        (RunConfig { kv_heads: Some(3), ..base.clone() }, "kv_heads"),
        (RunConfig { documents: vec![10, 10], ..base.clone() }, "documents"),
    ] {
        let refusal = RunPlan::new(config).expect_err(field);
        assert_eq!(refusal.field, field);
        assert!(!refusal.reason.is_empty() && !refusal.works.is_empty(), "{refusal}");
    }
}
