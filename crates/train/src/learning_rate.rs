//! The learning rate of each step: a linear warm-up, then a cosine down to a tenth of the peak.

use plan::RunConfig;

/// The rate never falls below this part of the peak.
const FLOOR: f64 = 0.1;

/// Learning rate at `step`, counted from 0.
pub(crate) fn learning_rate(config: &RunConfig, step: u32) -> f64 {
    let (step, warmup) = (f64::from(step), f64::from(config.warmup_steps.min(config.steps)));
    if step < warmup {
        return config.lr * (step + 1.0) / warmup;
    }
    let rest = (f64::from(config.steps) - warmup).max(1.0);
    let progress = ((step - warmup) / rest).min(1.0);
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
    config.lr * (FLOOR + (1.0 - FLOOR) * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_then_falls_to_the_floor() {
        let config = RunConfig { lr: 1.0, warmup_steps: 10, steps: 110, ..RunConfig::default() };
        assert_eq!(learning_rate(&config, 0), 0.1);
        assert_eq!(learning_rate(&config, 9), 1.0);
        assert_eq!(learning_rate(&config, 10), 1.0);
        assert!((learning_rate(&config, 60) - 0.55).abs() < 1e-12);
        assert!((learning_rate(&config, 500) - FLOOR).abs() < 1e-12);
    }

    #[test]
    fn no_warm_up_is_allowed() {
        let config = RunConfig { lr: 1.0, warmup_steps: 0, steps: 1, ..RunConfig::default() };
        assert_eq!(learning_rate(&config, 0), 1.0);
    }
}
