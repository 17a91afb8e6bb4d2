//! sled as the engine of a store.

mod durable;
mod tidy;

use std::{
    fs::{self, File},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::Duration,
};

use sled::{Db, IVec};

use self::{durable::Durable, tidy::tidy};
use super::{
    Kind, OpenError,
    engine::{ApplyError, Batch, Engine, EngineSnapshot, ReadFault},
    engine_keys, files, layout,
    progress::StoreMark,
};
use crate::storage::StorageError;

/// The smallest cache for sled, whatever the options.
const MIN_CACHE_BYTES: u64 = 1024 * 1024;

/// The longest wait for sled's lock, until its threads have ended.
const CLOSING: Duration = Duration::from_secs(10);

/// An open sled database.
pub(crate) struct Sled {
    // Gone only while it is dropped.
    db: Option<Db>,
    durable: Durable,
    path: PathBuf,
}

impl Engine for Sled {
    const KIND: Kind = Kind::Sled;
    /// The largest part of a value, to keep pages below sled's limit.
    /// A page of more than 128 KiB goes into its own file, never synced by sled. A page holds 16
    /// entries, and up to 20 for a moment; with keys of 2 KiB they stay below 104 KiB.
    const PART_LEN: usize = 3072;
    const IS_LIVE: bool = true;
    const DROPS_ROWS: bool = true;

    /// The size of sled's page cache, in bytes.
    type Options = u64;
    type Snapshot = Db;

    fn open(path: &Path, cache_bytes: &u64) -> Result<Self, OpenError> {
        let failed = OpenError::io(path);
        remove_unfinished_snapshots(path).map_err(failed)?;
        let db = open_sled(path, (*cache_bytes).max(MIN_CACHE_BYTES))?;
        // A killed process may have left writes recovered by sled but never synced, and readers are
        // about to see them.
        db.flush().map_err(|error| open_error(path, error))?;
        let mut durable = Durable::new(path).map_err(failed)?;
        durable
            .sync()
            .and_then(|()| File::open(path.join("conf"))?.sync_all())
            .and_then(|()| files::sync_folder(path))
            .map_err(failed)?;
        Ok(Self {
            db: Some(db),
            durable,
            path: path.into(),
        })
    }

    /// 800 scattered rows of 300 bytes took 0.9 MB.
    fn room_for(writes: u64, content: u64, _file: u64) -> u64 {
        content + 1024 * writes
    }

    fn snapshot(&self) -> Result<Db, ReadFault> {
        let closed = || ReadFault::Engine(StorageError::new("the sled database is closed"));
        self.db.clone().ok_or_else(closed)
    }

    fn apply(&mut self, batch: Batch, mut mark: StoreMark) -> Result<StoreMark, ApplyError> {
        let db = self.snapshot()?;
        let mut writes = sled::Batch::default();
        let mut resized = Vec::with_capacity(batch.len());
        mark.number += 1;
        for change in batch {
            layout::count(&mut mark, &change, change.was);
            let key = IVec::from(change.key);
            // A replaced entry leaves the size of its page unchanged.
            if change.value.is_none() || change.was.is_none() {
                resized.push(key.clone());
            }
            match change.value {
                Some(value) => writes.insert(key, value),
                None => writes.remove(key),
            }
        }
        writes.insert(engine_keys::MARK_KEY, &mark.encode()[..]);
        let unknown = |error| ApplyError::Unknown(StorageError::new(error));
        db.apply_batch(writes).map_err(unknown)?;
        tidy(&db, resized).map_err(unknown)?;
        // On this thread: sled's own asynchronous flush can hang.
        db.flush().map_err(unknown)?;
        self.durable
            .sync()
            .map_err(|error| ApplyError::Unknown(StorageError::new(error)))?;
        Ok(mark)
    }
}

impl Drop for Sled {
    fn drop(&mut self) {
        self.db = None;
        if !files::is_let_go(&self.path.join("db"), CLOSING) {
            tracing::warn!(path = %self.path.display(), "sled has not released its files");
        }
    }
}

impl EngineSnapshot for Db {
    fn get<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, ReadFault> {
        let found = sled::Tree::get(self, key).map_err(fault)?;
        Ok(found.map(|stored| read(&stored)))
    }

    fn visit(
        &self,
        from: &[u8],
        to: &[u8],
        newest_first: bool,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<bool, ReadFault>,
    ) -> Result<(), ReadFault> {
        let mut range = self.range(from..to);
        loop {
            let next: Option<sled::Result<(IVec, IVec)>> = if newest_first {
                range.next_back()
            } else {
                range.next()
            };
            let Some(found) = next else { return Ok(()) };
            let (key, stored) = found.map_err(fault)?;
            if !each(&key, &stored)? {
                return Ok(());
            }
        }
    }
}

fn fault(error: sled::Error) -> ReadFault {
    match error {
        sled::Error::Io(_) => ReadFault::Engine(StorageError::new(error)),
        error => ReadFault::Damaged(StorageError::new(error)),
    }
}

/// Opens sled, and turns its panics on some damaged files into errors.
fn open_sled(path: &Path, cache_bytes: u64) -> Result<Db, OpenError> {
    // Every batch is flushed as it is applied, so sled's own flush thread has nothing to flush. It
    // would clean up the file at any time. If a write then fails there, on a full disk, reads fail
    // too. Batches do the same clean-up.
    let config = sled::Config::new()
        .path(path)
        .cache_capacity(cache_bytes)
        .flush_every_ms(None);
    match catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(opened) => opened.map_err(|error| open_error(path, error)),
        Err(_) => {
            let reason = "sled panicked while it opened the database".into();
            Err(OpenError::Damaged {
                path: path.into(),
                reason,
            })
        }
    }
}

fn open_error(path: &Path, error: sled::Error) -> OpenError {
    match error {
        sled::Error::Io(source) => OpenError::io(path)(source),
        error => OpenError::Damaged {
            path: path.into(),
            reason: error.to_string(),
        },
    }
}

/// Removes an unfinished snapshot left by a crash.
/// With such a file, sled 0.34 would refuse to open; without it, sled recovers from its log.
/// Snapshots are in the directory itself, never below it.
fn remove_unfinished_snapshots(path: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            tracing::warn!(file = %name, "removing an unfinished snapshot left by a crash");
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
