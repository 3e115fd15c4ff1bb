//! The checklists say what is known, and no more.

use super::support::{CP_2, PLAIN_CPU, config, on, report, set, yaml};
use doctor::{Fate, Input, State, Step};
use plan::runtime::Preset;

fn lost_context(input: &Input) -> Vec<Step> {
    let story = report(input).stories.into_iter().find(|story| story.id == "lost-context");
    story.expect("it is always there").steps
}

#[test]
fn version_1_12_0_is_never_said_to_build_the_context() {
    let colab = Input { accelerate: Some("1.12.0".into()), ..Input::default() };
    let colab =
        on(set(colab, &[("launcher", "notebook"), ("num_processes", "1")]), Preset::ColabCpu);
    for input in [colab, config(CP_2, "1.12.0"), config(PLAIN_CPU, "1.12.0")] {
        let step = &lost_context(&input)[0];
        assert_ne!(step.state, State::Fine, "{step:?}");
        assert!(!step.answer.contains("builds it"), "{step:?}");
    }
    assert_eq!(lost_context(&config(CP_2, "1.13.0"))[0].state, State::Fine);
}

#[test]
fn what_could_not_be_read_is_not_judged() {
    let broken = report(&config("a: [1\nb: 2\n", "1.13.0"));
    for step in broken.stories.iter().flat_map(|story| story.steps.iter().skip(1)) {
        assert_eq!(step.state, State::Unknown, "{step:?}");
    }
    assert_eq!(broken.context.fate, Fate::Unknown);
    for size in ["four", "0"] {
        let line = format!("parallelism_config_cp_size: {size}");
        let input = config(yaml(&[("parallelism_config_cp_size: 2", &line)]), "1.13.0");
        for step in lost_context(&input).iter().skip(1) {
            assert_eq!(step.state, State::Unknown, "{step:?}");
        }
        assert_eq!(report(&input).context.fate, Fate::Unknown);
    }
}

#[test]
fn a_run_without_cp_is_not_at_fault() {
    let ddp = "distributed_type: MULTI_GPU\nnum_processes: 8\n";
    let deepspeed = "deepspeed_config:\n  zero_stage: 3\ndistributed_type: DEEPSPEED\n\
                     num_processes: 8\n";
    let fsdp = "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\n";
    for text in [ddp, deepspeed, fsdp, PLAIN_CPU] {
        let input = config(text, "1.13.0");
        assert_eq!(report(&input).findings, [], "{text}");
        let states: Vec<State> = lost_context(&input).iter().map(|step| step.state).collect();
        assert_eq!(states[1], State::Beside, "{text}");
        assert!(!states.contains(&State::Broken), "{text}: {states:?}");
    }
}
