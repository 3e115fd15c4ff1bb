//! Makes one self-test's answer of all ranks' answers: a law holds when it holds on every rank.

use std::collections::BTreeMap;

use plan::command::{Report, RunId};

/// Answers of the ranks that have answered.
#[derive(Debug, Default)]
pub struct Verdicts {
    run: Option<RunId>,
    heard: BTreeMap<u16, Answer>,
}

#[derive(Debug)]
struct Answer {
    passed: Vec<String>,
    failed: Vec<String>,
    round_trips: Vec<(u64, f64)>,
}

impl Verdicts {
    /// Takes `rank`'s report; the last of `world` ranks brings the answer of all. A report of
    /// another kind goes through as it is.
    pub fn add(&mut self, world: usize, rank: u16, report: Report) -> Option<Report> {
        let Report::SelfTested { run, passed, failed, round_trips } = report else {
            return Some(report);
        };
        if self.run.replace(run) != Some(run) {
            self.heard.clear();
        }
        self.heard.insert(rank, Answer { passed, failed, round_trips });
        if self.heard.len() < world {
            return None;
        }
        let heard = std::mem::take(&mut self.heard);
        let everywhere = |law: &String| heard.values().all(|answer| answer.passed.contains(law));
        let first = heard.values().next()?;
        let passed = first.passed.iter().filter(|law| everywhere(law)).cloned().collect();
        let failed = heard.iter().flat_map(|(rank, answer)| {
            answer.failed.iter().map(move |seen| format!("rank {rank}: {seen}"))
        });
        Some(Report::SelfTested {
            run,
            passed,
            failed: failed.collect(),
            // The first rank timed them.
            round_trips: first.round_trips.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(run: u32, passed: &[&str], failed: &[&str], round_trips: &[(u64, f64)]) -> Report {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let (passed, failed) = (texts(passed), texts(failed));
        Report::SelfTested { run: RunId(run), passed, failed, round_trips: round_trips.to_vec() }
    }

    #[test]
    fn the_last_rank_brings_the_answer_of_all() {
        let mut verdicts = Verdicts::default();
        assert_eq!(verdicts.add(2, 1, report(1, &["a", "b"], &[], &[])), None);
        let all = verdicts.add(2, 0, report(1, &["a", "b"], &[], &[(64, 1.5)]));
        assert_eq!(all, Some(report(1, &["a", "b"], &[], &[(64, 1.5)])));
    }

    #[test]
    fn one_rank_on_which_a_law_fails_is_enough() {
        let mut verdicts = Verdicts::default();
        verdicts.add(2, 0, report(1, &["a", "b"], &[], &[]));
        let all = verdicts.add(2, 1, report(1, &["a"], &["b: the values differ"], &[]));
        assert_eq!(all, Some(report(1, &["a"], &["rank 1: b: the values differ"], &[])));
    }

    #[test]
    fn answers_of_an_earlier_test_do_not_count() {
        let mut verdicts = Verdicts::default();
        verdicts.add(2, 0, report(1, &["a"], &[], &[]));
        assert_eq!(verdicts.add(2, 1, report(2, &["a"], &[], &[])), None);
    }

    #[test]
    fn other_reports_go_through() {
        let finished = Report::Finished { run: RunId(1) };
        assert_eq!(Verdicts::default().add(2, 0, finished.clone()), Some(finished));
    }
}
