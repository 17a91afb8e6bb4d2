//! Durable writes for sled, to survive a loss of power.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::storage::disk::files::sync_folder;

/// Syncs the files written by sled 0.34.
/// Its own `flush` only asks the kernel to start writing (`sync_file_range`). This covers neither
/// the file's length nor the drive's cache.
pub(super) struct Durable {
    /// A handle of our own on sled's only data file.
    db: File,
    /// The folder for sled's pages past 128 KiB.
    /// Splitting values prevents them; only an inner page full of long keys can still get there.
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

    /// Returns once all data flushed by sled is on the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.sync_blobs()?;
        self.db.sync_data()
    }

    /// Syncs each new file once; it never changes afterwards.
    fn sync_blobs(&mut self) -> io::Result<()> {
        let before = self.synced_blobs.len();
        for entry in fs::read_dir(&self.blobs)? {
            let entry = entry?;
            if self.synced_blobs.contains(&entry.file_name()) {
                continue;
            }
            match File::open(entry.path()) {
                Ok(blob) => blob.sync_all()?,
                // sled removes files after moving their contents.
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
