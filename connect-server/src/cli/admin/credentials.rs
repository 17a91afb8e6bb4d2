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
pub struct AdminCredentials {
    /// The address, such as `http://127.0.0.1:8081`.
    pub url: String,
    /// The key for commands.
    pub key: String,
}

impl AdminCredentials {
    /// Makes credentials for the server at `url`.
    pub fn new(url: String) -> Self {
        // 244 random bits.
        let key = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self { url, key }
    }

    /// Reads the credentials in a file; `None` when there is no file.
    ///
    /// # Errors
    /// The file cannot be read, holds no credentials, or may have been read or written by another user.
    pub fn read(path: &Path) -> Result<Option<Self>, AdminCredentialsError> {
        let failed = |problem| AdminCredentialsError {
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
            return Err(failed(AdminCredentialsProblem::OtherOwner(facts.uid())));
        }
        if facts.mode() & 0o077 != 0 {
            return Err(failed(AdminCredentialsProblem::OpenToOthers));
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)
            .map_err(|error| failed(error.into()))?;
        // The reason is left out: it may quote the key.
        let credentials =
            serde_json::from_slice(&content).map_err(|_| failed(AdminCredentialsProblem::Garbled));
        credentials.map(Some)
    }
}

/// The reason for refusing admin credentials.
#[derive(Debug, thiserror::Error)]
#[error("{}, which leads to the running server, {problem}", path.display())]
pub struct AdminCredentialsError {
    path: PathBuf,
    problem: AdminCredentialsProblem,
}

#[derive(Debug, thiserror::Error)]
enum AdminCredentialsProblem {
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

impl fmt::Debug for AdminCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdminCredentials")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Admin credentials, written to their file.
/// The file is locked until this is dropped, and then removed.
#[derive(Debug)]
pub struct AdminCredentialsFile {
    path: PathBuf,
    credentials: AdminCredentials,
    /// The lock, released by any end of the process.
    _locked: fs::File,
}

impl AdminCredentialsFile {
    /// Writes credentials, replacing the file of an earlier server.
    ///
    /// Makes the folder if it is missing.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(path: PathBuf, credentials: &AdminCredentials) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        // Renamed into its place: readers find a complete file or none.
        let new = path.with_extension("new");
        let _ = fs::remove_file(&new);
        let mut options = fs::OpenOptions::new();
        let file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        // No other process knows the file yet.
        file.try_lock().map_err(io::Error::from)?;
        serde_json::to_writer(&file, credentials)?;
        fs::rename(&new, &path)?;
        Ok(Self {
            path,
            credentials: credentials.clone(),
            _locked: file,
        })
    }

    /// Returns whether a running server holds the file at `path`.
    pub fn is_held(path: &Path) -> bool {
        let file = fs::File::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for AdminCredentialsFile {
    fn drop(&mut self) {
        // A file left behind does no harm, and the next start replaces it.
        if matches!(AdminCredentials::read(&self.path), Ok(Some(credentials)) if credentials == self.credentials)
        {
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
        assert_eq!(AdminCredentials::read(&path).unwrap(), None);
        let credentials = AdminCredentials::new("http://127.0.0.1:1".into());
        assert!(!format!("{credentials:?}").contains(&credentials.key));
        let file = AdminCredentialsFile::write(path.clone(), &credentials).unwrap();
        assert_eq!(
            AdminCredentials::read(&path).unwrap().as_ref(),
            Some(&credentials)
        );
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(AdminCredentialsFile::is_held(&path));
        let again = AdminCredentialsFile::write(
            path.clone(),
            &AdminCredentials::new("http://127.0.0.1:2".into()),
        );
        assert_ne!(AdminCredentials::read(&path).unwrap(), Some(credentials));
        drop(file);
        assert!(
            AdminCredentialsFile::is_held(&path),
            "that of the other one"
        );
        drop(again);
        assert!(!path.exists() && !AdminCredentialsFile::is_held(&path));
        // A killed server leaves its file, and no lock.
        fs::write(&path, "{}").unwrap();
        assert!(!AdminCredentialsFile::is_held(&path));
    }

    #[test]
    fn a_pass_that_somebody_else_may_have_written_or_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("admin.json");
        let credentials = AdminCredentials::new("http://127.0.0.1:1".into());
        let _file = AdminCredentialsFile::write(path.clone(), &credentials).unwrap();
        let refused = || AdminCredentials::read(&path).unwrap_err().to_string();
        for mode in [0o640, 0o604, 0o620, 0o602, 0o644, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let why = refused();
            assert!(
                why.contains("read or written by other users"),
                "{mode:o}: {why}"
            );
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(
            AdminCredentials::read(&path).unwrap().as_ref(),
            Some(&credentials)
        );
        // Only root can give a file away.
        if geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            assert!(refused().contains("belongs to user 65534"), "{}", refused());
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, format!("\"{}\"", credentials.key)).unwrap();
        assert!(refused().contains("not as a server writes it"));
        assert!(!refused().contains(&credentials.key));
        let below = AdminCredentials::read(&path.join("admin.json")).unwrap_err();
        assert!(below.to_string().contains("cannot be read"), "{below}");
    }
}
