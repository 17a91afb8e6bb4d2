//! The file with the address and key of a running server.

use std::{
    fmt,
    fs::{self, TryLockError},
    io::{self, Read as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The address of a server's owner listener, and a key.
/// Each start of the server makes a new key. Access to the file allows commands, so only its owner
/// can read it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// The address, such as `http://127.0.0.1:8081`.
    pub url: String,
    key: String,
}

impl Pass {
    /// Makes a pass for the server at `url`.
    pub fn new(url: String) -> Self {
        // 244 random bits.
        let key = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self { url, key }
    }

    /// The key for commands.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads the pass in a file; `None` when there is no file.
    ///
    /// # Errors
    /// The file cannot be read, is no pass, or may have been read or written by another user.
    pub fn read(path: &Path) -> Result<Option<Self>, PassError> {
        let failed = |problem| PassError {
            path: path.to_owned(),
            problem,
        };
        let mut file = match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| failed(error.into()))?,
        };
        // Of the file that was opened: the name may stand for another one by now.
        let facts = file.metadata().map_err(|error| failed(error.into()))?;
        if facts.uid() != geteuid().as_raw() {
            return Err(failed(PassProblem::OtherOwner(facts.uid())));
        }
        if facts.mode() & 0o077 != 0 {
            return Err(failed(PassProblem::OpenToOthers));
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)
            .map_err(|error| failed(error.into()))?;
        // The reason is left out: it may quote the key.
        let pass = serde_json::from_slice(&content).map_err(|_| failed(PassProblem::Garbled));
        pass.map(Some)
    }
}

/// The reason for refusing a pass.
#[derive(Debug, thiserror::Error)]
#[error("{}, which leads to the running server, {problem}", path.display())]
pub struct PassError {
    path: PathBuf,
    problem: PassProblem,
}

#[derive(Debug, thiserror::Error)]
enum PassProblem {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("belongs to user {0}: run the command as that user")]
    OtherOwner(u32),
    #[error(
        "can be read or written by other users: start the server again, which then has a new \
             key"
    )]
    OpenToOthers,
    #[error("is not as a server writes it: start the server again")]
    Garbled,
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// A pass written to its file.
/// The file is locked until this is dropped, and then removed.
#[derive(Debug)]
pub struct PassFile {
    path: PathBuf,
    pass: Pass,
    /// The lock, released by any end of the process.
    _locked: fs::File,
}

impl PassFile {
    /// Writes a pass, replacing the file of an earlier server.
    ///
    /// Makes the folder if it is missing.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(path: PathBuf, pass: &Pass) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        // Renamed into its place: nobody reads half a pass.
        let new = path.with_extension("new");
        let _ = fs::remove_file(&new);
        let mut options = fs::OpenOptions::new();
        let file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        // Nobody else knows the file yet.
        file.try_lock().map_err(io::Error::from)?;
        serde_json::to_writer(&file, pass)?;
        fs::rename(&new, &path)?;
        Ok(Self {
            path,
            pass: pass.clone(),
            _locked: file,
        })
    }

    /// Returns whether a running server holds the file at `path`.
    pub fn is_held(path: &Path) -> bool {
        let file = fs::File::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for PassFile {
    fn drop(&mut self) {
        // Left behind it leads nowhere, and the next start replaces it.
        if matches!(Pass::read(&self.path), Ok(Some(pass)) if pass == self.pass) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_its_owner_reads_a_pass_and_it_goes_with_its_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("admin.json");
        assert_eq!(Pass::read(&path).unwrap(), None);
        let pass = Pass::new("http://127.0.0.1:1".into());
        assert!(!format!("{pass:?}").contains(pass.key()));
        let file = PassFile::write(path.clone(), &pass).unwrap();
        assert_eq!(Pass::read(&path).unwrap().as_ref(), Some(&pass));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(PassFile::is_held(&path));
        let again = PassFile::write(path.clone(), &Pass::new("http://127.0.0.1:2".into()));
        assert_ne!(Pass::read(&path).unwrap(), Some(pass));
        drop(file);
        assert!(PassFile::is_held(&path), "that of the other one");
        drop(again);
        assert!(!path.exists() && !PassFile::is_held(&path));
        // A killed server leaves its file, and no lock.
        fs::write(&path, "{}").unwrap();
        assert!(!PassFile::is_held(&path));
    }

    #[test]
    fn a_pass_that_somebody_else_may_have_written_or_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("admin.json");
        let pass = Pass::new("http://127.0.0.1:1".into());
        let _file = PassFile::write(path.clone(), &pass).unwrap();
        let refused = || Pass::read(&path).unwrap_err().to_string();
        for mode in [0o640, 0o604, 0o620, 0o602, 0o644, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let why = refused();
            assert!(
                why.contains("read or written by other users"),
                "{mode:o}: {why}"
            );
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(Pass::read(&path).unwrap().as_ref(), Some(&pass));
        // Only root can give a file away.
        if geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            assert!(refused().contains("belongs to user 65534"), "{}", refused());
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, format!("\"{}\"", pass.key())).unwrap();
        assert!(refused().contains("not as a server writes it"));
        assert!(!refused().contains(pass.key()));
    }
}
