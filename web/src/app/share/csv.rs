//! A run's numbers as CSV, in full precision.

use std::fmt::Write;

use plan::RunPlan;
use plan::fold::Curve;

use crate::app::record::Figures;

/// A row for each step; a field without a number is empty.
pub fn steps(curve: &Curve) -> String {
    let mut text = "step,loss,grad_norm,eval_loss,valid_tokens,seconds,tokens_per_s\n".to_owned();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for (step, n) in curve.steps().filter(|(_, n)| n.loss.is_some()) {
        let seconds = Some(n.took_us()).filter(|&us| us > 0).map(|us| us as f64 / 1e6);
        let speed = n.valid_tokens.zip(seconds).map(|(tokens, seconds)| tokens / seconds);
        let fields = [n.loss, n.grad_norm, n.eval_loss, n.valid_tokens, seconds, speed].map(number);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{},{}", step + 1, fields.join(","));
    }
    text
}

/// A row for each rank: what the plan says that it sends in its steps, and what it has sent.
pub fn traffic(plan: &RunPlan, figures: &Figures) -> String {
    let mut text = "rank,steps,messages_predicted,messages_measured,bytes_predicted,\
                    bytes_measured\n"
        .to_owned();
    for rank in 0..plan.mesh().world().get() as u16 {
        let (first, steps) = (figures.times.first(), figures.times.rank(rank).steps);
        let predicted = plan.run_traffic(first, first + steps);
        let measured = figures.sent.rank(rank);
        let _ = writeln!(
            text,
            "{rank},{steps},{},{},{},{}",
            predicted.messages, measured.messages, predicted.bytes, measured.bytes
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::Scalar;
    use plan::{Event, EventKind};

    #[test]
    fn a_step_is_a_row_in_full_precision() {
        let mut curve = Curve::default();
        let mut add = |at_us, kind| curve.add(&Event { rank: 0, step: 4, at_us, kind });
        add(1000, EventKind::StepBegin);
        add(1000, EventKind::Scalar { name: Scalar::Loss, value: 1.0 / 3.0 });
        add(1000, EventKind::Scalar { name: Scalar::ValidTokens, value: 256.0 });
        add(501_000, EventKind::StepEnd { took_us: 500_000 });
        curve.add(&Event { rank: 0, step: 5, at_us: 600_000, kind: EventKind::StepBegin });
        let rows: Vec<String> = steps(&curve).lines().map(str::to_owned).collect();
        assert_eq!(rows[1..], ["5,0.3333333333333333,,,256,0.5,512"]);
    }

    #[test]
    fn a_rank_is_a_row() {
        let plan = RunPlan::new(Default::default()).expect("the default run is possible");
        let text = traffic(&plan, &Figures::default());
        assert_eq!(text.lines().count(), 5);
        assert_eq!(text.lines().last(), Some("3,0,0,0,0,0"));
    }
}
