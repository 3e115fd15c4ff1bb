//! The numbers of a step that are drawn as a curve: loss, gradient norm, tokens per second.

use crate::t;
use plan::fold::Curve;

use crate::app::format;

/// Steps that the speed is averaged over.
pub const SPEED_WINDOW: usize = 10;

/// One curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Mean loss.
    #[default]
    Loss,
    /// Norm of the gradient.
    GradNorm,
    /// Tokens per second.
    Speed,
}

impl Metric {
    /// Every curve.
    pub const ALL: [Self; 3] = [Self::Loss, Self::GradNorm, Self::Speed];

    /// Its key in the catalogues.
    pub fn key(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::GradNorm => "norm",
            Self::Speed => "speed",
        }
    }

    /// Its name on the page.
    pub fn name(self) -> String {
        t!(format!("curve.{}.name", self.key())).into_owned()
    }

    /// Its value at each step that has one, in order; the run began after step `first`.
    pub fn values(self, curve: &Curve, first: u32) -> Vec<(u32, f64)> {
        match self {
            Self::Loss => curve.losses(),
            Self::GradNorm => curve.grad_norms(),
            Self::Speed => curve.rates(0, first, SPEED_WINDOW),
        }
    }

    /// A value as people read it.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Loss | Self::GradNorm => format!("{value:.4}"),
            Self::Speed => format::count(value.round().max(0.0) as u64),
        }
    }

    /// The value of one step in words; `other` is what one rank alone has.
    pub fn sentence(self, (step, value): (u32, f64), other: Option<f64>) -> String {
        let words =
            t!(format!("curve.{}.reading", self.key()), step = step + 1, value = self.text(value));
        match other {
            Some(other) => format!("{words}{}", t!("curve.and_one_rank", loss = self.text(other))),
            None => words.into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_in_words() {
        for (metric, expect) in [
            (Metric::Loss, "Step 17: loss 1234.5678"),
            (Metric::GradNorm, "Step 17: gradient norm 1234.5678"),
            (Metric::Speed, "Step 17: 1\u{202f}235 tokens per second"),
        ] {
            assert_eq!(metric.sentence((16, 1234.5678), None), expect);
        }
        let both = Metric::Loss.sentence((0, 5.0), Some(5.25));
        assert_eq!(both, "Step 1: loss 5.0000, one rank 5.2500");
    }
}
