//! Every lesson, in both languages, as its learner goes through it: each check says no, the learner
//! does on the real controls what the lesson's own `solve` says, and the check says yes.
//!
//! The lessons are read through the crate that compiles them, so that a new one is tested as well.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use lesson::action::{Action, Answer};
use lesson::compile::{self, Compiled, Trial};
use lesson::{Ask, LANGUAGES, Lesson, Step, claim};
use serde_json::{Value, json};

use super::accessibility::{judge_both, unfold};
use super::drive::open;
use super::page::{Page, SOON};
use super::site::{Hosting, Site};

/// Long enough for a drawing that is under way.
const A_MOMENT: Duration = Duration::from_millis(400);

fn lessons() -> Result<Vec<Compiled>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/lessons");
    compile::folder(&folder).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("{}", lines.join("\n"))
    })
}

fn link(lesson: &Lesson, step: &str, language: usize) -> String {
    format!("v=1&lesson={}&step={step}&lang={}", lesson.id, LANGUAGES[language])
}

/// The learner, at a step.
struct Learner<'a> {
    page: &'a Page,
    site: &'a Site,
    lesson: &'a Lesson,
    language: usize,
}

impl Learner<'_> {
    /// The heading of the step is there.
    async fn stands_at(&self, step: &Step) -> Result<()> {
        let what = format!("the step {}", step.id);
        let title = step.title.as_str();
        self.page
            .until(&what, async |page| Ok(page.text("#lesson-step").await?.trim() == title))
            .await?;
        Ok(())
    }

    /// Does the step: no, then yes.
    async fn does(&self, step: &Step, trial: &Trial) -> Result<()> {
        self.stands_at(step).await?;
        let mut shown = BTreeSet::new();
        if step.open.is_some() {
            self.page.press_css("[data-control=set-up]").await?;
            tokio::time::sleep(A_MOMENT).await;
            self.says_nothing_is_wrong().await?;
        }
        shown.extend(self.shown().await?);
        self.act(step, &trial.fail).await.context("fail")?;
        self.until_check("unmet").await?;
        tokio::time::sleep(A_MOMENT).await;
        ensure!(self.check().await? == "unmet", "the check is met before anything is done");
        if step.ask.is_some() {
            self.answer(step, &Answer::Wrong).await?;
            self.page
                .until("a wrong answer to be called wrong", async |page| {
                    Ok(!page.text("#lesson-given.error").await?.trim().is_empty())
                })
                .await?;
        }
        shown.extend(self.shown().await?);
        self.act(step, &trial.solve).await.context("solve")?;
        self.until_check("met").await?;
        shown.extend(self.shown().await?);
        let missing: Vec<_> = step.show.iter().filter(|name| !shown.contains(*name)).collect();
        ensure!(missing.is_empty(), "{missing:?} are not highlighted, but {shown:?}");
        Ok(())
    }

    async fn act(&self, step: &Step, actions: &[Action]) -> Result<()> {
        for action in actions {
            self.one(step, action).await.with_context(|| format!("{action:?}"))?;
        }
        Ok(())
    }

    async fn one(&self, step: &Step, action: &Action) -> Result<()> {
        let page = self.page;
        match action {
            Action::Set(name, value) => {
                let entered = page
                    .script(
                        "const control = document.getElementById(`field-${arguments[0]}`)
                             ?? document.getElementById(arguments[0]);
                         if (!control) return 'it is not on the page';
                         const option = [...(control.options ?? [])]
                             .find(option => option.value === arguments[1]);
                         if (control.options && (!option || option.disabled))
                             return 'it cannot be chosen';
                         const kind = Object.getPrototypeOf(control);
                         Object.getOwnPropertyDescriptor(kind, 'value').set
                             .call(control, arguments[1]);
                         control.dispatchEvent(new InputEvent('input', { bubbles: true }));
                         control.dispatchEvent(new Event('change', { bubbles: true }));
                         return '';",
                        json!([name, value]),
                    )
                    .await?;
                ensure!(entered == json!(""), "{name}: {entered}");
            }
            Action::Press(button) => {
                let css = format!("[data-control='{button}']");
                let free = format!("{css}:not([aria-disabled=true]):not(:disabled)");
                page.until(&format!("the button {button}"), async |page| {
                    is_there(page, &free).await
                })
                .await?;
                page.press_css(&css).await?;
            }
            Action::Wait => self.wait().await?,
            Action::Go(place) => page.press_css(&format!("nav a[data-place='{place}']")).await?,
            Action::Choose(name) => {
                let buttons =
                    [format!("[data-control='preset-{name}']"), format!("[data-control='{name}']")];
                for css in buttons {
                    if is_there(page, &css).await? {
                        return page.press_css(&css).await;
                    }
                }
                let machine =
                    if is_there(page, "#machine").await? { "machine" } else { "doctor-machine" };
                let set = Action::Set(machine.to_owned(), name.clone());
                return Box::pin(self.one(step, &set)).await;
            }
            Action::Answer(answer) => self.answer(step, answer).await?,
            Action::Open(address) => {
                let address = address.trim_start_matches('#').trim_start_matches("v=1&");
                let rest = link(self.lesson, &step.id, self.language);
                page.go(&self.site.url(&format!("{rest}&{address}"))).await?;
            }
        }
        Ok(())
    }

    /// Returns once all conditions hold, or the run no longer goes on; or when patience ends, after
    /// which the check is asked.
    async fn wait(&self) -> Result<()> {
        let begun = Instant::now();
        let mut has_run = false;
        while begun.elapsed() < SOON {
            let script = "const conditions = [...document.querySelectorAll('.check-state li')];
                 return [conditions.every(item => item.classList.contains('good')),
                     Boolean(document.querySelector('.lamp.on')),
                     Boolean(document.querySelector('.lamp'))];";
            let state = self.page.script(script, json!([])).await?;
            let [holds, runs, seen] = [0, 1, 2].map(|at| state[at] == json!(true));
            if holds || (has_run && seen && !runs) {
                break;
            }
            has_run |= runs;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn answer(&self, step: &Step, answer: &Answer) -> Result<()> {
        let page = self.page;
        match (&step.ask, answer) {
            (Some(Ask::Number { .. }), answer) => {
                let text = match answer {
                    Answer::Right => self.right(step).await?,
                    Answer::Wrong => "-1".to_owned(),
                    Answer::Value(value) => value.clone(),
                };
                let script = "document.getElementById('lesson-answer').value = arguments[0];";
                page.script(script, json!([text])).await?;
            }
            (Some(Ask::Choice { options, right }), answer) => {
                let name = match answer {
                    Answer::Right => options[*right].0.clone(),
                    Answer::Wrong => options[usize::from(*right == 0)].0.clone(),
                    Answer::Value(name) => name.clone(),
                };
                page.press_css(&format!(".question input[value='{name}']")).await?;
            }
            (None, _) => bail!("the step asks nothing"),
        }
        page.press_css("[data-control=answer]").await
    }

    /// What the run that the page shows gives, by the plan of it, as it is typed.
    async fn right(&self, step: &Step) -> Result<String> {
        let Some(Ask::Number { subject, per_rank, unit, .. }) = &step.ask else {
            bail!("no number is asked for");
        };
        let script = "return [...new URLSearchParams(location.hash.slice(1))];";
        let pairs: Vec<(String, String)> =
            serde_json::from_value(self.page.script(script, json!([])).await?)?;
        let keys = run_of(pairs)?;
        let plan = claim::run(keys.iter().map(|(key, value)| (&key[..], &value[..])))
            .map_err(anyhow::Error::msg)?;
        let whole = claim::measure(subject, &plan).with_context(|| {
            format!("no plan knows {subject} beforehand: let the lesson say `answer VALUE`")
        })?;
        let is_shared = *per_rank && matches!(&subject[..], "messages" | "bytes");
        let share = if is_shared { plan.mesh().world().get() as f64 } else { 1.0 };
        Ok(format!("{:.3}", whole / share / unit.size()))
    }

    /// How the check stands.
    async fn check(&self) -> Result<String> {
        let script = "return document.querySelector('.check-state')?.dataset.check ?? '';";
        let check = self.page.script(script, json!([])).await?;
        Ok(check.as_str().unwrap_or_default().to_owned())
    }

    async fn until_check(&self, state: &str) -> Result<()> {
        let is_so = self.page.until(state, async |_| Ok(self.check().await? == state)).await;
        if is_so.is_err() {
            bail!("the check is not {state}: {}", self.page.text(".check-state").await?);
        }
        Ok(())
    }

    /// The controls that are highlighted.
    async fn shown(&self) -> Result<Vec<String>> {
        let script = "return [...document.querySelectorAll('[data-shown]')]
             .map(element => element.dataset.shown);";
        Ok(serde_json::from_value(self.page.script(script, json!([])).await?)?)
    }

    async fn says_nothing_is_wrong(&self) -> Result<()> {
        let notices = self.page.text(".notices").await?;
        ensure!(notices.is_empty(), "the page says {notices}");
        Ok(())
    }
}

async fn is_there(page: &Page, css: &str) -> Result<bool> {
    let script = "return Boolean(document.querySelector(arguments[0]));";
    Ok(page.script(script, json!([css])).await? == json!(true))
}

/// The settings among the parts of an address that a plan knows.
fn run_of(pairs: Vec<(String, String)>) -> Result<Vec<(String, String)>> {
    const OF_THE_PAGE: [&str; 17] = [
        "v",
        "view",
        "lang",
        "lesson",
        "step",
        "check",
        "text",
        "from",
        "embed",
        "panels",
        "fault",
        "speed",
        "stop_loss",
        "stop_seconds",
        "slow_rank",
        "slow_factor",
        "link_latency_us",
    ];
    let mut keys = pairs;
    keys.retain(|(key, value)| {
        !OF_THE_PAGE.contains(&&key[..]) && key != "link_bandwidth" && !value.is_empty()
    });
    let seq_len = keys.iter().find(|(key, _)| key == "seq_len").map(|(_, value)| value.clone());
    for (key, value) in &mut keys {
        // So many documents of equal length.
        if key == "documents"
            && let Some(count) = value.strip_prefix('x')
        {
            let (count, whole) = (count.parse::<usize>()?, seq_len.as_deref().unwrap_or("256"));
            let whole: usize = whole.parse()?;
            let lengths = (0..count).map(|at| whole / count + usize::from(at < whole % count));
            *value = lengths.map(|length| length.to_string()).collect::<Vec<_>>().join(",");
        }
    }
    Ok(keys)
}

fn every_lesson(language: usize) -> Result<()> {
    for compiled in lessons()? {
        let lesson = &compiled.lessons[language];
        let first = link(lesson, &lesson.steps[0].id, language);
        open(Hosting::default(), &first, async |page, site| {
            let learner = Learner { page, site, lesson, language };
            for (at, (step, trial)) in lesson.steps.iter().zip(&compiled.trials).enumerate() {
                let place =
                    || format!("lesson {}, step {}, {}", lesson.id, step.id, LANGUAGES[language]);
                if at > 0 {
                    page.press_css("[data-control=lesson-on]").await?;
                }
                learner.does(step, trial).await.with_context(place)?;
            }
            // Each step by its own link.
            for step in &lesson.steps {
                page.go(&site.url(&link(lesson, &step.id, language))).await?;
                learner.stands_at(step).await?;
                learner.says_nothing_is_wrong().await?;
            }
            Ok(())
        })
        .with_context(|| format!("lesson {}", lesson.id))?;
    }
    Ok(())
}

#[test]
fn every_lesson_can_be_done_in_english() -> Result<()> {
    every_lesson(0)
}

#[test]
fn every_lesson_can_be_done_in_chinese() -> Result<()> {
    every_lesson(1)
}

#[test]
fn the_list_leads_to_each_lesson_and_remembers_what_was_done() -> Result<()> {
    let lessons = lessons()?;
    open(Hosting::default(), "v=1&view=learn", async |page, _| {
        page.until("the list", async |page| is_there(page, ".lessons li").await).await?;
        let script = "return [...document.querySelectorAll('.lessons h3 a')]
             .map(link => link.textContent.trim());";
        let titles = page.script(script, json!([])).await?;
        let expect: Vec<String> = lessons
            .iter()
            .map(|lesson| format!("{}. {}", lesson.number, lesson.lessons[0].title))
            .collect();
        ensure!(titles == json!(expect), "{titles}");
        judge_both(page, "the list of lessons").await?;
        page.follow(&expect[0]).await?;
        page.until("the lesson", async |page| is_there(page, "#lesson-step").await).await?;
        let focus = "return document.activeElement?.id ?? '';";
        page.until("the focus on the step's heading", async |page| {
            Ok(page.script(focus, json!([])).await? == json!("lesson-step"))
        })
        .await?;
        // Keys go on and back, and the address with them.
        let at = "return new URLSearchParams(location.hash.slice(1)).get('step');";
        for (key, step) in [("]", 1), ("[", 0)] {
            page.keys("body", key).await?;
            let id = lessons[0].lessons[0].steps[step].id.clone();
            page.until(&id, async |page| Ok(page.script(at, json!([])).await? == json!(id)))
                .await?;
        }
        // Another language shows the same step.
        let choose = "const list = document.querySelector('.language select');
             list.value = 'zh-CN';
             list.dispatchEvent(new Event('change', { bubbles: true }));";
        page.script(choose, json!([])).await?;
        let title = lessons[0].lessons[1].steps[0].title.clone();
        page.until("the Chinese step", async |page| {
            Ok(page.text("#lesson-step").await?.trim() == title)
        })
        .await?;
        Ok(())
    })
}

#[test]
fn a_link_to_what_is_gone_opens_the_nearest_and_says_so() -> Result<()> {
    let lessons = lessons()?;
    let lesson = &lessons[0].lessons[0];
    open(Hosting::default(), &format!("v=1&lesson={}&step=gone", lesson.id), async |page, site| {
        page.until_status("Notices", "no step “gone”").await?;
        ensure!(page.text("#lesson-step").await?.trim() == lesson.steps[0].title);
        page.go(&site.url("v=1&lesson=magic")).await?;
        page.until_status("Notices", "no lesson “magic”").await?;
        page.until("the list", async |page| is_there(page, ".lessons li").await).await?;
        ensure!(!is_there(page, ".lesson").await?, "a lesson is open");
        Ok(())
    })
}

#[test]
fn a_lesson_has_no_fault_that_axe_finds() -> Result<()> {
    let lessons = lessons()?;
    for compiled in &lessons {
        let lesson = &compiled.lessons[0];
        open(Hosting::default(), &link(lesson, &lesson.steps[0].id, 0), async |page, site| {
            for step in &lesson.steps {
                page.go(&site.url(&link(lesson, &step.id, 0))).await?;
                Learner { page, site, lesson, language: 0 }.stands_at(step).await?;
                unfold(page).await?;
                judge_both(page, &format!("{}, {}", lesson.id, step.id)).await?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Left, top, right and bottom of what a CSS selector finds.
async fn place_of(page: &Page, css: &str) -> Result<[f64; 4]> {
    let script = "const { left, top, right, bottom }
             = document.querySelector(arguments[0]).getBoundingClientRect();
         return [left, top, right, bottom];";
    let place: Value = page.script(script, json!([css])).await?;
    Ok(serde_json::from_value(place)?)
}

#[test]
fn the_panel_stands_beside_the_run_and_above_it_on_a_phone() -> Result<()> {
    let lessons = lessons()?;
    let lesson = &lessons[0].lessons[0];
    open(Hosting::default(), &link(lesson, &lesson.steps[0].id, 0), async |page, site| {
        Learner { page, site, lesson, language: 0 }.stands_at(&lesson.steps[0]).await?;
        for width in [1920, 1440, 1216] {
            page.resize(width, 900).await?;
            let (panel, run) =
                (place_of(page, ".lesson").await?, place_of(page, ".playground").await?);
            ensure!(panel[2] <= run[0], "{width}: {panel:?} is not left of {run:?}");
        }
        for width in [1920, 1440, 1216, 1024, 768, 360] {
            page.resize(width, 800).await?;
            let wide =
                page.script("return document.documentElement.scrollWidth;", json!([])).await?;
            ensure!(wide.as_u64().is_some_and(|wide| wide <= width.into()), "{width}: {wide} wide");
        }
        let (panel, run) = (place_of(page, ".lesson").await?, place_of(page, ".playground").await?);
        ensure!(panel[3] <= run[1], "{panel:?} is not above {run:?}");
        page.press_css(".lesson .fold").await?;
        page.until("the folded panel", async |page| {
            Ok(place_of(page, ".lesson").await?[3] < 300.0 + place_of(page, ".lesson").await?[1])
        })
        .await?;
        Ok(())
    })
}

#[test]
fn lessons_are_kept_for_use_without_a_network() -> Result<()> {
    open(Hosting::default(), "v=1&view=learn", async |page, site| {
        page.until("the list", async |page| is_there(page, ".lessons li").await).await?;
        page.until_kept().await?;
        site.stop();
        page.reload().await?;
        page.until("the list", async |page| is_there(page, ".lessons li").await).await?;
        page.press_css(".lessons li a").await?;
        page.until("the lesson", async |page| is_there(page, "#lesson-step").await).await?;
        Ok(())
    })
}
