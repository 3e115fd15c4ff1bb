//! Perturbation probes, bit for bit: what a token may influence, and what it must.

use anyhow::{Result, ensure};
use candle_core::{DType, Device, Tensor};
use comm::{ProcessGroup, Recorder, threads};
use parallel::CpContext;
use plan::{Layout, RunConfig, RunPlan, StrategyKind};
use std::rc::Rc;

use crate::support::{TIMEOUT, bits};

const HEADS: usize = 4;
const HEAD_DIM: usize = 4;

/// out of every position, by its bits, when keys and values at `changed` are moved.
fn outputs(plan: &RunPlan, changed: Option<usize>) -> Result<Vec<Vec<u32>>> {
    let s = plan.config().seq_len;
    let wave =
        |phase: f32, position: usize, i: usize| ((position * 31 + i * 7) as f32 + phase).sin();
    let whole = |phase: f32, shift: f32| -> Result<Tensor> {
        let values: Vec<f32> = (0..s * HEADS * HEAD_DIM)
            .map(|n| {
                let position = n / (HEADS * HEAD_DIM);
                let moved = if changed == Some(position) { shift } else { 0.0 };
                wave(phase, position, n % (HEADS * HEAD_DIM)) + moved
            })
            .collect();
        Ok(Tensor::from_vec(values, (1, s, HEADS, HEAD_DIM), &Device::Cpu)?.transpose(1, 2)?)
    };
    // The query at the changed position moves too, as it would in a network.
    let (q, k, v) = (whole(0.0, 0.5)?, whole(1.0, 0.5)?, whole(2.0, 0.5)?);
    let sequence = plan.attention().sequence();
    let shards = threads::run(plan.mesh().world(), TIMEOUT, async |group| {
        let rank = group.rank();
        let world: Rc<dyn ProcessGroup> = Rc::new(group);
        let recorder = Recorder::from_now(0);
        let context = CpContext::new(plan.cp(), &world, &recorder, DType::F32, &Device::Cpu)?;
        let ids = Tensor::new(sequence.positions(rank), &Device::Cpu)?;
        let pick = |t: &Tensor| t.contiguous()?.index_select(&ids, 2)?.contiguous();
        let attended = context.forward(0, &pick(&q)?, &pick(&k)?, &pick(&v)?).await?;
        anyhow::Ok(attended.out_bhtd)
    });
    let mut by_position = vec![Vec::new(); s];
    for (rank, shard) in sequence.world().ranks().zip(shards) {
        let shard = shard?;
        for (index, &position) in sequence.positions(rank).iter().enumerate() {
            by_position[position as usize] = bits(&shard.narrow(2, index, 1)?)?;
        }
    }
    Ok(by_position)
}

#[test]
fn a_token_reaches_exactly_those_that_may_see_it() -> Result<()> {
    for strategy in StrategyKind::ALL {
        for layout in Layout::ALL {
            for (documents, window) in [(vec![], None), (vec![10, 22], None), (vec![], Some(7))] {
                let plan = RunPlan::new(RunConfig {
                    seq_len: 32,
                    cp: 4,
                    strategy,
                    layout,
                    heads: HEADS,
                    d_model: HEADS * HEAD_DIM,
                    documents,
                    window,
                    ..RunConfig::default()
                })?;
                let mask = plan.attention().sequence().mask().clone();
                let before = outputs(&plan, None)?;
                for changed in [0, 5, 9, 10, 31] {
                    let after = outputs(&plan, Some(changed))?;
                    for position in 0..32 {
                        let differs = before[position] != after[position];
                        let may = mask.sees(position as u32, changed as u32);
                        ensure!(
                            differs == may,
                            "{strategy}, {layout}: token {changed} changed, output {position} \
                             {} differ",
                            if differs { "must not" } else { "must" }
                        );
                    }
                }
            }
        }
    }
    Ok(())
}
