//! What a lesson may hold, and how what it may not is told.

use std::path::Path;

use super::*;
use crate::action::Answer;
use crate::{Block, Condition, Format, Op, Unit};

const ENGLISH: &str = "\
---
number: 3
title: Who waits
goal: You can say who waits.
minutes: 6
steps:
  - id: one
    open: cp=2&seq_len=64
    show: [run, seq_len]
    check: [\"cp = 2\", \"steps >= 5\"]
    solve: [press run, wait]
  - id: two
    ask: { number: memory.kv, per: rank, unit: KiB, within: 1 }
    check: [\"waiting < 0.5\"]
    solve: [answer]
    fail: [answer wrong]
  - id: three
    ask: { choice: [first, last], right: last }
    solve: [answer]
---
Before it all: {{efficiency cp=8 layout=contiguous seq_len=4096 | percent}} and $S^2$.

## The first {#one}
Press `run`. Your loss is {{live loss | 2}}, see [the paper](https://example.org/a?b=1&c=2) and
[this run](#v=1&cp=8).

$$ \\frac{a}{b} $$

```python
x = 0.5  # {{no claim}}
```

> hint: Press **run**.

## The second {#two}
How much?

- a
- list

## The third {#three}
Who?

- {first} The first, with {{pairs.most | count}} pairs
- {last} The *last*
";

const CHINESE: &str = "\
---
title: 谁在等待
goal: 你能说出谁在等待。
---
开始之前。

## 第一步 {#one}
按 `run`，loss 是 {{live loss | 2}}。

> hint: 按**运行**。

## 第二步 {#two}
多少？

## 第三步 {#three}
谁？

- {first} 第一个
- {last} 最后一个
";

fn texts(english: &str, chinese: &str) -> BTreeMap<String, String> {
    let named = |language: &str, text: &str| (format!("waits.{language}.md"), text.to_owned());
    [named("en", english), named("zh-CN", chinese)].into()
}

fn compiled() -> Compiled {
    let mut lessons = all(&texts(ENGLISH, CHINESE)).expect("it is a lesson");
    lessons.remove(0)
}

/// What is wrong with the lesson after `from` became `to` in its English, or in its Chinese text.
fn wrong(from: &str, to: &str) -> String {
    assert!(ENGLISH.contains(from) || CHINESE.contains(from), "{from}");
    let (english, chinese) = match ENGLISH.contains(from) {
        true => (ENGLISH.replacen(from, to, 1), CHINESE.to_owned()),
        false => (ENGLISH.to_owned(), CHINESE.replacen(from, to, 1)),
    };
    let errors = all(&texts(&english, &chinese)).expect_err(to);
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn text(blocks: &[Block]) -> String {
    blocks.iter().flat_map(|block| &block.pieces).map(String::as_str).collect()
}

#[test]
fn a_lesson_is_compiled_with_all_its_parts() {
    let Compiled { number, minutes, lessons, trials } = compiled();
    assert_eq!((number, minutes), (3, 6));
    assert_eq!(lessons[1].title, "谁在等待");
    let lesson = &lessons[0];
    assert_eq!(
        lesson.steps.iter().map(|step| &step.id[..]).collect::<Vec<_>>(),
        ["one", "two", "three"]
    );
    let intro = text(&lesson.intro);
    assert!(intro.starts_with("<p>Before it all: 53 % and <math"), "{intro}");
    let [one, two, three] = &lesson.steps[..] else { panic!("three steps") };
    assert_eq!(one.open.as_deref(), Some("cp=2&seq_len=64"));
    assert_eq!(one.show, ["run", "seq_len"]);
    let least = Condition { subject: "steps".into(), op: Op::AtLeast, value: "5".into() };
    assert_eq!(one.check[1], least);
    assert_eq!(text(&one.hint), "<p>Press <strong>run</strong>.</p>");
    assert_eq!(one.body[0].pieces.len(), 2);
    assert_eq!(
        one.body[0].live,
        [crate::Live { subject: "loss".into(), format: Format::Decimals(2) }]
    );
    let body = text(&one.body);
    for part in [
        "<a href=\"https://example.org/a?b=1&amp;c=2\" target=\"_blank\" rel=\"noopener\">the paper</a>",
        "<a href=\"#v=1&amp;cp=8&amp;lesson=waits\">this run</a>",
        "<div class=\"formula\" tabindex=\"0\"><math",
        "{{no claim}}",
        "<code>run</code>",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    assert_eq!(
        two.ask,
        Some(Ask::Number {
            subject: "memory.kv".into(),
            per_rank: true,
            unit: Unit::Kibibyte,
            within: 1.0
        })
    );
    assert!(text(&two.body).contains("<li>a</li>"));
    let Some(Ask::Choice { options, right: 1 }) = &three.ask else { panic!("{three:?}") };
    assert_eq!(options[1].1.pieces, ["The <em>last</em>"]);
    assert_eq!(options[0].1.pieces, ["The first, with 14\u{202f}368 pairs"]);
    assert_eq!(trials[1].fail, [Action::Answer(Answer::Wrong)]);
}

#[test]
fn no_style_and_no_placeholder_is_left_in_the_html() {
    for lesson in compiled().lessons {
        for step in &lesson.steps {
            let html = text(&step.body) + &text(&step.hint);
            assert!(!html.contains("style="), "{html}");
            assert!(!html.contains(|c| ('\u{e000}'..='\u{f8ff}').contains(&c)), "{html}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_file_and_line() {
    let mut others = Vec::new();
    for (from, to, says) in [
        // The front matter.
        ("number: 3", "number: three", "waits.en.md:2: "),
        ("goal: You can say who waits.", "goal: a: b: c", "waits.en.md:4: "),
        ("minutes: 6", "hours: 6", "waits.en.md:5: "),
        ("---\nnumber", "number", "waits.en.md:1: a lesson begins with its front matter"),
        ("  - id: two", "  - id: one", "waits.en.md:12: there are two steps one"),
        ("  - id: two", "  - id: Step 2", "waits.en.md:12: Step 2 is no id"),
        (
            "\"steps >= 5\"",
            "\"mood >= 5\"",
            "waits.en.md:10: mood >= 5: there is nothing called mood",
        ),
        ("\"steps >= 5\"", "\"steps ~ 5\"", "waits.en.md:10: steps ~ 5: no operator"),
        ("\"steps >= 5\"", "\"steps => 5\"", "waits.en.md:10: steps => 5: no such operator"),
        ("\"steps >= 5\"", "\"steps >= some\"", "waits.en.md:10: steps >= some: steps is a number"),
        (
            "\"steps >= 5\"",
            "\"place = moon\"",
            "waits.en.md:10: place = moon: place is one of play",
        ),
        ("\"steps >= 5\"", "\"place > play\"", "compared with = or !="),
        ("\"steps >= 5\"", "\"layout > zigzag\"", "> compares numbers"),
        ("[run, seq_len]", "[run, colour]", "waits.en.md:9: there is no control colour"),
        ("[press run, wait]", "[press it, wait]", "waits.en.md:11: there is no button it"),
        ("    solve: [press run, wait]\n", "", "waits.en.md:7: step one does not say how"),
        ("number: memory.kv", "number: beauty", "waits.en.md:13: there is no number called beauty"),
        ("unit: KiB", "unit: acre", "waits.en.md:13: there is no unit acre"),
        ("right: last", "right: none", "waits.en.md:18: none is none of the options"),
        ("choice: [first, last], right: last", "choice: [first, last]", "needs its right answer"),
        // The text.
        ("efficiency cp=8", "beauty cp=8", "waits.en.md:21: there is no measure beauty"),
        ("efficiency cp=8", "efficiency colour=8", "waits.en.md:21: "),
        (
            "{{live loss | 2}}, see",
            "{{live luck}}, see",
            "waits.en.md:24: there is nothing called luck",
        ),
        ("{{live loss | 2}}, see", "<b>2</b>, see", "waits.en.md:24: HTML does not belong"),
        ("{{live loss | 2}}, see", "{{live loss, see", "waits.en.md:24: {{ begins a claim"),
        ("{{live loss | 2}}, see", "2.08, see", "waits.en.md:24: 2.08 is no claim"),
        ("{{live loss | 2}}, see", "50 %, see", "waits.en.md:24: 50 is no claim"),
        ("https://example", "javascript:example", "waits.en.md:24: the link javascript:"),
        ("\\frac{a}{b}", "\\frac{a", "waits.en.md:27: $ was not read as Markdown"),
        ("\\frac{a}{b}", "\\nosuch{a}", "waits.en.md:27: the formula"),
        ("按**运行**。", "按**“运行”**。", "waits.zh-CN.md:10: ** was not read as Markdown"),
        ("```python", "```cobol", "waits.en.md:29: there are no colours for cobol"),
        ("{#two}", "", "waits.en.md:35: a step's heading ends with its id"),
        ("{#two}", "{#one}", "waits.en.md:35: there are two headings {#one}"),
        ("{#two}", "{#zwei}", "waits.en.md:35: step zwei stands here"),
        ("- a\n- list", "- {a} A\n- {b} B", "waits.en.md:35: options stand where no choice"),
        ("- {last}", "- {latest}", "waits.en.md:41: the options are first, latest"),
        (
            "- {first} The first, with {{pairs.most | count}} pairs\n- {last} The *last*\n",
            "Nobody.\n",
            "waits.en.md:41: step three asks for a choice without its options",
        ),
        // The translation.
        ("## 第二步 {#two}", "## 第二步 {#zwei}", "waits.zh-CN.md:12: step zwei stands here"),
        (
            "## 第三步 {#three}\n谁？\n\n- {first} 第一个\n- {last} 最后一个\n",
            "",
            "waits.zh-CN.md:14: there is no heading {#three}",
        ),
        ("> hint: 按**运行**。\n", "", "step one has a hint in one language only"),
        ("loss 是 {{live loss | 2}}", "loss", "step one has other live numbers"),
        ("title: 谁在等待", "minutes: 6", "waits.zh-CN.md:2: "),
    ] {
        let told = wrong(from, to);
        if !told.contains(says) {
            others.push(format!("{from:?} -> {to:?}: {told}, and not {says}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn a_missing_translation_and_a_strange_file_are_named() {
    let mut files = texts(ENGLISH, CHINESE);
    files.remove("waits.zh-CN.md");
    files.insert("notes.md".into(), String::new());
    let errors = all(&files).expect_err("a file is missing");
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("notes.md:1: a lesson's name is"), "{told:?}");
    assert!(told[1].starts_with("waits.zh-CN.md:1: is missing"), "{told:?}");
}

#[test]
fn two_lessons_have_two_numbers() {
    let mut files = texts(ENGLISH, CHINESE);
    for language in LANGUAGES {
        let text = files[&format!("waits.{language}.md")].clone();
        files.insert(format!("again.{language}.md"), text);
    }
    let errors = all(&files).expect_err("both have number 3");
    assert!(errors[0].message.contains("number 3 is that of again"), "{errors:?}");
}

#[test]
fn the_lessons_of_this_page_are_lessons() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/lessons");
    let lessons = folder(&path).unwrap_or_else(|errors| {
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", told.join("\n"))
    });
    assert!(!lessons.is_empty());
    for lesson in &lessons {
        for language in &lesson.lessons {
            let packed = crate::pack(language).expect("it is packed");
            assert_eq!(crate::unpack::<Lesson>(&packed).as_ref(), Some(language));
        }
    }
}

/// What the README shows to whoever writes a lesson is one.
#[test]
fn the_example_in_the_readme_is_a_lesson() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(path).expect("there is a README");
    let example = readme.split("```markdown\n").nth(1).and_then(|rest| rest.split("```").next());
    let english = example.expect("it has an example");
    let body = english.split("\n---\n").nth(1).expect("the example has a body");
    let chinese = format!("---\ntitle: 两个 rank\ngoal: 会说。\n---\n{body}");
    let lessons = all(&texts(english, &chinese)).expect("it is a lesson");
    assert_eq!(lessons[0].lessons[0].steps[0].title, "Two ranks");
}
