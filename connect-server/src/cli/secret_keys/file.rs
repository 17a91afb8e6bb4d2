//! The file of keys for stored secrets.
//!
//! ```text
//! # a comment
//! 64 hexadecimal digits: the key that seals
//! 64 hexadecimal digits: a former key
//! ```

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use connect_core::environment::{KeyRing, NoSecretKey, SecretKey, SecretKeys, SystemRandomness};

/// The beginning of a new file.
const HEAD: &str = "\
# The keys for the secrets in the store: the first one seals, all open. Without them the secrets are lost, so keep
# a copy of this file, apart from the backups of the store. `connect-server secrets` has the commands for it.
";

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}, the file of keys for stored secrets, {problem}", path.display())]
pub struct KeyFileError {
    path: PathBuf,
    problem: KeyFileProblem,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum KeyFileProblem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("cannot be written: {0}")]
    Unwritten(io::Error),
    #[error("has no key in line {line}: {problem}")]
    NoKey { line: usize, problem: NoSecretKey },
    #[error("has no key: bring back its copy")]
    Empty,
}

impl KeyFileProblem {
    pub(super) fn of(self, path: &Path) -> KeyFileError {
        KeyFileError {
            path: path.to_owned(),
            problem: self,
        }
    }
}

/// The file, with the keys last read from it. They stay in use while it cannot be read.
pub(crate) struct KeyFile {
    path: PathBuf,
    last: Mutex<LastRead>,
}

#[derive(Default)]
struct LastRead {
    /// The facts about the file as it was read; `None` for a missing one.
    facts: Option<Facts>,
    /// Set while there is no way to the file, to tell it once.
    is_out_of_reach: bool,
    keys: KeyRing,
}

/// What tells a changed file: inode, size and times.
type Facts = (u64, u64, i64, i64, i64, i64);

