//! What goes wrong once the run is built: in `prepare`, at the first step, or without a word.

use plan::message;

use crate::correct::Edit;
use crate::facts::{Fact, truth};
use crate::finding::{Finding, Id, Severity, Stage};
use crate::setup::Setup;
use crate::text::short;
use crate::version::{BROKEN, REPAIRED, TRL_REFUSES_PACKING, WINDOW_REFUSED};

pub(super) fn window_with_cp(setup: &Setup) -> Option<Finding> {
    if !setup.cp_on() || !setup.facts.holds(Fact::SlidingWindow) {
        return None;
    }
    let (stage, message) = if setup.accelerate.has(WINDOW_REFUSED) {
        (
            Stage::Prepare,
            message!("prepare() stops: CP does not support sliding or chunked attention."),
        )
    } else {
        (Stage::Silent, message!("The sliding window is dropped: it trains full causal attention."))
    };
    let refused = stage == Stage::Prepare;
    let (since, until) = if refused { ("1.15.0", None) } else { ("1.10.0", Some("1.15.0")) };
    Some(
        Finding::new(Id::WindowWithCp, Severity::Error, stage)
            .between(since, until)
            .says(
                message,
                message!("CP's hook takes every mask away and sets plain causal attention, so a window is \
                 lost; from 1.15.0 (PR 4177) such models are refused instead."),
                message!("Use a model with full attention, or leave CP out."),
            )
            .corrected_by([Edit::Script(Fact::SlidingWindow, "none".to_owned())]),
    )
}

pub(super) fn context_never_built(setup: &Setup) -> Option<Finding> {
    let broken = setup.accelerate.has(BROKEN) && !setup.accelerate.has(REPAIRED);
    if !setup.cp_on() || !broken {
        return None;
    }
    Some(
        Finding::new(Id::CpContextNeverBuilt, Severity::Error, Stage::FirstStep)
            .says(
                message!("AttributeError: 'Accelerator' object has no attribute '_cp_context', at the \
                 first step."),
                message!("In 1.12.0 prepare() returns early where sp_backend is deepspeed, and that is its \
                 default even with SP off; so the context is never built (PR 3817 brought it, \
                 PR 3858 and 3862 repaired it)."),
                message!("Install accelerate 1.13.0 or later, or 1.11.0."),
            )
            .corrected_by([Edit::Accelerate("1.13.0")]),
    )
}

pub(super) fn context_before_prepare(setup: &Setup) -> Option<Finding> {
    if !setup.cp_on() || setup.facts.get(Fact::Context) != Some("before-prepare") {
        return None;
    }
    Some(
        Finding::new(Id::CpContextBeforePrepare, Severity::Error, Stage::FirstStep)
            .says(
                message!("AttributeError: 'Accelerator' object has no attribute '_cp_context', where the \
                 context is entered."),
                message!("prepare() builds the context; maybe_context_parallel before it finds none. The \
                 message is the same as for the fault of 1.12.0, the cause is not."),
                message!("Call accelerator.prepare(model, ...) first, then enter maybe_context_parallel."),
            )
            .corrected_by([Edit::Script(Fact::Context, "after-prepare".to_owned())]),
    )
}

/// Read in transformers 4.55.4, which has no such check, 4.56.0 and 5.24.0, which have; torch's
/// `context_parallel` says of itself that it patches `scaled_dot_product_attention`.
pub(super) fn attention_not_sdpa(setup: &Setup) -> Option<Finding> {
    let name = setup.facts.get(Fact::Attention)?;
    // Without a name it is the model's own choice, which is sdpa.
    if !setup.cp_on() || name == "sdpa" || truth(name).is_some() {
        return None;
    }
    Some(
        Finding::new(Id::AttentionNotSdpa, Severity::Error, Stage::FirstStep)
            .says(
                message!("transformers' Trainer stops: Context parallelism is supported only with SDPA \
                 attention, you are using {name}.", name = short(name)),
                message!("torch's CP replaces scaled_dot_product_attention and no other attention. Trainer, \
                 and TRL's with it, checks that from transformers 4.56.0 on (PR 40205). A loop of your \
                 own is not stopped: each rank attends within its own slice."),
                message!("Set attn_implementation to sdpa, which runs torch's own flash kernels on a GPU, or \
                 leave CP out."),
            )
            .corrected_by([Edit::Script(Fact::Attention, "sdpa".to_owned())]),
    )
}

