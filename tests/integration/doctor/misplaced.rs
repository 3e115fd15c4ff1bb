//! Texts that stand in another's place: each is read for what it is, and told where it belongs.

use super::support::{CP_2, CP_FLAGS, config, flags, ids, report, set};
use doctor::{Form, Input, Misplaced, Verdict};

fn error(text: &str) -> Input {
    Input { error: Some(text.to_owned()), accelerate: Some("1.12.0".into()), ..Input::default() }
}

/// The same as typed on the page, where every place is a text.
fn typed(given_as: Form, text: &str) -> Input {
    let misplaced = Misplaced::of(given_as, text).expect("it is another's");
    Input { misplaced: vec![misplaced], accelerate: Some("1.12.0".into()), ..Input::default() }
}

const CONFIGURATION: &str = "Move it to “accelerate configuration”";
const LINE: &str = "Move it to “Launch line”";
const VARIABLES: &str = "Move it to “Variables and facts”";
const ERROR: &str = "Move it to “Error message”";

#[test]
fn what_is_misplaced_is_read_and_told_where_it_belongs() {
    let line = format!("$ accelerate launch {CP_FLAGS}");
    let traceback = format!(
        "$ accelerate launch t.py\nlr: 0.1\nTraceback (most recent call last):\n\
                             AttributeError: {NO_CONTEXT}\n"
    );
    let never_built = &["misplaced-text", "cp-context-never-built"][..];
    for (input, expect, fix) in [
        (error(CP_2), never_built, CONFIGURATION),
        (typed(Form::Launch, CP_2), never_built, CONFIGURATION),
        (typed(Form::Settings, CP_2), never_built, CONFIGURATION),
        (error(&line), never_built, LINE),
        (config(line.clone(), "1.12.0"), never_built, LINE),
        (typed(Form::Settings, &line), never_built, LINE),
        (error("torchrun --nproc_per_node 8 t.py"), &["misplaced-text", "not-understood"], LINE),
        (error("WORLD_SIZE=8\nRANK=x\n"), &["misplaced-text", "bad-value"], VARIABLES),
        (config("export RANK=x", "1.12.0"), &["misplaced-text", "bad-value"], VARIABLES),
        (config(traceback.clone(), "1.12.0"), &["misplaced-text"], ERROR),
        (typed(Form::Launch, &traceback), &["misplaced-text"], ERROR),
        (typed(Form::Settings, &traceback), &["misplaced-text"], ERROR),
    ] {
        assert_eq!(ids(&input), expect, "{input:#?}");
        let told = report(&input);
        assert!(told.findings[0].fix.contains(fix), "{:?}", told.findings[0]);
        assert_eq!(told.error.is_some_and(|e| e.is_known()), fix == ERROR, "{input:#?}");
    }
    let whole = format!("export NCCL_DEBUG=INFO\n# so far\naccelerate launch \\\n {CP_FLAGS}");
    assert_eq!(ids(&error(&whole)), ["misplaced-text", "cp-context-never-built"]);
}

const NO_CONTEXT: &str = "'Accelerator' object has no attribute '_cp_context'";

#[test]
fn what_stands_in_its_own_place_is_left_there() {
    let traceback =
        format!("{CP_2}Traceback (most recent call last):\nAttributeError: {NO_CONTEXT}");
    let told = report(&error(&traceback));
    assert!(told.error.is_some_and(|error| error.is_known()) && told.findings.is_empty());
    for text in ["it hangs", "accelerate launch stops at once", "accelerate==1.12.0", "debug"] {
        assert_eq!(ids(&error(text)), [""; 0], "{text}");
    }
}

#[test]
fn where_there_is_no_room_it_is_not_read() {
    let both =
        Input { error: Some("distributed_type: MULTI_GPU\n".into()), ..config(CP_2, "1.13.0") };
    let told = report(&both);
    assert_eq!((ids(&both), told.verdict), (vec!["misplaced-text"], Verdict::Warning));
    assert!(told.findings[0].why.contains("holds one already"), "{:?}", told.findings);
    let line = "accelerate launch --cpu t.py";
    let both = Input { error: Some(line.into()), ..flags(CP_FLAGS, "1.13.0") };
    assert_eq!((ids(&both), report(&both).verdict), (vec!["misplaced-text"], Verdict::Warning));
    // A setting in its own place counts, and the others are added.
    let both = set(error("seq_len=7\nRANK=x\n"), &[("RANK", "0")]);
    assert_eq!(ids(&both), ["misplaced-text"]);
}
