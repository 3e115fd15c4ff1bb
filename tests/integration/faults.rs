//! Faults on purpose: each has its symptom beside a healthy run on the same seed, and touches no more.

use anyhow::{Result, bail, ensure};
use candle_core::DType;
use parallel::{CONTRACT, Contract, NoContext, ParallelError};
use plan::fold::Sent;
use plan::{Fault, Layout, RunConfig, RunPlan, StrategyKind, Task};
use train::{StepReport, TrainError, reference};

use crate::support::{TOLERANCE, bits, on_ranks, relative_norm, small};

/// A run on four ranks.
fn four(task: Task, layout: Layout) -> RunConfig {
    RunConfig { task, layout, cp: 4, ..small() }
}

fn with(fault: Fault, config: &RunConfig) -> RunConfig {
    RunConfig { fault: Some(fault), ..config.clone() }
}

/// Every step's numbers, after what was sent is held to what was predicted.
fn steps(config: &RunConfig) -> Result<Vec<StepReport>> {
    let ranks = on_ranks(config, async |trainer| {
        let mut reports = Vec::new();
        while !trainer.is_finished() {
            reports.push(trainer.step().await?);
        }
        Ok(reports)
    })?;
    let predicted = RunPlan::new(config.clone())?.run_traffic(0, config.steps);
    for (rank, (_, events)) in ranks.iter().enumerate() {
        let mut sent = Sent::default();
        events.iter().for_each(|event| sent.add(event));
        let measured = sent.rank(rank as u16);
        ensure!(measured == predicted, "rank {rank}: {measured:?}, predicted {predicted:?}");
    }
    Ok(ranks.into_iter().next().map(|(reports, _)| reports).unwrap_or_default())
}

fn first(config: &RunConfig) -> Result<StepReport> {
    Ok(steps(&RunConfig { steps: 1, ..config.clone() })?[0])
}

/// Mean loss over the last ten steps.
fn final_loss(config: &RunConfig) -> Result<f64> {
    Ok(steps(config)?.iter().rev().take(10).map(|step| step.loss).sum::<f64>() / 10.0)
}

/// A run of recall that a debug build can afford and one layer learns.
fn recall() -> RunConfig {
    RunConfig {
        task: Task::Recall,
        cp: 2,
        seq_len: 16,
        batch: 16,
        layers: 1,
        heads: 2,
        lr: 0.01,
        warmup_steps: 10,
        steps: 120,
        ..small()
    }
}

#[test]
fn without_the_exchange_recall_is_not_learned_and_nothing_of_attention_is_sent() -> Result<()> {
    let healthy = recall();
    let faulty = with(Fault::NoExchange, &healthy);
    let guessing = (train::data::RECALL_ANSWERS as f64).ln();
    let (learned, not) = (final_loss(&healthy)?, final_loss(&faulty)?);
    ensure!(learned < 0.9 * guessing, "with the exchange the loss is {learned}");
    ensure!(not > 0.98 * guessing, "without it the loss is {not}");
    let traffic = |config: &RunConfig| anyhow::Ok(RunPlan::new(config.clone())?.layer_traffic());
    ensure!(traffic(&healthy)?.forward.messages > 0);
    assert_eq!(traffic(&faulty)?, plan::traffic::LayerTraffic::default());
    Ok(())
}

#[test]
fn labels_shifted_after_sharding_are_fewer_and_then_wrong() -> Result<()> {
    let healthy = four(Task::Text, Layout::Contiguous);
    let faulty = with(Fault::ShiftAfterSharding, &healthy);
    assert_eq!((first(&healthy)?.valid_tokens, first(&faulty)?.valid_tokens), (47, 44));
    // Beside each other on a rank stand tokens that are four apart in the text.
    let healthy =
        RunConfig { batch: 4, steps: 30, lr: 0.01, layers: 1, ..four(Task::Text, Layout::Striped) };
    let faulty = with(Fault::ShiftAfterSharding, &healthy);
    let (healthy, faulty) = (final_loss(&healthy)?, final_loss(&faulty)?);
    ensure!(faulty > healthy + 0.05, "healthy {healthy}, faulty {faulty}");
    Ok(())
}

#[test]
fn a_mean_of_means_shows_where_valid_tokens_are_unequal() -> Result<()> {
    // Recall asks in the last quarter: all that counts lies on the last of four ranks.
    let healthy = four(Task::Recall, Layout::Contiguous);
    let (healthy, faulty) = (first(&healthy)?, first(&with(Fault::MeanOfMeans, &healthy))?);
    assert_eq!(faulty.valid_tokens, healthy.valid_tokens);
    ensure!((faulty.loss / healthy.loss - 0.25).abs() < 1e-6, "{} {}", faulty.loss, healthy.loss);
    let ratio = faulty.grad_norm / healthy.grad_norm;
    ensure!((ratio - 0.25).abs() < 1e-4, "the gradient's norm is {ratio} of the healthy one");
    // With replicas and micro-batches too: each rank's share of 23 tokens is 0, 1, 12 and 10.
    let config =
        RunConfig { dp: 2, batch: 2, grad_accum: 2, ..four(Task::Copy, Layout::Contiguous) };
    let faulty = first(&with(Fault::MeanOfMeans, &config))?;
    ensure!((faulty.loss / first(&config)?.loss - 0.75).abs() < 0.02, "{}", faulty.loss);
    Ok(())
}