pub(super) fn length_not_divisible(setup: &Setup) -> Option<Finding> {
    if !setup.cp_on() {
        return None;
    }
    let multiple = setup.asked.cp.saturating_mul(2);
    let padded = setup.facts.number(Fact::PadToMultipleOf);
    let length = setup.facts.number(Fact::SeqLen);
    let fine = |number: u64| number.is_multiple_of(multiple);
    let (what, edit) = match (length, padded) {
        (_, Some(padded)) if fine(padded) => return None,
        (_, Some(padded)) => (
            message!(
                "pad_to_multiple_of = {padded} is no multiple of {multiple}.",
                padded,
                multiple
            ),
            Edit::Script(Fact::PadToMultipleOf, multiple.to_string()),
        ),
        (Some(length), None) if !fine(length) => (
            message!(
                "A sequence of {length} tokens is no multiple of {multiple}.",
                length,
                multiple
            ),
            Edit::Script(Fact::PadToMultipleOf, multiple.to_string()),
        ),
        (_, None) => return None,
    };
    Some(
        Finding::new(Id::LengthNotDivisible, Severity::Error, Stage::FirstStep)
            .says(
                message!("{what} torch stops with an assertion that has no text.", what),
                message!(
                    "For balance torch cuts a sequence into 2 x cp_size = {multiple} pieces of \
                     equal length.",
                    multiple
                ),
                message!(
                    "Pad to a multiple of {multiple}: pad_to_multiple_of={multiple}.",
                    multiple
                ),
            )
            .corrected_by([edit]),
    )
}

pub(super) fn packing_with_cp(setup: &Setup) -> Option<Finding> {
    if !setup.cp_on() || !setup.facts.holds(Fact::Packing) {
        return None;
    }
    let refuses = setup.trl.is_some_and(|trl| trl.has(TRL_REFUSES_PACKING));
    let (stage, message) = if refuses {
        (Stage::Accelerator, message!("SFTTrainer stops: packing is not compatible with CP."))
    } else {
        (Stage::Silent, message!("Packed documents attend across their borders."))
    };
    Some(
        Finding::new(Id::PackingWithCp, Severity::Error, stage)
            .says(
                message,
                message!(
                    "Packing keeps documents apart by a block mask, and CP's hook takes every mask \
                 away. TRL refuses the two together from 1.11.0 (PR 6843)."
                ),
                message!("Set packing=False (and eval_packing=False), or leave CP out."),
            )
            .corrected_by([Edit::Script(Fact::Packing, "false".to_owned())]),
    )
}

pub(super) fn mask_dropped(setup: &Setup) -> Option<Finding> {
    let mask = setup.facts.get(Fact::AttentionMask).is_some_and(|value| {
        !["causal", "right-padding"].contains(&value) && truth(value) != Some(false)
    });
    let left = setup.facts.get(Fact::PaddingSide) == Some("left");
    if !setup.cp_on() || !(mask || left) {
        return None;
    }
    let mut edits = Vec::new();
    if mask {
        edits.push(Edit::Script(Fact::AttentionMask, "causal".to_owned()));
    }
    if left {
        edits.push(Edit::Script(Fact::PaddingSide, "right".to_owned()));
    }
    let message = if left && !mask {
        message!("The mask that hides padding on the left is dropped: tokens attend to padding.")
    } else {
        message!("The attention mask is dropped: attention is plain causal.")
    };
    Some(
        Finding::new(Id::MaskDropped, Severity::Warning, Stage::Silent)
            .says(
                message,
                message!("CP's hook on every self_attn sets attention_mask to None and is_causal to True."),
                message!("Pad on the right, where causal attention hides it, or leave CP out."),
            )
            .corrected_by(edits),
    )
}

pub(super) fn loss_unequal_shards(setup: &Setup) -> Option<Finding> {
    let unequal = setup.facts.get(Fact::ValidTokens) == Some("unequal");
    if !setup.cp_on() || !unequal || setup.facts.get(Fact::Loss) == Some("sum") {
        return None;
    }
    Some(
        Finding::new(Id::LossUnequalShards, Severity::Warning, Stage::Silent)
            .says(
                message!("The loss is wrong where shards hold different numbers of valid tokens."),
                message!("The documented loop averages each rank's mean, so a token on a shard with few of \
                 them weighs more than one on a shard with many."),
                message!("Sum each rank's losses, reduce sum and count over dp_cp, and divide once."),
            )
            .corrected_by([Edit::Script(Fact::Loss, "sum".to_owned())]),
    )
}
