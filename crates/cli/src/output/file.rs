//! Output files that are never half written: a neighbour first, renamed at the end.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use plan::Refusal;
use tempfile::NamedTempFile;

/// A file that appears under its name only once it is whole.
///
/// What is not a plain file, such as /dev/null or a pipe, is written directly.
#[derive(Debug)]
pub struct OutputFile {
    flag: &'static str,
    target: PathBuf,
    sink: BufWriter<Sink>,
}

#[derive(Debug)]
enum Sink {
    Beside(NamedTempFile),
    Direct(File),
}

impl OutputFile {
    /// Shows that `path`, the value of the flag named `flag`, can be written.
    pub fn create(flag: &'static str, path: &Path) -> Result<Self, Refusal> {
        let (target, sink) = open(path).map_err(|error| refuse(flag, path, &error))?;
        Ok(Self { flag, target, sink: BufWriter::new(sink) })
    }

    /// The name of the flag that asks for it.
    pub fn flag(&self) -> &'static str {
        self.flag
    }

    /// Whether this file and `other` would replace each other.
    pub fn overwrites(&self, other: &Self) -> bool {
        let both = [self, other].map(|file| matches!(file.sink.get_ref(), Sink::Beside(_)));
        both == [true, true] && self.target == other.target
    }

    /// Where the file will stand.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the file in its place, whole.
    pub fn finish(self) -> Result<()> {
        let Self { flag, target, sink } = self;
        let place = || format!("{flag} = {}: the file could not be written", target.display());
        match sink.into_inner().map_err(|error| error.into_error()).with_context(place)? {
            Sink::Beside(file) => {
                file.as_file().sync_all().with_context(place)?;
                file.persist(&target).map_err(|error| error.error).with_context(place)?;
            }
            Sink::Direct(mut file) => file.flush().with_context(place)?,
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<(PathBuf, Sink)> {
    let target = match path.metadata() {
        Ok(metadata) => {
            // Fails where the file may not be changed, and changes nothing.
            let file = OpenOptions::new().append(true).open(path)?;
            if !metadata.is_file() {
                return Ok((path.to_owned(), Sink::Direct(file)));
            }
            // A link stays a link: what it points to is replaced.
            path.canonicalize()?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_target(path)?,
        Err(error) => return Err(error),
    };
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ringside-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the user's umask takes away from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    Ok((target, Sink::Beside(file)))
}

/// The full path of a file that does not exist yet.
fn new_target(path: &Path) -> io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
}

fn refuse(flag: &str, path: &Path, error: &io::Error) -> Refusal {
    let writable = "give a path in a folder that exists and that you may write to";
    let (reason, works) = if path.is_dir() {
        ("it is a folder".to_owned(), "give the name of a file in it")
    } else if error.kind() == io::ErrorKind::NotFound {
        ("its folder does not exist".to_owned(), writable)
    } else if error.get_ref().is_some() {
        // Without the temporary file's own path, which means nothing to the user.
        (error.kind().to_string(), writable)
    } else {
        (error.to_string(), writable)
    };
    Refusal::new(flag, path.display(), reason, works)
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn a_file_appears_once_it_is_whole() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.json");
        std::fs::write(&path, "old")?;
        let mut file = OutputFile::create("trace", &path)?;
        file.write_all(b"new")?;
        assert_eq!(std::fs::read(&path)?, b"old");
        file.finish()?;
        assert_eq!(std::fs::read(&path)?, b"new");
        assert_eq!(names(folder.path()), ["out.json"]);
        Ok(())
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut file = OutputFile::create("save", &folder.path().join("out"))?;
        file.write_all(b"half")?;
        drop(file);
        assert!(names(folder.path()).is_empty());
        Ok(())
    }

    #[test]
    fn what_cannot_be_written_is_refused_by_its_flag() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let check = |path: &Path, reason: &str| {
            let refusal = OutputFile::create("metrics", path).expect_err("it cannot be written");
            assert_eq!(refusal.field, "metrics");
            assert_eq!(refusal.value, *path.display().to_string());
            assert_eq!(refusal.reason, reason);
        };
        check(folder.path(), "it is a folder");
        check(&folder.path().join("missing/out"), "its folder does not exist");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_a_device() -> Result<()> {
        let mut file = OutputFile::create("trace", Path::new("/dev/null"))?;
        file.write_all(b"gone")?;
        file.finish()?;
        assert!(!Path::new("/dev/null").metadata()?.is_file());
        Ok(())
    }
}
