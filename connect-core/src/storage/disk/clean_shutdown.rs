//! The list of an engine's files, as of the close of the store.
//!
//! It exists only while the store is closed: opening removes it. With the list, every file must
//! still exist with its full length. A killed store has no list. Its rows are counted, unless the
//! engine checks its files itself.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::files;

/// The name of the list.
pub(super) const FILE: &str = "connect.closed";

/// The files by path in the store's folder, with lengths in bytes.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CleanShutdown {
    files: BTreeMap<String, u64>,
}

impl CleanShutdown {
    /// Lists the files at `engine`, a file or a folder in `folder`.
    pub(super) fn list(folder: &Path, engine: &Path) -> io::Result<Self> {
        let mut list = Self::default();
        for path in files::all_files(engine)? {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            let length = fs::metadata(&path)?.len();
            list.files.insert(name.display().to_string(), length);
        }
        Ok(list)
    }

    /// Reads the list of a folder.
    /// `None` if it is missing or incomplete.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read(folder.join(FILE)) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the list durably, after syncing the files in it.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        for name in self.files.keys() {
            fs::File::open(folder.join(name))?.sync_all()?;
        }
        files::replace(folder, FILE, &serde_json::to_vec(self)?)
    }

    /// Describes the files missing or changed in `now`; empty without any.
    /// Additional files do no harm.
    pub(super) fn missing_in(&self, now: &Self) -> String {
        let missing = self
            .files
            .iter()
            .filter_map(|(name, was)| match now.files.get(name) {
                None => Some(format!("{name} is missing")),
                Some(0) if *was > 0 => Some(format!("{name} is empty")),
                Some(is) if is != was => Some(format!("{name} has {is} bytes instead of {was}")),
                Some(_) => None,
            });
        missing.collect::<Vec<_>>().join(", ")
    }
}
