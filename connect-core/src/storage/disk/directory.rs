//! The folder of a store: its ownership and its completeness.
//!
//! | name | holds |
//! |---|---|
//! | `connect.lock` | nothing; locked while the store is open |
//! | `connect.store` | the engine of the folder, the format, and the version of the rows |
//! | `connect.progress` | the last durable group: see [`progress`](super::progress) |
//! | `connect.closed` | while closed: the engine's files: see [`clean_shutdown`](super::clean_shutdown) |
//! | `connect.ballast` | room for opening on a full disk: see [`space`](super::space) |
//! | `connect.accept-loss` | made by the operator: continue with the rest of a damaged store |
//! | `sled/` or `store.redb` | the engine's files |
//!
//! Opening runs [`Directory::take`], opens the engine at [`Directory::engine_path`], and passes the
//! findings to [`Directory::admit`]. It refuses a store after a loss.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Kind, OpenError,
    clean_shutdown::{self, CleanShutdown},
    files,
    marker::{self, Marker},
    open_error::ACCEPT_LOSS_FILE,
    progress::{self, ProgressRecord, Recorded, StoreMark},
    space,
};
use crate::storage::RowsVersion;

/// The name of our lock file.
/// The engines lock their files too, but only after changing the folder.
const LOCK_FILE: &str = "connect.lock";

/// The longest wait for sled's lock, until its threads have ended.
const CLOSING: Duration = Duration::from_secs(10);

/// The longest wait of an opening for our lock.
/// A supervisor may restart the service before the killed process has ended.
const ENDING: Duration = Duration::from_secs(2);

/// The longest wait for the engine's lock after taking ours.
/// It can be held only by a process about to end, between its two releases, or by another program.
const OPENING: Duration = Duration::from_millis(500);

/// Returns whether a process has the store in this folder open.
/// This may change at any time; only opening the store is conclusive.
pub fn is_in_use(path: &Path) -> bool {
    !files::is_let_go(&path.join(LOCK_FILE), Duration::ZERO)
}

/// A folder in exclusive use by this process, until this is dropped.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    pub(super) engine: Kind,
    marker: Marker,
    /// The record of the progress; `None` if missing or torn.
    pub(super) recorded: Option<Recorded>,
    /// The reason for counting the rows before using the store.
    pub(super) suspicion: Option<&'static str>,
    progress: Option<ProgressRecord>,
    _lock: File,
}

