//! The file by which the command line finds a running server and is let in.

use std::{
    fmt, fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The way to a running server: the address of its owner's listener, and a key that is made anew
/// with each start. Who can read the file may give commands, so only its owner can.
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

    /// The key that lets a command in.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads the pass in a file; `None` when there is none that can be read.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// A pass that is written down. The file is removed when this is dropped.
#[derive(Debug)]
pub struct PassFile {
    path: PathBuf,
    pass: Pass,
}

impl PassFile {
    /// Writes a pass down, in place of what an earlier server left.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(path: PathBuf, pass: &Pass) -> io::Result<Self> {
        // Renamed into its place: nobody reads half a pass.
        let new = path.with_extension("new");
        let _ = fs::remove_file(&new);
        let mut options = fs::OpenOptions::new();
        let file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        serde_json::to_writer(file, pass)?;
        fs::rename(&new, &path)?;
        Ok(Self {
            path,
            pass: pass.clone(),
        })
    }
}

impl Drop for PassFile {
    fn drop(&mut self) {
        // Left behind it leads nowhere, and the next start replaces it.
        if Pass::read(&self.path).as_ref() == Some(&self.pass) {
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
        assert_eq!(Pass::read(&path), None);
        let pass = Pass::new("http://127.0.0.1:1".into());
        assert!(!format!("{pass:?}").contains(pass.key()));
        let file = PassFile::write(path.clone(), &pass).unwrap();
        assert_eq!(Pass::read(&path).as_ref(), Some(&pass));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = PassFile::write(path.clone(), &Pass::new("http://127.0.0.1:2".into()));
        assert_ne!(Pass::read(&path), Some(pass));
        drop((file, again));
        assert!(!path.exists());
    }
}
