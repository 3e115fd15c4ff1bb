//! The texts of the languages that the page's binary does not carry, each as one file of the page.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::workspace;

#[path = "../../../web/po.rs"]
mod po;

/// The languages, by the names of their catalogues and files.
const LANGUAGES: [&str; 1] = ["zh-CN"];

/// Writes each language's file into `dist`: its page's catalogue and its messages' as one table.
pub fn write(dist: &Path) -> Result<()> {
    let catalogues = workspace::root().join("web/locales");
    for language in LANGUAGES {
        let texts = texts(&catalogues, language)?;
        let path = dist.join(format!("{language}.json"));
        fs::write(&path, serde_json::to_vec(&texts)?)
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(())
}

/// Text by key of the page's catalogue, and by the English template of each message.
fn texts(catalogues: &Path, language: &str) -> Result<BTreeMap<String, String>> {
    let read = |name: String| -> Result<(String, String)> {
        let path = catalogues.join(&name);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("could not read {}", path.display()))?;
        Ok((name, text))
    };
    let mut texts = BTreeMap::new();
    let (name, page) = read(format!("{language}.yml"))?;
    let tree: Value = serde_saphyr::from_str(&page).with_context(|| name.clone())?;
    gather("", &tree, &mut texts).context(name)?;
    texts.remove("_version");
    let (name, messages) = read(format!("{language}.po"))?;
    let messages = po::read(&messages).map_err(|error| anyhow!("{name}: {error}"))?;
    texts.extend(messages.into_iter().filter(|(template, _)| !template.is_empty()));
    Ok(texts)
}

fn gather(key: &str, tree: &Value, texts: &mut BTreeMap<String, String>) -> Result<()> {
    match tree {
        Value::Object(entries) => entries.iter().try_for_each(|(name, value)| {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            gather(&key, value, texts)
        }),
        Value::String(text) => {
            texts.insert(key.to_owned(), text.clone());
            Ok(())
        }
        Value::Number(number) => {
            texts.insert(key.to_owned(), number.to_string());
            Ok(())
        }
        other => bail!("{key}: {other} is no text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_both_catalogues() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.yml"), "_version: 1\na:\n  b: \u{4e00}\n").unwrap();
        let po = "msgid \"\"\nmsgstr \"\"\n\nmsgid \"two {n}\"\nmsgstr \"\u{4e8c} {n}\"\n";
        fs::write(folder.path().join("x.po"), po).unwrap();
        let texts = texts(folder.path(), "x").unwrap();
        let pairs = [("a.b", "\u{4e00}"), ("two {n}", "\u{4e8c} {n}")];
        assert_eq!(texts, pairs.map(|(key, text)| (key.to_owned(), text.to_owned())).into());
    }

    #[test]
    fn what_is_no_text_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.yml"), "a:\n  b: [1]\n").unwrap();
        fs::write(folder.path().join("x.po"), "").unwrap();
        let error = format!("{:#}", texts(folder.path(), "x").unwrap_err());
        assert!(error.contains("x.yml: a.b"), "{error}");
    }
}