impl Directory {
    /// Takes the lock of the folder, creating it if missing, and checks its contents.
    /// The folder must hold a whole store of this engine, or nothing. The next steps are to open
    /// the engine, and [`Directory::admit`].
    pub(super) fn take(path: &Path, engine: Kind) -> Result<Self, OpenError> {
        let failed = OpenError::io(path);
        files::create_folder(path).map_err(failed)?;
        // Before the lock, to leave a foreign folder unchanged.
        marker_of(path, engine)?;
        let lock = files::private()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK_FILE))
            .map_err(OpenError::io(&path.join(LOCK_FILE)))?;
        match files::lock(&lock, ENDING) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse { path: path.into() }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // Again: another process may have created a store here before we got the lock.
        let marker = marker_of(path, engine)?;
        if let Err(error) = files::tighten_all(path, true) {
            tracing::warn!(
                path = %path.display(),
                %error,
                "cannot remove other users' access to the store"
            );
        }
        let mut directory = Self {
            path: path.into(),
            engine,
            marker: marker.clone().unwrap_or_else(|| Marker::new(engine)),
            recorded: None,
            suspicion: None,
            progress: None,
            _lock: lock,
        };
        // A program other than this backend may have the engine open, or be closing it.
        if !directory.engine_lets_go(OPENING) {
            return Err(OpenError::InUse { path: path.into() });
        }
        match marker {
            Some(marker) if marker.complete => directory.check_files()?,
            _ => directory.start_anew().map_err(failed)?,
        }
        Ok(directory)
    }

    /// The path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The engine's own folder (sled) or file (redb).
    pub(super) fn engine_path(&self) -> PathBuf {
        self.path.join(match self.engine {
            Kind::Sled => "sled",
            Kind::Redb => "store.redb",
        })
    }

    /// The engine's data file. Its length shows truncation.
    pub(super) fn data_path(&self) -> PathBuf {
        match self.engine {
            Kind::Sled => self.engine_path().join("db"),
            Kind::Redb => self.engine_path(),
        }
    }

    /// Returns whether the operator accepts a loss of data.
    pub(super) fn accepts_loss(&self) -> bool {
        self.path.join(ACCEPT_LOSS_FILE).exists()
    }

    /// Returns whether the store is still being created.
    pub(super) fn is_new(&self) -> bool {
        !self.marker.complete
    }

    /// Admits the engine's store, or refuses it if data is missing.
    ///
    /// `found` is the durable mark in the engine. `count`, called in case of doubt, reads every row
    /// and returns their mark, with any number; it fails on an unreadable row. Returns the mark to
    /// continue from. It differs from `found` if the operator has accepted a loss; the caller then
    /// writes it to the engine before anything else.
    pub(super) fn admit(
        &mut self,
        found: Option<StoreMark>,
        count: impl FnOnce() -> Result<StoreMark, String>,
    ) -> Result<StoreMark, OpenError> {
        let failed = |source| OpenError::io(&self.path)(source);
        let accepted = self.path.join(ACCEPT_LOSS_FILE).exists();
        let mark = if self.is_new() {
            found.unwrap_or_default()
        } else {
            self.decide_recovery(found, accepted, count)?
        };
        let progress = ProgressRecord::open(&self.path, &self.data_path()).map_err(failed)?;
        progress.record(mark).map_err(failed)?;
        progress.sync(&self.path).map_err(failed)?;
        self.progress = Some(progress);
        files::tighten_all(&self.path, true).map_err(failed)?;
        if self.is_new() {
            self.sync_engine().map_err(failed)?;
            self.marker.complete = true;
            self.marker.write(&self.path).map_err(failed)?;
        }
        files::remove(&self.path, ACCEPT_LOSS_FILE).map_err(failed)?;
        Ok(mark)
    }

    /// Records a durable group.
    /// The record is only a lower bound, so a failure weakens later checks and does no other harm.
    pub(super) fn record(&self, mark: StoreMark) {
        let Some(progress) = &self.progress else {
            return;
        };
        if let Err(error) = progress.record(mark) {
            let path = progress.data_path().display();
            tracing::warn!(%path, %error, "cannot note the progress of the store");
        }
    }

    /// Records this program's version before its first write to the store.
    /// From then on, older programs must not open the store.
    ///
    /// # Errors
    /// The version could not be recorded. The caller must not write.
    pub(super) fn note_version(&mut self) -> io::Result<()> {
        let Some(marker) = self.marker.written_to() else {
            return Ok(());
        };
        marker.write(&self.path)?;
        let version = RowsVersion::THIS.written_by;
        tracing::warn!(version, "older programs refuse this store from now on");
        self.marker = marker;
        Ok(())
    }

    /// Releases the folder after a clean close of the engine.
    /// Without this the store counts as killed.
    pub(super) fn close(self) {
        if self.progress.is_none() || !self.engine_lets_go(CLOSING) {
            return;
        }
        let closed = files::tighten_all(&self.path, true)
            .and_then(|()| CleanShutdown::list(&self.path, &self.engine_path()))
            .and_then(|closed| closed.write(&self.path));
        if let Err(error) = closed {
            tracing::warn!(path = %self.path.display(), %error, "cannot note that the store is closed");
        }
    }

    /// Starts a store, removing the remains of an unfinished creation.
    fn start_anew(&self) -> io::Result<()> {
        let engine = self.engine_path();
        if engine.is_dir() {
            fs::remove_dir_all(engine)?;
        } else {
            files::remove(&self.path, "store.redb")?;
        }
        files::remove(&self.path, progress::FILE)?;
        files::remove(&self.path, clean_shutdown::FILE)?;
        self.marker.write(&self.path)
    }

    /// Syncs the names and the contents of the engine's files.
    fn sync_engine(&self) -> io::Result<()> {
        for path in files::all_files(&self.engine_path())? {
            File::open(path)?.sync_all()?;
        }
        if self.engine == Kind::Sled {
            files::sync_folder(&self.engine_path().join("blobs"))?;
            files::sync_folder(&self.engine_path())?;
        }
        files::sync_folder(&self.path)
    }

    /// Waits until the engine's own lock is free; false on a timeout.
    fn engine_lets_go(&self, at_most: Duration) -> bool {
        files::is_let_go(&self.data_path(), at_most)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Our lock is released last, so its next holder finds the engine's free as well.
        if !self.engine_lets_go(CLOSING) {
            tracing::warn!(path = %self.path.display(), "the engine has not released its files");
        }
    }
}

/// The marker of a usable folder; `None` if the folder is empty.
/// The usual contents of a mount point do not count, nor the remains of a process killed before it
/// began.
fn marker_of(path: &Path, engine: Kind) -> Result<Option<Marker>, OpenError> {
    if let Some(marker) = Marker::read(path)? {
        return if marker.engine == engine {
            Ok(Some(marker))
        } else {
            Err(OpenError::OtherEngine {
                path: path.into(),
                found: marker.engine,
            })
        };
    }
    let has = |name: &str| path.join(name).exists();
    if has(LOCK_FILE) && has("db") && has("conf") {
        return Err(OpenError::OtherFormat {
            path: path.into(),
            found: "1".into(),
            expected: marker::FORMAT,
        });
    }
    if has(progress::FILE) || has(clean_shutdown::FILE) {
        return Err(OpenError::Incomplete {
            path: path.into(),
            missing: format!("{} is missing", marker::FILE),
        });
    }
    let harmless = [
        "lost+found",
        LOCK_FILE,
        "connect.store.new",
        space::BALLAST_FILE,
    ];
    for entry in fs::read_dir(path).map_err(OpenError::io(path))? {
        let name = entry.map_err(OpenError::io(path))?.file_name();
        if !harmless.iter().any(|known| name == *known) {
            return Err(OpenError::OtherContent { path: path.into() });
        }
    }
    Ok(None)
}
