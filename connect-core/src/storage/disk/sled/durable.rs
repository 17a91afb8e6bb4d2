//! Making what sled has written survive a loss of power.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::storage::disk::files::sync_folder;

/// Syncs the files that sled 0.34 writes: its `flush` only asks the kernel to start writing
/// (`sync_file_range`), which neither covers the file's length nor the drive's cache.
pub(super) struct Durable {
    /// A handle of our own on sled's only data file.
    db: File,
    /// The folder in which sled puts pages past 128 KiB. Splitting values keeps them away; only an inner page
    /// full of long keys can still get there.
    blobs: PathBuf,
    synced_blobs: HashSet<OsString>,
}

impl Durable {
    pub(super) fn new(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            db: File::options()
                .read(true)
                .write(true)
                .open(directory.join("db"))?,
            blobs: directory.join("blobs"),
            synced_blobs: HashSet::new(),
        })
    }

    /// Returns when everything that sled has flushed so far is on the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.sync_blobs()?;
        self.db.sync_data()
    }

    /// Files here are written once and never changed, so each is synced once.
    fn sync_blobs(&mut self) -> io::Result<()> {
        let before = self.synced_blobs.len();
        for entry in fs::read_dir(&self.blobs)? {
            let entry = entry?;
            if self.synced_blobs.contains(&entry.file_name()) {
                continue;
            }
            match File::open(entry.path()) {
                Ok(blob) => blob.sync_all()?,
                // sled removes what it has moved elsewhere.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            self.synced_blobs.insert(entry.file_name());
        }
        if self.synced_blobs.len() > before {
            sync_folder(&self.blobs)?;
        }
        Ok(())
    }
}
