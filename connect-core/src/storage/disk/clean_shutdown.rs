//! The list of an engine's files as they were when the store was closed.
//!
//! It is there only while the store is closed: opening takes it away. A store that has it must
//! still have every file at its length; one that was killed has none, and its rows are counted
//! where the engine does not check its files itself.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::files;

/// The name of the list.
pub(super) const FILE: &str = "connect.closed";

/// Files by their path in the store's folder, each with its length in bytes.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Closed {
    files: BTreeMap<String, u64>,
}

impl Closed {
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

    /// Reads the list of a folder. `None` when there is none, or when it was not written in full.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read(folder.join(FILE)) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the list, durably, after the files in it have been made durable.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        for name in self.files.keys() {
            fs::File::open(folder.join(name))?.sync_all()?;
        }
        files::replace(folder, FILE, &serde_json::to_vec(self)?)
    }

    /// Says in words what `now` lacks; empty when nothing. Files that came on top do no harm.
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
