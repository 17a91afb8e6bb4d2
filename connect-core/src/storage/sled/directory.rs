//! The directory that a database lives in, and whose it is.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::OpenError;

/// Our lock. sled locks its data file too, but only after it has touched the directory.
const LOCK_FILE: &str = "connect.lock";

/// How long sled may hold on to its lock after it was closed; its threads end on their own time.
const CLOSING: Duration = Duration::from_secs(10);

/// How long opening waits for that lock; only something other than this backend can hold it.
const OPENING: Duration = Duration::from_millis(500);

/// A directory that this process, and nobody else, may work in until this is dropped.
pub(super) struct Directory {
    path: PathBuf,
    _lock: File,
}

impl Directory {
    /// Creates the directory if need be and takes its lock.
    pub(super) fn take(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Io {
            path: path.into(),
            source,
        };
        create(path).map_err(failed)?;
        if !path.join(LOCK_FILE).exists() && !may_be_taken(path).map_err(failed)? {
            return Err(OpenError::OtherContent { path: path.into() });
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK_FILE))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse { path: path.into() }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // Something other than this backend may have the database open, or be closing it.
        if !sled_lets_go(path, OPENING) {
            return Err(OpenError::InUse { path: path.into() });
        }
        Ok(Self {
            path: path.into(),
            _lock: lock,
        })
    }

    /// Removes what a crash during the writing of a snapshot leaves behind. sled 0.34 would take
    /// such a file for a snapshot and refuse to open; without it, it recovers from its log.
    /// sled writes snapshots into the directory itself, never below it.
    pub(super) fn remove_unfinished_snapshots(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
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

    /// Makes the names in the directory, and sled's settings file, survive a loss of power.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(self.path.join("conf"))?.sync_all()?;
        sync_directory(&self.path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Our lock goes last, so whoever gets it finds sled's free as well.
        if !sled_lets_go(&self.path, CLOSING) {
            tracing::warn!(path = %self.path.display(), "sled has not let go of its files");
        }
    }
}

/// Waits until nobody holds sled's lock; false when time is up.
fn sled_lets_go(path: &Path, at_most: Duration) -> bool {
    let Ok(db) = File::open(path.join("db")) else {
        return true;
    };
    let give_up = Instant::now() + at_most;
    while let Err(TryLockError::WouldBlock) = db.try_lock() {
        if Instant::now() >= give_up {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Whether the directory is ours to fill: empty but for what a mount point has, or with the files
/// of a sled database, which `open` then looks into. sled itself does not look, it writes.
fn may_be_taken(path: &Path) -> io::Result<bool> {
    if path.join("db").is_file() && path.join("conf").is_file() {
        return Ok(true);
    }
    for entry in fs::read_dir(path)? {
        if entry?.file_name() != "lost+found" {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Creates the directory and those above it, and makes each of their names durable.
fn create(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = match path.parent() {
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
        None => return fs::create_dir(path),
    };
    create(above)?;
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result,
    }?;
    sync_directory(above)
}

/// Makes the names in a directory survive a loss of power. Only Unix has a way to ask for that.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}
