//! The flags of a view lowered into the parts of `plan` that the view reads.

use plan::refusal::require_range;
use plan::traffic::AttentionShape;
use plan::{AttentionPlan, Mask, Refusal, RunConfig, Sequence, Strategy, WorldSize, run};

use crate::args::Shape;

/// Longer than a run may be, since nothing is computed on it.
const MAX_SEQ_LEN: usize = 1 << 20;

/// The flags over the default run; its sizes are checked by whoever uses them.
pub fn config(shape: &Shape) -> RunConfig {
    let mut config = RunConfig::default();
    macro_rules! overlay {
        ($($field:ident)*) => {
            $(if let Some(value) = &shape.$field { config.$field = value.clone().into(); })*
        };
    }
    overlay!(
        cp layout documents window strategy ulysses_degree heads kv_heads batch layers dp optimizer
    );
    config.d_model = config.heads.saturating_mul(head_dim(shape));
    let sum = config.documents.iter().fold(0usize, |sum, &n| sum.saturating_add(n));
    config.seq_len = match shape.seq_len {
        Some(seq_len) => seq_len,
        None if !config.documents.is_empty() => sum,
        None => config.seq_len,
    };
    config
}

fn head_dim(shape: &Shape) -> usize {
    let default = RunConfig::default();
    shape.head_dim.unwrap_or(default.d_model / default.heads)
}

fn cp(config: &RunConfig) -> Result<WorldSize, Refusal> {
    require_range("cp", config.cp, 1, plan::rank::MAX_WORLD_SIZE)?;
    WorldSize::new(config.cp)
}

/// The sequence as the ranks of a group share it.
pub fn sequence(config: &RunConfig) -> Result<Sequence, Refusal> {
    require_range("seq_len", config.seq_len, 1, MAX_SEQ_LEN)?;
    let mask = Mask::new(config.seq_len, &config.documents, config.window)?;
    Sequence::new(mask, config.layout, cp(config)?)
}

/// How a group shares attention.
pub fn strategy(config: &RunConfig) -> Result<Strategy, Refusal> {
    let (heads, kv_heads) = (config.heads, config.kv_heads());
    run::check_heads(heads, kv_heads)?;
    Strategy::new(config.strategy, cp(config)?, heads, kv_heads, config.ulysses_degree)
}

/// The schedule of one layer.
pub fn attention(config: &RunConfig) -> Result<AttentionPlan, Refusal> {
    Ok(AttentionPlan::new(sequence(config)?, strategy(config)?))
}

/// The sizes that traffic depends on.
pub fn attention_shape(shape: &Shape) -> Result<AttentionShape, Refusal> {
    let (config, head_dim) = (config(shape), head_dim(shape));
    require_range("head_dim", head_dim, 1, 4096)?;
    require_range("batch", config.batch, 1, 1024)?;
    let (heads, kv_heads) = (config.heads, config.kv_heads());
    Ok(AttentionShape { batch: config.batch, heads, kv_heads, head_dim })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_give_the_length_that_was_left_out() {
        let shape = Shape { documents: Some(vec![3, 5, 8]), ..Shape::default() };
        assert_eq!(config(&shape).seq_len, 16);
        let shape = Shape { seq_len: Some(15), ..shape };
        assert_eq!(sequence(&config(&shape)).expect_err("15 is not 16").field, "documents");
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_by_name() {
        let field =
            |shape: &Shape| attention(&config(shape)).expect_err("it must be refused").field;
        assert_eq!(field(&Shape { seq_len: Some(1 << 40), ..Shape::default() }), "seq_len");
        assert_eq!(field(&Shape { heads: Some(0), ..Shape::default() }), "heads");
        assert_eq!(field(&Shape { kv_heads: Some(0), ..Shape::default() }), "kv_heads");
        assert_eq!(field(&Shape { cp: Some(0), ..Shape::default() }), "cp");
    }
}
