//! What the page's state does with lessons, and that every lesson of the page works in it.

use std::path::Path;

use lesson::compile::{self, Compiled};
use lesson::subject::{FIELDS, Kind, OF_BESIDE, SUBJECTS};
use lesson::{Condition, Index, LANGUAGES, pack};
use plan::command::Report;
use plan::event::{Axis, Op, Scalar};
use plan::{Event, EventKind};

use super::*;
use crate::app::fields::Field;
use crate::app::language::say_in;
use crate::app::lesson::measured::{Value, of};
use crate::app::presets::Preset;
use crate::app::state::Action;
use crate::cluster::ClusterEvent;

const ENGLISH: &str = "\
---
number: 1
title: Ring
goal: To know.
minutes: 5
steps:
  - id: run
    open: cp=2&seq_len=64
    show: [run]
    check: [\"cp = 2\", \"steps >= 2\"]
    solve: [press run]
  - id: share
    ask: { number: memory.kv, per: rank, unit: KB, within: 1 }
    solve: [answer]
  - id: who
    ask: { choice: [first, last], right: last }
    check: [\"loss < 9\"]
    solve: [answer]
---
## Run it {#run}
Your loss is {{live loss | 2}}.

## Share it {#share}
How much?

> hint: Look.

## Who {#who}
- {first} First
- {last} Last
";

const CHINESE: &str = "---\ntitle: 环\ngoal: 知道。\n---\n## 跑 {#run}\n{{live loss | 2}}\n\n## 分 {#share}\n\
                       多少？\n\n> hint: 看。\n\n## 谁 {#who}\n- {first} 一\n- {last} 二\n";

fn compiled() -> Compiled {
    let texts = [("ring.en.md", ENGLISH), ("ring.zh-CN.md", CHINESE)];
    let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
    compile::all(&texts.into()).expect("it is a lesson").remove(0)
}

/// Answers what the state asks of the lessons' files.
fn serve(state: &mut State, effects: Vec<Effect>) -> Vec<Effect> {
    let lesson = compiled();
    let (mut left, mut rest) = (effects, Vec::new());
    while let Some(effect) = left.pop() {
        let Effect::Fetch(file) = effect else {
            rest.push(effect);
            continue;
        };
        let language = LANGUAGES.iter().position(|code| *code == file.language.code());
        let language = language.expect("the page's languages are the lessons'");
        let bytes = match &file.lesson {
            None => pack(&Index { lessons: vec![lesson.entry(language, "ring.0.bin".into())] }),
            Some((id, file)) => {
                assert_eq!((&id[..], &file[..]), ("ring", "ring.0.bin"));
                pack(&lesson.lessons[language])
            }
        };
        let came = Act::Came(file, Some(bytes.expect("it is packed")));
        left.extend(state.apply(Action::Lesson(came)));
    }
    rest
}

fn opened(address: &str) -> State {
    let (mut state, effects) = State::open(address, Language::default());
    serve(&mut state, effects);
    state
}

fn act(state: &mut State, act: Act) -> Vec<Effect> {
    let effects = state.apply(Action::Lesson(act));
    serve(state, effects)
}

fn at(state: &State) -> (&str, &str) {
    state.lessons.address().expect("a lesson is open")
}

fn told(state: &State) -> Vec<String> {
    state.notices.iter().map(|notice| notice.words().into_owned()).collect()
}

/// All ranks do a step.
fn train(state: &mut State, step: u32, loss: f64) {
    let run = state.engine.run_id();
    for rank in 0..state.world() as u16 {
        let event = |kind| Event { rank, step, at_us: 0, kind };
        let sent = EventKind::Send {
            axis: Axis::Cp,
            op: Op::RingKv,
            seq: 0,
            to: 1,
            bytes: 100,
            block: None,
        };
        let events = vec![
            event(EventKind::StepBegin),
            event(sent),
            event(EventKind::Scalar { name: Scalar::Loss, value: loss }),
            event(EventKind::Scalar { name: Scalar::GradNorm, value: 2.0 }),
            event(EventKind::StepEnd { took_us: 10 }),
        ];
        let report = Report::Events { run, events, tokens: vec![], memory: 1 };
        state.apply(Action::Cluster(state.launch, ClusterEvent::Report { rank, report }));
    }
}

#[test]
fn a_deep_link_opens_the_step_and_stays_in_the_address() {
    let state = opened("v=1&cp=2&lesson=ring&step=share");
    assert_eq!(at(&state), ("ring", "share"));
    assert!(told(&state).is_empty(), "{:?}", told(&state));
    let address = state.address(Place::Groups);
    assert!(address.ends_with("&lesson=ring&step=share"), "{address}");
    assert!(!state.run_address(Place::Play).contains("lesson"));
    assert_eq!(at(&opened(&address)), ("ring", "share"));
}

#[test]
fn a_step_that_is_gone_opens_the_nearest_with_a_notice() {
    for (step, expect) in [("gone", "run"), ("2", "share"), ("99", "who"), ("0", "run")] {
        let state = opened(&format!("v=1&lesson=ring&step={step}"));
        assert_eq!(at(&state), ("ring", expect), "{step}");
        let told = told(&state);
        assert!(told.len() == 1 && told[0].contains(&format!("“{step}”")), "{told:?}");
    }
    assert!(told(&opened("v=1&lesson=ring")).is_empty());
}

#[test]
fn a_lesson_that_is_gone_opens_the_list_with_a_notice() {
    let state = opened("v=1&cp=2&lesson=magic&step=1");
    assert_eq!((state.place, state.lessons.open.is_none()), (Place::Learn, true));
    assert!(told(&state)[0].contains("“magic”"), "{:?}", told(&state));
    assert_eq!(state.form.get(Field::Cp), "2");
}

#[test]
fn the_lesson_follows_from_place_to_place_and_from_link_to_link() {
    let mut state = opened("v=1&lesson=ring&step=run");
    state.apply(Action::Go(Place::Doctor));
    assert_eq!(at(&state), ("ring", "run"));
    state.apply(Action::Open("v=1&cp=8&lesson=ring".into()));
    assert_eq!((at(&state), state.world()), (("ring", "run"), 8));
    state.apply(Action::Open("v=1&cp=8&lesson=ring&step=who".into()));
    assert_eq!(at(&state), ("ring", "who"));
    let effects = state.apply(Action::Open("v=1&cp=4".into()));
    assert_eq!(at(&state), ("ring", "who"));
    assert!(effects.iter().any(|e| matches!(e, Effect::WriteAddress(a) if a.ends_with("who"))));
    state.apply(Action::Open("v=1&cp=8&embed=1".into()));
    assert!(state.lessons.open.is_none());
    let inside = opened("v=1&embed=1&lesson=ring");
    assert!(inside.lessons.open.is_none());
}

#[test]
fn steps_are_gone_through_by_buttons_and_keys() {
    use crate::app::keys::Command;
    let mut state = opened("v=1&lesson=ring&step=run");
    let effects = act(&mut state, Act::Move(1));
    assert!(effects.iter().any(|e| matches!(e, Effect::PushAddress(a) if a.ends_with("share"))));
    assert!(state.lessons.open.as_ref().is_some_and(|open| open.wants_focus));
    act(&mut state, Act::Focused);
    state.apply(Action::Press(Command::LessonOn, 0));
    state.apply(Action::Press(Command::LessonOn, 0));
    assert_eq!(at(&state), ("ring", "who"));
    state.apply(Action::Press(Command::LessonBack, 0));
    assert_eq!(at(&state), ("ring", "share"));
    act(&mut state, Act::Close);
    assert!(state.apply(Action::Press(Command::LessonOn, 0)).is_empty());
}

#[test]
fn back_and_forward_go_from_step_to_step_and_leave_the_run() {
    let mut state = opened("v=1&lesson=ring&step=run");
    let before = state.address(state.place);
    act(&mut state, Act::Move(1));
    state.apply(Action::Set(Field::Cp, "8".into()));
    let after = state.address(state.place);
    let effects = state.apply(Action::Return(before.clone()));
    assert_eq!((at(&state), state.world()), (("ring", "run"), 8));
    assert!(state.lessons.open.as_ref().is_some_and(|open| open.wants_focus));
    let written = |a: &str| a.contains("cp=8") && a.ends_with("run");
    assert!(matches!(&effects[..], [Effect::WriteAddress(a)] if written(a)), "{effects:?}");
    state.apply(Action::Return(after));
    assert_eq!(at(&state), ("ring", "share"));
    // Before the lesson there was none.
    state.apply(Action::Return("v=1&cp=8".into()));
    assert!(state.lessons.open.is_none());
    let effects = state.apply(Action::Return(before));
    serve(&mut state, effects);
    assert_eq!((at(&state), state.world()), (("ring", "run"), 8));
}

#[test]
fn a_lesson_that_is_opened_at_a_later_step_can_be_set_up_there() {
    let begins =
        |state: &State| state.lessons.open.as_ref().and_then(Open::begins).map(str::to_owned);
    let mut state = opened("v=1&lesson=ring&step=share");
    assert_eq!(begins(&state).as_deref(), Some("cp=2&seq_len=64"));
    act(&mut state, Act::SetUp);
    assert_eq!((at(&state), state.world()), (("ring", "share"), 2));
    // Who comes from the step before has set it up there.
    act(&mut state, Act::Move(1));
    assert_eq!(begins(&state), None);
    act(&mut state, Act::Go(0));
    assert!(begins(&state).is_some());
    act(&mut state, Act::Move(1));
    assert_eq!(begins(&state), None);
    assert!(act(&mut state, Act::SetUp).is_empty());
}

#[test]
fn the_learner_is_led_to_where_the_step_begins() {
    let mut state = opened("v=1&view=doctor&lesson=ring&step=run");
    let effects = act(&mut state, Act::Lead);
    assert!(effects.contains(&Effect::Reveal("run".into())), "{effects:?}");
    assert_eq!(state.place, Place::Play);
    act(&mut state, Act::Move(1));
    assert!(act(&mut state, Act::Lead).is_empty());
}

#[test]
fn what_the_learner_does_is_seen_and_kept() {
    let mut state = opened("v=1&lesson=ring&step=run");
    let seen = |state: &State| state.lessons.open.as_ref().expect("open").seen.clone();
    assert_eq!(seen(&state).conditions[0], (false, "Ranks: 4; needed: 2".to_owned()));
    assert_eq!(seen(&state).live, ["–"]);
    let effects = act(&mut state, Act::SetUp);
    assert_eq!(state.world(), 2);
    assert!(effects.iter().any(|e| matches!(e, Effect::WriteAddress(a) if a.contains("cp=2"))));
    assert_eq!(at(&state), ("ring", "run"));
    let words = "Steps done: 0; needed: at least 2".to_owned();
    assert_eq!(seen(&state).conditions, [(true, "Ranks: 2; needed: 2".into()), (false, words)]);
    for rank in 0..2 {
        state.apply(Action::Cluster(state.launch, ClusterEvent::Ready { rank }));
    }
    state.apply(Action::Run);
    train(&mut state, 0, 5.0);
    train(&mut state, 1, 4.5);
    // The check is looked at when something is drawn.
    let effects = act(&mut state, Act::Look);
    assert_eq!(effects, [Effect::KeepProgress("ring/run".into())]);
    assert_eq!(seen(&state).live, ["4.50"]);
    assert!(act(&mut state, Act::Look).is_empty());
    // What is set up anew begins anew; what was done stays done.
    act(&mut state, Act::SetUp);
    assert_eq!(state.steps(), 0);
    assert!(!seen(&state).conditions[1].0 && state.lessons.is_done("ring", "run"));
    act(&mut state, Act::Close);
    act(&mut state, Act::Open("ring".into()));
    assert_eq!(at(&state), ("ring", "share"));
}

#[test]
fn a_failure_is_seen_at_once() {
    let mut state = opened("v=1&cp=2&lesson=ring&step=run");
    let lesson = state.lessons.make_mut().open.as_mut().and_then(|open| open.lesson.as_mut());
    let failed = Condition { subject: "failed".into(), op: lesson::Op::Is, value: "yes".into() };
    Rc::make_mut(lesson.expect("it is here")).steps[0].check = vec![failed];
    let failure = crate::cluster::Failure::of_rank(1, "no-context".into(), "why".into());
    let event = ClusterEvent::Failure(failure);
    let effects = state.apply(Action::Cluster(state.launch, event));
    assert!(effects.contains(&Effect::KeepProgress("ring/run".into())), "{effects:?}");
    assert_eq!(of(&state, "error"), Some(Value::Word("no-context".into())));
}

#[test]
fn an_answer_is_compared_with_what_was_measured() {
    let mut state = opened("v=1&cp=2&lesson=ring&step=share");
    let given = |state: &State| state.lessons.open.as_ref().expect("open").given;
    let kv = plan::memory::memory(&state.plan)[0].kv as f64 / 1e3;
    for (text, expect) in [
        ("", Given::NoNumber),
        ("much", Given::NoNumber),
        ("1", Given::Wrong),
        (&format!("{}", kv + 2.0)[..], Given::Wrong),
        (&format!("{:.1}", kv + 0.5), Given::Right),
        (&format!("{kv:.1}").replace('.', ","), Given::Right),
    ] {
        act(&mut state, Act::Answer(Reply::Number(text.to_owned())));
        assert_eq!(given(&state), expect, "{text}");
    }
    assert!(state.lessons.is_done("ring", "share"));
    act(&mut state, Act::Move(1));
    assert_eq!(given(&state), Given::Nothing);
    act(&mut state, Act::Answer(Reply::Option(0)));
    assert_eq!(given(&state), Given::Wrong);
    act(&mut state, Act::Answer(Reply::Option(1)));
    assert_eq!(given(&state), Given::Right);
    // The right answer alone is not enough: nothing was trained yet.
    assert!(!state.lessons.is_done("ring", "who"));
}

#[test]
fn another_language_brings_the_same_step() {
    let mut state = opened("v=1&lesson=ring&step=who");
    act(&mut state, Act::Pick(1));
    act(&mut state, Act::Type("4,5".into()));
    let typed = |state: &State| state.lessons.open.as_ref().map(|open| open.typed.clone());
    let picked = |state: &State| state.lessons.open.as_ref().and_then(|open| open.picked);
    let effects = state.apply(Action::Speak(Language::Chinese));
    assert!(state.lessons.step().is_some(), "the old text stays until the new one is here");
    serve(&mut state, effects);
    assert_eq!(state.lessons.step().map(|step| &step.title[..]), Some("谁"));
    assert_eq!((at(&state), picked(&state)), (("ring", "who"), Some(1)));
    assert_eq!(typed(&state).as_deref(), Some("4,5"));
    act(&mut state, Act::Move(-1));
    act(&mut state, Act::Move(1));
    assert_eq!((picked(&state), typed(&state).as_deref()), (None, Some("")));
}

#[test]
fn a_file_that_does_not_come_is_said_and_asked_for_again() {
    let (mut state, effects) = State::open("v=1&view=learn", Language::default());
    let file = File { language: Language::English, lesson: None };
    assert!(effects.contains(&Effect::Fetch(file.clone())));
    for bytes in [None, Some(b"<!doctype html>".to_vec())] {
        let came = Act::Came(file.clone(), bytes);
        assert!(state.apply(Action::Lesson(came)).is_empty());
        assert!(state.lessons.failed && state.lessons.index.is_none());
        assert_eq!(state.apply(Action::Lesson(Act::Retry)), [Effect::Fetch(file.clone())]);
        assert!(!state.lessons.failed);
    }
}

#[test]
fn two_runs_are_measured_beside_each_other() {
    let mut state = opened("v=1&cp=2&seq_len=64");
    let number = |state: &State, subject: &str| measured::number(state, subject);
    assert_eq!(number(&state, "beside.loss"), None);
    train(&mut state, 0, 5.0);
    train(&mut state, 1, 4.0);
    state.apply(Action::Beside(true));
    state.apply(Action::Reset);
    train(&mut state, 0, 5.0);
    assert_eq!(number(&state, "parted"), None);
    train(&mut state, 1, 4.5);
    for (subject, expect) in [
        ("steps", 2.0),
        ("loss", 4.5),
        ("beside.loss", 4.0),
        ("beside.steps", 2.0),
        ("beside.cp", 2.0),
        ("parted", 2.0),
        ("loss_gap", 0.5),
        ("norm_ratio", 1.0),
        ("bytes_ratio", 1.0),
        ("messages", 2.0),
        ("bytes", 200.0),
        ("beside.bytes", 200.0),
        ("seq_len", 64.0),
    ] {
        assert_eq!(number(&state, subject), Some(expect), "{subject}");
    }
    assert_eq!(number(&state, "loss_falls"), None);
    assert_eq!(of(&state, "window"), Some(Value::Word("none".into())));
    for step in 2..20 {
        train(&mut state, step, 1.0);
    }
    let falls = number(&state, "loss_falls").expect("twenty steps");
    assert!((falls - 10.0 / 17.5).abs() < 1e-9, "{falls}");
}

#[test]
fn every_subject_of_the_table_is_known_here_and_has_words() {
    let mut state = opened("v=1&cp=2&seq_len=64");
    state.apply(Action::Beside(true));
    let of_kept = OF_BESIDE.iter().map(|name| format!("beside.{name}"));
    let names = SUBJECTS.iter().map(|(name, ..)| (*name).to_owned()).chain(of_kept);
    for name in names {
        let value = of(&state, &name).unwrap_or_else(|| panic!("{name} is not known"));
        let kind = lesson::subject::kind(&name).expect("it is in the table");
        assert_eq!(matches!(value, Value::Number(_)), kind == Kind::Number, "{name}: {value:?}");
        if let (Kind::Word(words), Value::Word(word)) = (kind, &value) {
            assert!(words.contains(&&word[..]), "{name} is {word}, not one of {words:?}");
        }
        let told = words::name(&name);
        assert!(!told.contains("lesson."), "{name} is called {told}");
    }
    assert_eq!(of(&state, "mood"), None);
}

/// `fault` is a setting that every lesson may use, whether or not this page has faults to inject.
#[test]
fn settings_are_those_of_the_page() {
    let page = Field::ALL.map(Field::key);
    assert!(page.iter().all(|key| FIELDS.contains(key)), "{page:?}");
    let others = FIELDS.iter().filter(|key| !page.contains(*key));
    assert!(others.into_iter().all(|key| *key == "fault"));
}

#[test]
fn presets_can_be_named() {
    for preset in Preset::ALL {
        assert!(lesson::subject::can_show(&format!("preset-{}", preset.key())));
    }
}

#[test]
fn the_buttons_that_lessons_name_are_marked() {
    let mut sources = String::new();
    for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app/view")) {
        let entry = entry.expect("the views can be listed");
        if entry.file_type().is_file() {
            sources += &std::fs::read_to_string(entry.path()).expect("a view can be read");
        }
    }
    for button in lesson::subject::BUTTONS {
        // The toolbar's are named after their words.
        assert!(sources.contains(&format!("\"{button}\"")), "no view marks {button}");
    }
    for id in lesson::subject::INPUTS {
        let doctor = id.strip_prefix("doctor-").is_some_and(|part| part != "machine");
        assert!(doctor || sources.contains(&format!("id=\"{id}\"")), "no input is {id}");
    }
    for panel in lesson::subject::PANELS {
        let known = ["\"{}\"", "\"{} ", "{}\""]
            .iter()
            .any(|form| sources.contains(&form.replace("{}", panel)));
        assert!(known, "no view is {panel}");
    }
}

/// Every lesson of the page: its addresses open without a notice, its conditions have words.
#[test]
fn the_lessons_of_the_page_fit_the_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons");
    let lessons = compile::folder(&folder).expect("the lessons are lessons");
    let (state, _) = State::open("v=1", Language::default());
    for lesson in lessons.iter().flat_map(|compiled| &compiled.lessons) {
        for step in &lesson.steps {
            let place = format!("{}, {}", lesson.id, step.id);
            let needs_faults = step.open.as_ref().is_some_and(|open| open.contains("fault="))
                || step.check.iter().any(|condition| condition.subject.ends_with("fault"));
            if needs_faults && Field::by_key("fault").is_none() {
                continue;
            }
            let opened = address::read(step.open.as_deref().unwrap_or_default());
            let notices: Vec<_> = opened.notices.iter().map(|n| n.words().into_owned()).collect();
            assert!(notices.is_empty(), "{place}: {notices:?}");
            let blocks = step.body.iter().chain(&step.hint).chain(&lesson.intro);
            for html in blocks.flat_map(|block| &block.pieces) {
                for link in html.split("<a href=\"#").skip(1) {
                    let link = link.split('"').next().unwrap_or_default().replace("&amp;", "&");
                    let opened = address::read(&link);
                    assert!(opened.notices.is_empty(), "{place}: {link}: {:?}", opened.notices);
                    assert_eq!(opened.lesson.map(|(id, _)| id).as_ref(), Some(&lesson.id));
                }
            }
            for condition in &step.check {
                let Condition { subject, .. } = condition;
                assert!(of(&state, subject).is_some(), "{place}: {subject}");
                let words = words::of(&state, condition);
                assert!(!words.contains("lesson."), "{place}: {words}");
            }
        }
    }
}

#[test]
fn words_of_the_machinery_are_there_in_every_language() {
    for language in Language::ALL {
        for op in lesson::Op::ALL {
            let key = format!("lesson.needs.{}", op.key());
            let said = say_in(language.code(), &key, &[("value", &"5")]);
            assert!(said.contains('5') && !said.contains(&key), "{language:?}: {said}");
        }
    }
}
