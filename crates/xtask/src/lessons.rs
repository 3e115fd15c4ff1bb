//! The page's lessons: compiled from `web/lessons`, and written beside the page's other files.

use std::{fs, path::Path};

use anyhow::{Context, Result, anyhow};
use lesson::{FOLDER, INDEX, Index, LANGUAGES, compile, pack};
use sha2::{Digest, Sha256};

/// Files of the built page, by their paths in it.
#[derive(Debug)]
pub struct Lessons(Vec<(String, Vec<u8>)>);

/// Compiles the lessons in `folder`; all that is wrong is told, with files and lines.
pub fn compiled(folder: &Path) -> Result<Lessons> {
    let lessons = compile::folder(folder).map_err(|errors| {
        let lines: Vec<_> = errors.iter().map(|error| format!("  {error}")).collect();
        anyhow!("the lessons in {}:\n{}", folder.display(), lines.join("\n"))
    })?;
    let mut files = Vec::new();
    for (at, language) in LANGUAGES.into_iter().enumerate() {
        let mut index = Index::default();
        for lesson in &lessons {
            let bytes = pack(&lesson.lessons[at])?;
            // What a page keeps or asks for by this name can only be this.
            let file = format!("{}.{}.bin", lesson.lessons[at].id, hash(&bytes));
            index.lessons.push(lesson.entry(at, file.clone()));
            files.push((format!("{FOLDER}/{language}/{file}"), bytes));
        }
        files.push((format!("{FOLDER}/{language}/{INDEX}"), pack(&index)?));
    }
    Ok(Lessons(files))
}

impl Lessons {
    /// Writes them into the built page in `dist`, in place of what was there.
    pub fn write(&self, dist: &Path) -> Result<()> {
        let whole = dist.join(FOLDER);
        if whole.exists() {
            let advice = || format!("could not remove {}", whole.display());
            fs::remove_dir_all(&whole).with_context(advice)?;
        }
        for (name, bytes) in &self.0 {
            let path = dist.join(name);
            let advice = || format!("could not write {}", path.display());
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(advice)?;
            }
            fs::write(&path, bytes).with_context(advice)?;
        }
        Ok(())
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use lesson::{Lesson, unpack};

    use super::*;
    use crate::workspace;

    fn written() -> tempfile::TempDir {
        let folder = workspace::root().join("web/lessons");
        let dist = tempfile::tempdir().unwrap();
        compiled(&folder).unwrap().write(dist.path()).unwrap();
        dist
    }

    #[test]
    fn every_lesson_is_where_the_index_says() {
        let dist = written();
        for language in LANGUAGES {
            let folder = dist.path().join(FOLDER).join(language);
            let index: Index = unpack(&fs::read(folder.join(INDEX)).unwrap()).unwrap();
            assert!(!index.lessons.is_empty());
            for entry in index.lessons {
                let lesson: Lesson = unpack(&fs::read(folder.join(&entry.file)).unwrap()).unwrap();
                let steps: Vec<_> = lesson.steps.iter().map(|step| step.id.clone()).collect();
                assert_eq!((lesson.id, steps), (entry.id, entry.steps));
            }
        }
    }

    #[test]
    fn a_broken_lesson_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        for language in LANGUAGES {
            let name = format!("a.{language}.md");
            fs::write(folder.path().join(name), "---\nnumber: x\n---\n").unwrap();
        }
        let error = compiled(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a.en.md:2: "), "{error}");
    }

    #[test]
    fn what_was_there_is_gone() {
        let dist = written();
        let old = dist.path().join(FOLDER).join("en/old.bin");
        fs::write(&old, "old").unwrap();
        compiled(&workspace::root().join("web/lessons")).unwrap().write(dist.path()).unwrap();
        assert!(!old.exists());
    }
}
