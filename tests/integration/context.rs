//! The CP context: there from construction on, or a cause that says what to do.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device};
use comm::{ProcessGroup, Recorder, Solo, threads};
use parallel::{CONTRACT, Contract, Cp, CpContext, NoContext, ParallelError};
use plan::{CpConfig, CpPlan, Heads, Layout, Mask, Refusal, StrategyKind, WorldSize};

use crate::support::{TIMEOUT, on_ranks, small};

fn plan(size: usize, strategy: StrategyKind) -> Result<CpPlan, Refusal> {
    let config = CpConfig { size, strategy, ulysses_degree: None, layout: Layout::Zigzag };
    config.plan(Mask::new(32, &[], None)?, Heads { query: 4, kv: 4, dim: 4 })
}

/// The context of one rank alone.
fn alone(plan: &CpPlan, dtype: DType) -> Result<CpContext, ParallelError> {
    let world: Rc<dyn ProcessGroup> = Rc::new(Solo::default());
    CpContext::new(plan, &world, &Recorder::from_now(0), dtype, &Device::Cpu)
}

/// Why `cp` has no context, and that its message has `words`.
fn cause(cp: &Cp, words: &[&str]) -> Result<NoContext> {
    let cause = cp.context(CONTRACT).err().context("there must be no context")?;
    let text = cause.to_string();
    for word in words {
        ensure!(text.contains(word), "no `{word}` in {text}");
    }
    Ok(cause)
}

#[test]
fn nobody_has_asked_for_it() -> Result<()> {
    let cause = cause(&Cp::default(), &["not configured", "give a CpConfig"])?;
    assert_eq!(cause, NoContext::NotConfigured);
    Ok(())
}

#[test]
fn it_is_used_before_the_process_group() -> Result<()> {
    let cp = Cp::Configured(plan(2, StrategyKind::Ring)?);
    let cause = cause(&cp, &["cp = 2", "no process group", "start the ranks"])?;
    assert_eq!(cause, NoContext::BeforeGroup { size: 2 });
    Ok(())
}

#[test]
fn a_refusal_is_remembered() -> Result<()> {
    let cp = Cp::from(plan(3, StrategyKind::Ulysses));
    let cause = cause(&cp, &["strategy = ulysses", "3 ranks", "try strategy ring"])?;
    ensure!(matches!(cause, NoContext::Unsupported(refusal) if refusal.field == "strategy"));
    Ok(())
}

#[test]
fn what_the_machine_cannot_do_is_refused_at_construction() -> Result<()> {
    let refusal = |end: Result<CpContext, ParallelError>| match end {
        Err(ParallelError::NoContext(NoContext::Unsupported(refusal))) => Ok(refusal),
        _ => anyhow::bail!("it must be refused"),
    };
    // Four ranks are asked for and one was started: never a group of one that believes it is all.
    let world = refusal(alone(&plan(4, StrategyKind::Ring)?, DType::F32))?;
    assert_eq!(world.field, "world_size");
    assert_eq!(world.value, "1");
    ensure!(world.works.contains("start 4 ranks"), "{world}");
    let dtype = refusal(alone(&plan(1, StrategyKind::Ring)?, DType::U32))?;
    assert_eq!(dtype.field, "dtype");
    assert_eq!(dtype.works, "use f32");
    Ok(())
}

#[test]
fn a_caller_for_another_contract_is_told_both() -> Result<()> {
    let cp = Cp::Ready(alone(&plan(1, StrategyKind::Ring)?, DType::F32)?);
    ensure!(cp.context(CONTRACT).is_ok() && cp.context(Contract::new(1, 0)).is_ok());
    for wanted in [Contract::new(1, 9), Contract::new(2, 0), Contract::new(0, 3)] {
        let cause = cp.context(wanted).err().context("another contract")?;
        assert_eq!(cause, NoContext::OtherContract { wanted, offered: CONTRACT });
        let text = cause.to_string();
        ensure!(text.contains(&wanted.to_string()) && text.contains(&CONTRACT.to_string()));
    }
    Ok(())
}

#[test]
fn every_strategy_and_size_has_one_the_defaults_too() -> Result<()> {
    for strategy in StrategyKind::ALL {
        for size in [1, 2, 4] {
            let plan = plan(size, strategy)?;
            for dp in [1, 2] {
                let world = WorldSize::new(dp * size)?;
                let ranks = threads::run(world, TIMEOUT, async |group| {
                    let own = group.rank().index();
                    let world: Rc<dyn ProcessGroup> = Rc::new(group);
                    let recorder = Recorder::from_now(own);
                    let context =
                        CpContext::new(&plan, &world, &recorder, DType::F32, &Device::Cpu)?;
                    let cp = Cp::Ready(context);
                    let context = cp.context(CONTRACT)?;
                    ensure!(context.size().get() == size && context.rank().index() == own % size);
                    Ok((own / size, context.positions().to_vec()))
                });
                for replica in 0..dp {
                    let mut held: Vec<u32> = Vec::new();
                    for rank in &ranks {
                        let (of, positions) = rank.as_ref().map_err(|e| anyhow::anyhow!("{e}"))?;
                        held.extend(positions.iter().filter(|_| *of == replica));
                    }
                    held.sort_unstable();
                    ensure!(held == (0..32).collect::<Vec<u32>>(), "{strategy}, {size}: {held:?}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_trainer_has_one_before_its_first_step() -> Result<()> {
    let config = plan::RunConfig { cp: 2, ..small() };
    let ranks = on_ranks(&config, async |trainer| {
        let context = trainer.cp().context(CONTRACT)?;
        Ok((context.rank().index(), context.positions().len()))
    })?;
    let seen: Vec<_> = ranks.into_iter().map(|(value, _)| value).collect();
    assert_eq!(seen, [(0, 24), (1, 24)]);
    Ok(())
}
