//! Opening the database.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use sled::Db;

use super::{directory::Directory, durable::Durable, layout, rows::Rows};

/// The least that sled is given, whatever is asked for.
const MIN_CACHE_BYTES: u64 = 1024 * 1024;

/// Settings of a [`SledStorage`](super::SledStorage).
#[derive(Clone, Debug)]
pub struct SledOptions {
    /// How many bytes of pages sled keeps in memory, in its own reckoning; the process takes
    /// somewhat more. Reads of what does not fit go to the disk: with 100 000 records of 500
    /// bytes, 64 MiB made reads six times slower than plenty. At least 1 MiB.
    pub cache_bytes: u64,
}

impl Default for SledOptions {
    /// 256 MiB of cache.
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
        }
    }
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process, or another [`SledStorage`](super::SledStorage) in this one, has it open.
    #[error("{} is in use by another process; stop it or choose another directory", path.display())]
    InUse {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// The directory has files in it and none of them is a database.
    #[error("{} holds other files and no database; choose an empty directory", path.display())]
    OtherContent {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// The database was written by something else, or by another version with another layout.
    #[error("{} holds {found}, where \"{expected}\" is needed", path.display())]
    OtherFormat {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the database says it is.
        found: String,
        /// What it would have to say.
        expected: &'static str,
    },
    /// sled cannot read its files. Restore a copy, or ask sled's own tools.
    #[error("the database in {} cannot be read: {reason}", path.display())]
    Damaged {
        /// The directory that was asked for.
        path: PathBuf,
        /// What sled says about it.
        reason: String,
    },
    /// The directory or a file in it could not be created, read or synced.
    #[error("{}: {source}", path.display())]
    Io {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// An open database and what comes with it.
pub(super) struct Opened {
    pub(super) rows: Rows,
    pub(super) durable: Durable,
    pub(super) directory: Directory,
}

pub(super) fn open(path: &Path, options: &SledOptions) -> Result<Opened, OpenError> {
    let failed = |source| OpenError::Io {
        path: path.into(),
        source,
    };
    let directory = Directory::take(path)?;
    directory.remove_unfinished_snapshots().map_err(failed)?;
    let db = open_sled(path, options)?;
    check_format(&db, path)?;
    // A process that was killed may have left writes that sled recovers but never synced, and
    // readers are about to see them.
    db.flush().map_err(|error| sled_error(path, error))?;
    let mut durable = Durable::new(path).map_err(failed)?;
    durable
        .sync()
        .and_then(|()| directory.sync())
        .map_err(failed)?;
    Ok(Opened {
        rows: Rows { db },
        durable,
        directory,
    })
}

/// sled panics on some damaged files; that must not take the process down.
fn open_sled(path: &Path, options: &SledOptions) -> Result<Db, OpenError> {
    let cache_bytes = options.cache_bytes.max(MIN_CACHE_BYTES);
    let config = sled::Config::new().path(path).cache_capacity(cache_bytes);
    match catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(opened) => opened.map_err(|error| sled_error(path, error)),
        Err(_) => {
            let reason = "sled panicked while it opened the database".into();
            Err(OpenError::Damaged {
                path: path.into(),
                reason,
            })
        }
    }
}

fn sled_error(path: &Path, error: sled::Error) -> OpenError {
    let path = path.into();
    match error {
        sled::Error::Io(source) => OpenError::Io { path, source },
        error => OpenError::Damaged {
            path,
            reason: error.to_string(),
        },
    }
}

/// An empty database becomes one of ours; any other has to say that it is.
fn check_format(db: &Db, path: &Path) -> Result<(), OpenError> {
    let failed = |error| sled_error(path, error);
    let other = |found| OpenError::OtherFormat {
        path: path.into(),
        found,
        expected: std::str::from_utf8(layout::FORMAT).unwrap_or_default(),
    };
    match db.get(layout::FORMAT_KEY).map_err(failed)? {
        Some(found) if *found == *layout::FORMAT => Ok(()),
        Some(found) => Err(other(format!("\"{}\"", String::from_utf8_lossy(&found)))),
        None if db.is_empty() && db.tree_names().len() == 1 => db
            .insert(layout::FORMAT_KEY, layout::FORMAT)
            .map(drop)
            .map_err(failed),
        None => Err(other("a database of something else".into())),
    }
}