#[test]
fn local_positions_train_but_worse() -> Result<()> {
    let healthy =
        RunConfig { cp: 2, seq_len: 32, batch: 4, steps: 60, task: Task::Text, ..recall() };
    let (healthy, faulty) = (steps(&healthy)?, steps(&with(Fault::LocalPositions, &healthy))?);
    let apart = (faulty[0].loss / healthy[0].loss - 1.0).abs();
    ensure!(apart > 0.0 && apart < 1e-4, "the first losses differ by {apart}");
    let end =
        |steps: &[StepReport]| steps.iter().rev().take(10).map(|s| s.loss).sum::<f64>() / 10.0;
    let (healthy, faulty) = (end(&healthy), end(&faulty));
    ensure!(faulty > healthy + 0.005 && faulty < 3.0, "healthy {healthy}, faulty {faulty}");
    Ok(())
}

#[test]
fn only_a_gradient_reference_sees_them_all() -> Result<()> {
    let config = RunConfig { batch: 2, ..four(Task::Copy, Layout::Zigzag) };
    let plan = RunPlan::new(config.clone())?;
    let reference = reference::run(&plan, None, 0, DType::F64)?;
    let worst = |config: &RunConfig| -> Result<f64> {
        let ranks = on_ranks(config, async |trainer| Ok(trainer.gradients(0).await?.gradients))?;
        let pairs = ranks[0].0.iter().zip(&reference.gradients);
        pairs.map(|(a, b)| relative_norm(a, b)).try_fold(0.0, |worst, next| Ok(next?.max(worst)))
    };
    let healthy = worst(&config)?;
    ensure!(healthy <= TOLERANCE, "healthy: {healthy}");
    for fault in Fault::ALL.into_iter().filter(|fault| fault.trains()) {
        let worst = worst(&with(fault, &config))?;
        ensure!(worst > 1e2 * TOLERANCE, "{}: {worst}", fault.name());
    }
    Ok(())
}

#[test]
fn what_a_fault_does_not_touch_is_the_healthy_run_to_the_bit() -> Result<()> {
    let healthy = four(Task::Copy, Layout::Zigzag);
    let logits = |config: &RunConfig| -> Result<Vec<Vec<u32>>> {
        let ranks = on_ranks(config, async |trainer| bits(&trainer.gradients(0).await?.logits))?;
        Ok(ranks.into_iter().map(|(bits, _)| bits).collect())
    };
    let expect = logits(&healthy)?;
    for fault in [Fault::ShiftAfterSharding, Fault::MeanOfMeans] {
        ensure!(logits(&with(fault, &healthy))? == expect, "{}", fault.name());
    }
    for fault in [Fault::NoExchange, Fault::LocalPositions] {
        ensure!(logits(&with(fault, &healthy))? != expect, "{}", fault.name());
    }
    Ok(())
}

/// Why the first step of every rank has no context, and the error's kind.
fn no_context(fault: Fault) -> Result<(NoContext, &'static str)> {
    let ranks =
        on_ranks(
            &with(fault, &four(Task::Text, Layout::Contiguous)),
            async |trainer| match trainer.step().await {
                Err(error) => Ok((error.kind(), error)),
                Ok(_) => bail!("{} trains", fault.name()),
            },
        )?;
    ensure!(ranks.len() == 4);
    match ranks.into_iter().next().map(|(end, _)| end) {
        Some((kind, TrainError::Parallel(ParallelError::NoContext(cause)))) => Ok((cause, kind)),
        other => bail!("{}: {other:?}", fault.name()),
    }
}

#[test]
fn a_context_that_was_never_built_is_a_typed_error_at_the_first_step() -> Result<()> {
    assert_eq!(
        no_context(Fault::CpNotConfigured)?,
        (NoContext::NotConfigured, "cp-not-configured")
    );
    let before = NoContext::BeforeGroup { size: 4 };
    assert_eq!(no_context(Fault::CpBeforeGroup)?, (before, "cp-before-group"));
    let other = NoContext::OtherContract { wanted: Contract::new(2, 0), offered: CONTRACT };
    assert_eq!(no_context(Fault::CpVersion)?, (other, "cp-version"));
    let (cause, kind) = no_context(Fault::CpAssumed)?;
    ensure!(kind == "cp-unsupported");
    ensure!(matches!(&cause, NoContext::Unsupported(refusal) if refusal.field == "world_size"));
    ensure!(cause.to_string().contains("start 4 ranks"), "{cause}");
    Ok(())
}

#[test]
fn a_fault_that_cannot_show_is_refused_with_what_would_work() {
    let refused = |config: RunConfig, works: &str| {
        let refusal = RunPlan::new(config.clone()).expect_err("it must be refused");
        assert_eq!(refusal.field, "fault");
        assert_eq!(refusal.value, config.fault.map(Fault::name).unwrap_or_default());
        assert!(refusal.works.contains(works), "{refusal}");
        assert_eq!(RunPlan::check(&config), Err(refusal));
    };
    let contiguous = four(Task::Text, Layout::Contiguous);
    for fault in Fault::ALL.into_iter().filter(|fault| fault.trains()) {
        refused(with(fault, &RunConfig { cp: 1, ..contiguous.clone() }), "cp");
    }
    for strategy in [StrategyKind::AllGather, StrategyKind::Ulysses] {
        let config = RunConfig { strategy, ..contiguous.clone() };
        refused(with(Fault::NoExchange, &config), "try strategy ring");
    }
    // A document a rank: all ranks are alike, and none sees another.
    let alike = RunConfig { documents: vec![12; 4], ..contiguous.clone() };
    refused(with(Fault::NoExchange, &alike), "fewer documents");
    refused(with(Fault::LocalPositions, &alike), "fewer documents");
    refused(with(Fault::MeanOfMeans, &alike), "unequal lengths");
    refused(with(Fault::ShiftAfterSharding, &alike), "zigzag");
    let recall = four(Task::Recall, Layout::Contiguous);
    refused(with(Fault::ShiftAfterSharding, &recall), "task text");
}
