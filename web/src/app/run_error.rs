//! What a rank's own error says, as a message that can be told in the language of the page.

use plan::{Message, Refusal, RunPlan, WorldSize, message};

/// The error of this kind, which a rank of `plan`'s run told in English; as it stands where the page
/// does not know how it is told.
pub fn read(plan: &RunPlan, kind: &str, text: String) -> Message {
    let between = |before: &str, after: &str| {
        let (_, rest) = text.split_once(before)?;
        Some(rest.split_once(after)?.0.to_owned())
    };
    let size = plan.config().cp;
    let known = match kind {
        "cp-not-configured" => Some(message!(
            "there is no CP context: context parallelism is not configured; give a CpConfig, whose size may be 1, before anything asks for the context"
        )),
        "cp-before-group" => Some(message!(
            "there is no CP context yet: cp = {size} is configured, and there is no process group; start the ranks and build the CpContext of each before anything asks for it",
            size
        )),
        "cp-version" => between("contract ", " ").zip(between(" for ", ";")).map(
            |(offered, wanted)| {
                message!(
                    "the CP context follows contract {offered} and the caller was written for {wanted}; use versions of the two that fit each other",
                    offered,
                    wanted
                )
            },
        ),
        // Each rank was alone.
        "cp-unsupported" => WorldSize::new(1).ok().and_then(|one| plan.cp().mesh(one).err()).map(
            |Refusal { field, value, reason, works }| {
                message!("{field} = {value}: {reason}; {works}", field, value, reason, works)
            },
        ),
        "diverged" => between("step ", ":").zip(between(" is ", ";")).map(|(step, loss)| {
            match loss.split_once(' ').zip(loss.rsplit_once(" is ")) {
                Some(((loss, _), (_, norm))) => message!(
                    "step {step}: the loss is {loss} and the norm of its gradient is {norm}; the parameters have left the range of numbers, try a smaller lr or a grad_clip above 0",
                    step,
                    loss,
                    norm
                ),
                None => message!(
                    "step {step}: the loss is {loss}; the parameters have left the range of numbers, try a smaller lr or a grad_clip above 0",
                    step,
                    loss
                ),
            }
        }),
        // What is a tensor, an operation or a rank's own word stays as it was said.
        "comm" => match text.split_once(": expected ").zip(text.rsplit_once(", got ")) {
            Some(((at, rest), (_, got))) => rest.rsplit_once(", got ").map(|(expected, _)| {
                message!("{at}: expected {expected}, got {got}", at, expected, got)
            }),
            None => None,
        },
        _ => None,
    };
    known.filter(|known| *known == *text).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::language::{Language, told_in};
    use plan::RunConfig;

    #[test]
    fn errors_of_the_failure_lab_are_told_in_chinese() {
        let config = RunConfig { cp: 2, ..RunConfig::default() };
        let plan = RunPlan::new(config).expect("a possible run");
        for (kind, text, expect) in [
            (
                "cp-not-configured",
                "there is no CP context: context parallelism is not configured; give a CpConfig, \
                 whose size may be 1, before anything asks for the context",
                "没有 CP 上下文",
            ),
            (
                "cp-before-group",
                "there is no CP context yet: cp = 2 is configured, and there is no process group; \
                 start the ranks and build the CpContext of each before anything asks for it",
                "cp = 2",
            ),
            (
                "cp-version",
                "the CP context follows contract 1.0 and the caller was written for 2.0; use \
                 versions of the two that fit each other",
                "契约版本是 1.0",
            ),
            (
                "cp-unsupported",
                "world_size = 1: cp = 2 ranks share a sequence, and 2 does not divide 1; start 2 \
                 ranks, or choose a cp that divides 1",
                "world_size = 1：",
            ),
        ] {
            let message = read(&plan, kind, text.to_owned());
            assert_eq!(message, text);
            let told = told_in(Language::Chinese, &message);
            assert!(told.contains(expect) && !told.contains("the "), "{told}");
        }
        for (kind, text, expect) in [
            (
                "diverged",
                "step 8: the loss is NaN; the parameters have left the range of numbers, try a \
                 smaller lr or a grad_clip above 0",
                "第 8 步：损失为 NaN",
            ),
            (
                "diverged",
                "step 8: the loss is 3.2500 and the norm of its gradient is inf; the parameters \
                 have left the range of numbers, try a smaller lr or a grad_clip above 0",
                "梯度范数为 inf",
            ),
            (
                "comm",
                "rank 1, ring #3 of group cp: expected f32 [2, 3] from rank 0, got f32 [4]",
                "预期 f32 [2, 3] from rank 0，实际 f32 [4]",
            ),
        ] {
            let message = read(&plan, kind, text.to_owned());
            assert_eq!(message, text);
            let told = told_in(Language::Chinese, &message);
            assert!(told.contains(expect), "{told}");
        }
        for (kind, text) in [("cp-version", "something else"), ("comm", "rank 1 has stopped")] {
            let message = read(&plan, kind, text.to_owned());
            assert_eq!(told_in(Language::Chinese, &message), text);
        }
    }
}