impl KeyFile {
    /// Opens a file, which may be missing.
    ///
    /// # Errors
    /// It cannot be used as it is.
    pub(super) fn open(path: PathBuf) -> Result<Self, KeyFileError> {
        let file = Self {
            path,
            last: Mutex::default(),
        };
        file.look()?;
        Ok(file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file was missing at the last look.
    pub(super) fn is_missing(&self) -> bool {
        self.last().facts.is_none()
    }

    fn last(&self) -> MutexGuard<'_, LastRead> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the file, with a new key.
    pub(super) fn make(&self) -> Result<(), KeyFileError> {
        add_key(&self.path)?;
        self.look().map(drop)
    }

    /// Reads the file again if it has changed. Returns whether other keys are in use now.
    fn look(&self) -> Result<bool, KeyFileError> {
        let mut last = self.last();
        let facts = match fs::metadata(&self.path) {
            Ok(found) => Some(facts(&found)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) if last.is_out_of_reach => return Ok(false),
            Err(error) => {
                last.is_out_of_reach = true;
                return Err(KeyFileProblem::Unreadable(error).of(&self.path));
            }
        };
        last.is_out_of_reach = false;
        if last.facts == facts {
            return Ok(false);
        }
        // Also for one that cannot be used: it is not read again until it changes.
        last.facts = facts;
        let text = match facts {
            Some(_) => read(&self.path)?,
            None => {
                let gone = io::Error::from(ErrorKind::NotFound);
                return Err(KeyFileProblem::Unreadable(gone).of(&self.path));
            }
        };
        let keys = parse(&text).map_err(|problem| problem.of(&self.path))?;
        let are_others = last.keys != keys;
        last.keys = keys;
        Ok(are_others)
    }
}

impl SecretKeys for KeyFile {
    fn keys(&self) -> KeyRing {
        match self.look() {
            Ok(true) => tracing::info!("other keys for stored secrets are in use"),
            Ok(false) => {}
            Err(error) => {
                tracing::error!(%error, "the keys in use for stored secrets stay, as their file cannot be read");
            }
        }
        self.last().keys.clone()
    }
}

fn facts(of: &Metadata) -> Facts {
    (
        of.ino(),
        of.size(),
        of.mtime(),
        of.mtime_nsec(),
        of.ctime(),
        of.ctime_nsec(),
    )
}

fn read(path: &Path) -> Result<String, KeyFileError> {
    fs::read_to_string(path).map_err(|error| KeyFileProblem::Unreadable(error).of(path))
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn parse(text: &str) -> Result<KeyRing, KeyFileProblem> {
    let lines = (1..).zip(text.lines());
    let keys = lines.filter(|(_, text)| !is_comment(text));
    let keys = keys.map(|(line, text)| {
        let key = text.trim().parse::<SecretKey>();
        key.map_err(|problem| KeyFileProblem::NoKey { line, problem })
    });
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    match keys.is_empty() {
        true => Err(KeyFileProblem::Empty),
        false => Ok(KeyRing::new(keys)),
    }
}

/// Puts a new key in front of the others of a file, and makes the file if there is none.
/// The file is replaced as a whole, is on the disk at the return, and keeps its owner and its rights.
pub(in crate::cli) fn add_key(path: &Path) -> Result<SecretKey, KeyFileError> {
    // Of a link, the file behind it.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let former = match fs::metadata(path) {
        Ok(facts) => Some((read(path)?, facts)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(KeyFileProblem::Unreadable(error).of(path)),
    };
    let text = match &former {
        Some((text, _)) => {
            // A file without a key is kept as it is: the former keys may be in an editor.
            parse(text).map_err(|problem| problem.of(path))?;
            text
        }
        None => HEAD,
    };
    let key = SecretKey::random(&SystemRandomness);
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| !is_comment(line));
    let exposed = key.expose();
    lines.insert(first.unwrap_or(lines.len()), &exposed);
    let text = lines.join("\n") + "\n";
    let facts = former.as_ref().map(|(_, facts)| facts);
    replace(path, &text, facts).map_err(|error| KeyFileProblem::Unwritten(error).of(path))?;
    Ok(key)
}

/// Writes a file beside, renames it into its place, and waits for the disk.
fn replace(path: &Path, text: &str, former: Option<&Metadata>) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    // What a killed command has left.
    let _ = fs::remove_file(&new);
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(text.as_bytes())?;
    if let Some(former) = former {
        fchown(&file, Some(former.uid()), Some(former.gid()))?;
        file.set_permissions(fs::Permissions::from_mode(former.mode() & 0o7777))?;
    }
    file.sync_all()?;
    fs::rename(&new, path)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(keys: &KeyRing) -> Vec<String> {
        keys.iter().map(|key| key.id().to_string()).collect()
    }

    #[test]
    fn a_file_is_made_for_its_owner_alone_and_changes_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.keys");
        let file = KeyFile::open(path.clone()).unwrap();
        assert!(file.is_missing() && file.keys().first().is_none());
        file.make().unwrap();
        let rights = || fs::metadata(&path).unwrap().mode() & 0o7777;
        assert_eq!((rights(), file.is_missing()), (0o600, false));
        let first = ids(&file.keys());
        // Another key in front; the rights that the operator has given stay, and so do the comments.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let new = add_key(&path).unwrap().id().to_string();
        assert_eq!(ids(&file.keys()), [new, first[0].clone()]);
        assert_eq!(rights(), 0o640);
        assert!(fs::read_to_string(&path).unwrap().starts_with(HEAD));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // A file that is gone or cannot be read leaves the keys as they are.
        let known = file.keys();
        for broken in [Some("key"), Some(""), Some("# none\n"), None] {
            match broken {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            assert_eq!(file.keys(), known, "{broken:?}");
            let opened = KeyFile::open(path.clone());
            assert_eq!(opened.is_ok(), broken.is_none(), "{broken:?}");
            if let Some(text) = broken {
                let refused = add_key(&path).unwrap_err().to_string();
                assert!(
                    refused.contains("no key") && !refused.contains("0101"),
                    "{refused}"
                );
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
            }
        }
    }

    #[test]
    fn keys_are_lines_of_64_digits() {
        let (one, two) = ("01".repeat(32), "AB".repeat(32));
        for (text, expected) in [
            (format!("{one}\n{two}"), Ok(2)),
            (format!("# keys\n\n  {one} \r\n# {two}\n"), Ok(1)),
            (format!("{one}{two}"), Err("line 1")),
            (format!("{one}\n{}", &two[1..]), Err("line 2")),
            (format!("{one} {two}"), Err("line 1")),
            (String::new(), Err("has no key")),
        ] {
            let parsed = parse(&text).map(|keys| keys.iter().count());
            match (parsed, expected) {
                (Ok(count), Ok(expected)) => assert_eq!(count, expected, "{text}"),
                (Err(error), Err(why)) => {
                    let error = error.to_string();
                    assert!(error.contains(why) && !error.contains("0101"), "{error}");
                }
                (parsed, _) => panic!("{text}: {parsed:?}"),
            }
        }
    }
}
