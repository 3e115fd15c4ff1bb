//! Which crate may know which: the direction of dependencies, and what each must do without.

use super::{Problem, graph::Graph};

/// Each member with the members that it may depend on.
const DIRECTION: [(&str, &[&str]); 11] = [
    ("plan", &[]),
    ("kernels", &[]),
    ("model", &["kernels"]),
    ("doctor", &["plan"]),
    ("lesson", &["plan"]),
    ("comm", &["plan"]),
    ("parallel", &["plan", "kernels", "comm", "model"]),
    ("train", &["plan", "kernels", "comm", "model", "parallel"]),
    ("cli", &["plan", "doctor", "kernels", "comm", "model", "parallel", "train"]),
    ("web", &["plan", "doctor", "lesson", "kernels", "comm", "model", "parallel", "train"]),
    // The lessons are part of the page that it builds.
    ("xtask", &["lesson"]),
];

/// The package of integration tests stands above all.
const TESTS: &str = "tests";

/// Each member with packages, by the beginning of their names, that it must not pull in at all.
const ABSENCE: [(&str, &[&str]); 6] = [
    ("plan", &["candle", "web-sys"]),
    ("doctor", &["candle", "web-sys"]),
    ("lesson", &["candle", "web-sys"]),
    ("kernels", &["comm", "plan"]),
    ("model", &["comm", "plan"]),
    // It is compiled before anything else, on machines that have nothing yet.
    ("xtask", &["candle", "reqwest"]),
];

/// Dependencies between members point one way.
pub fn direction(graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in graph.members().filter(|member| *member != TESTS) {
        let Some((_, allowed)) = DIRECTION.iter().find(|(name, _)| *name == member) else {
            problems.push(problem(member, "is no crate that tidy knows: give it its place there"));
            continue;
        };
        let members: Vec<_> = graph.members().collect();
        for used in &graph.declared[member] {
            if members.contains(&used.as_str()) && !allowed.contains(&used.as_str()) {
                let message = match allowed {
                    [] => format!("depends on {used}: it may depend on no member"),
                    allowed => format!("depends on {used}: it may on {}", allowed.join(", ")),
                };
                problems.push(problem(member, message));
            }
        }
    }
    problems
}

/// What a crate must do without is not even pulled in by others.
pub fn absence(graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (member, forbidden) in ABSENCE {
        for name in forbidden {
            if let Some(way) = graph.way(member, |package| names(package, name)) {
                let message = format!("must do without {name}: {}", way.join(" -> "));
                problems.push(problem(member, message));
            }
        }
    }
    problems
}

/// Whether `package` is `name` or one of its family, as candle-core is of candle.
pub fn names(package: &str, name: &str) -> bool {
    package
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || (name == "candle" && rest.starts_with('-')))
}

fn problem(member: &str, message: impl Into<String>) -> Problem {
    Problem::in_file(&format!("crate {member}"), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_is_held() {
        let graph = Graph::of_lines(&["plan", "comm -> plan serde", "tests -> comm plan", "serde"]);
        // Serde stands in for a stranger among the members.
        let problems = direction(&graph);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].message.contains("depends on serde"));
        assert!(problems[1].message.contains("no crate that tidy knows"));
    }

    #[test]
    fn reversed_direction_is_named() {
        let graph = Graph::of_lines(&["plan -> comm", "comm"]);
        assert_eq!(
            direction(&graph)[0].to_string(),
            "crate plan: depends on comm: it may depend on no member"
        );
    }

    #[test]
    fn absence_is_transitive() {
        let graph = Graph::of_lines(&["plan -> half", "half -> candle-core", "model -> planning"]);
        let problems = absence(&graph);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].message.ends_with("plan -> half -> candle-core"));
    }
}
