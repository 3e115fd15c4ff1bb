//! What each member's Cargo.toml must say.

use toml::{Table, Value};

use super::{Problem, crates, graph::Graph, tree::Tree};

/// Every member takes the workspace's lints.
pub fn lints(tree: &Tree) -> Vec<Problem> {
    each(tree, |path, manifest| {
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        match lints {
            Some(Value::Boolean(true)) => Vec::new(),
            _ => vec![Problem::in_file(path, "lacks `[lints] workspace = true`")],
        }
    })
}

/// Every dependency is declared once, at the root, with its version.
pub fn dependencies_in_one_place(tree: &Tree) -> Vec<Problem> {
    each(tree, |path, manifest| {
        let outside = dependencies(manifest)
            .filter(|(_, value)| value.get("workspace") != Some(&Value::Boolean(true)));
        outside
            .map(|(name, _)| {
                Problem::in_file(
                    path,
                    format!("{name} is not taken from the workspace's dependencies"),
                )
            })
            .collect()
    })
}

/// What the page's app binary does not link, by the beginnings of the packages' names: each is
/// brought by the feature of the binary that needs it, which bears the same name.
const APART: [(&str, &[&str]); 2] =
    [("worker", &["candle"]), ("doctor", &["doctor", "saphyr-parser", "strsim"])];

/// The app binary links only what the page needs at once: the rest comes with the features of the
/// other binaries.
pub fn app_without_the_others(tree: &Tree, graph: &Graph) -> Vec<Problem> {
    const PATH: &str = "web/Cargo.toml";
    let Some(Ok(manifest)) = tree.text(PATH).map(str::parse::<Table>) else { return Vec::new() };
    let mut problems = Vec::new();
    let optional = |value: &Value| value.get("optional") == Some(&Value::Boolean(true));
    let always = manifest.get("dependencies").and_then(Value::as_table).into_iter().flatten();
    for (name, _) in always.filter(|(_, value)| !optional(value)) {
        for (feature, absent) in APART {
            let is_absent = |package: &str| absent.iter().any(|name| crates::names(package, name));
            let way =
                if is_absent(name) { Some(vec![name.clone()]) } else { graph.way(name, is_absent) };
            if let Some(way) = way {
                let message = format!(
                    "{}: make {name} optional, with the feature `{feature}`",
                    way.join(" -> ")
                );
                problems.push(Problem::in_file(PATH, message));
            }
        }
    }
    let default = manifest.get("features").and_then(|features| features.get("default"));
    let by_default = default.and_then(Value::as_array).is_some_and(|names| !names.is_empty());
    if by_default {
        problems.push(Problem::in_file(PATH, "has default features: the app must be built bare"));
    }
    for bin in ["app"].into_iter().chain(APART.map(|(feature, _)| feature)) {
        for (feature, _) in APART {
            let wanted = bin == feature;
            let requires = binary(&manifest, bin)
                .and_then(|bin| bin.get("required-features")?.as_array())
                .is_some_and(|names| names.iter().any(|name| name.as_str() == Some(feature)));
            if requires != wanted {
                let verb = if wanted { "must" } else { "must not" };
                let message = format!("the binary `{bin}` {verb} require the feature `{feature}`");
                problems.push(Problem::in_file(PATH, message));
            }
        }
    }
    problems
}

fn binary<'a>(manifest: &'a Table, name: &str) -> Option<&'a Value> {
    let bins = manifest.get("bin")?.as_array()?;
    bins.iter().find(|bin| bin.get("name").and_then(Value::as_str) == Some(name))
}

/// Every dependency in every table, those of one target included.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&String, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let tables = targets.filter_map(|(_, table)| table.as_table()).chain([manifest]);
    tables.flat_map(|table| {
        ["dependencies", "dev-dependencies", "build-dependencies"]
            .into_iter()
            .filter_map(|kind| table.get(kind)?.as_table())
            .flatten()
    })
}

fn each(tree: &Tree, check: impl Fn(&str, &Table) -> Vec<Problem>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.member_manifests() {
        match text.parse::<Table>() {
            Ok(manifest) => problems.extend(check(path, &manifest)),
            Err(error) => problems.push(Problem::in_file(path, error.to_string())),
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_are_the_workspaces() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace]"),
            ("crates/a/Cargo.toml", "[lints]\nworkspace = true"),
            ("crates/b/Cargo.toml", "[package]"),
        ]);
        let problems = lints(&tree);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].path, "crates/b/Cargo.toml");
    }

    #[test]
    fn dependencies_are_the_workspaces() {
        let manifest = r#"
            [dependencies]
            a.workspace = true
            b = { workspace = true, features = ["x"] }
            c = "1"
            [dev-dependencies]
            d = { path = "../d" }
            [target.'cfg(unix)'.dependencies]
            e = "1"
        "#;
        let problems = dependencies_in_one_place(&Tree::of(&[("crates/a/Cargo.toml", manifest)]));
        let names: Vec<_> = problems.iter().map(|p| p.message.split(' ').next().unwrap()).collect();
        assert_eq!(names, ["e", "c", "d"]);
    }

    #[test]
    fn app_is_free_of_what_the_others_need() {
        let graph = Graph::of_lines(&[
            "train -> candle-core",
            "doctor -> strsim",
            "half -> saphyr-parser",
            "plan -> serde",
        ]);
        let web = |more: &str| {
            let manifest = format!(
                "[dependencies]\nplan.workspace = true\n{more}\n\
                 [[bin]]\nname = 'app'\n\
                 [[bin]]\nname = 'worker'\nrequired-features = ['worker']\n\
                 [[bin]]\nname = 'doctor'\nrequired-features = ['doctor']"
            );
            let tree = Tree::of(&[("web/Cargo.toml", &manifest)]);
            let problems = app_without_the_others(&tree, &graph);
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        assert!(web("train = { workspace = true, optional = true }").is_empty());
        assert!(web("doctor = { workspace = true, optional = true }").is_empty());
        assert_eq!(
            web("doctor.workspace = true"),
            ["doctor: make doctor optional, with the feature `doctor`"]
        );
        assert_eq!(
            web("half.workspace = true"),
            ["half -> saphyr-parser: make half optional, with the feature `doctor`"]
        );
        assert_eq!(
            web("train.workspace = true"),
            ["train -> candle-core: make train optional, with the feature `worker`"]
        );
    }

    #[test]
    fn binaries_require_the_feature_they_need() {
        let manifest = "[[bin]]\nname = 'app'\nrequired-features = ['worker']\n\
                        [[bin]]\nname = 'doctor'\nrequired-features = ['doctor']\n\
                        [features]\ndefault = ['worker']\nworker = []";
        let tree = Tree::of(&[("web/Cargo.toml", manifest)]);
        assert_eq!(app_without_the_others(&tree, &Graph::default()).len(), 3);
    }
}
