//! The folder that a store lives in: whose it is, and that nothing is missing from it.
//!
//! | name | holds |
//! |---|---|
//! | `connect.lock` | nothing; locked while the store is open |
//! | `connect.store` | which engine made the folder, the format, and the version of the rows |
//! | `connect.progress` | the last durable group: see [`progress`](super::progress) |
//! | `connect.closed` | while closed: the engine's files: see [`clean_shutdown`](super::clean_shutdown) |
//! | `connect.ballast` | room for opening on a full disk: see [`space`](super::space) |
//! | `connect.accept-loss` | made by the operator: go on with what is left of a store |
//! | `sled/` or `store.redb` | the engine's files |
//!
//! Opening runs [`Directory::take`], opens the engine at [`Directory::engine_path`], and shows
//! what was found to [`Directory::admit`], which refuses a store that has lost something.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Kind, OpenError,
    clean_shutdown::{self, Closed},
    files,
    marker::{self, Marker},
    open_error::ACCEPT_LOSS_FILE,
    progress::{self, Mark, Progress, Recorded},
    space,
};
use crate::storage::RowsVersion;

/// Our lock. The engines lock their files too, but only after they have touched the folder.
const LOCK_FILE: &str = "connect.lock";

/// The time for which sled may hold on to its lock after it was closed; its threads end on their own time.
const CLOSING: Duration = Duration::from_secs(10);

/// The time for which opening waits for our lock: a supervisor may start the service again while the
/// process that it has killed still ends.
const ENDING: Duration = Duration::from_secs(2);

/// The time for which opening waits for the engine's lock once it has ours. Only the end of a
/// process, which gives up one after the other, and something other than this backend can hold it.
const OPENING: Duration = Duration::from_millis(500);

/// Returns whether a process has the store in this folder open. That may change at any time: only
/// opening the store says for sure.
pub fn is_in_use(path: &Path) -> bool {
    !files::is_let_go(&path.join(LOCK_FILE), Duration::ZERO)
}

/// A folder that this process, and nobody else, may work in until this is dropped.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    pub(super) engine: Kind,
    marker: Marker,
    /// The record of the progress; `None` when there is none, or a torn one.
    pub(super) recorded: Option<Recorded>,
    /// The reason for which the rows have to be counted before the store is used.
    pub(super) doubt: Option<&'static str>,
    progress: Option<Progress>,
    _lock: File,
}

impl Directory {
    /// Creates the folder if need be, takes its lock, and checks that it holds a whole store of
    /// this engine, or nothing. The next steps are to open the engine, and [`Directory::admit`].
    pub(super) fn take(path: &Path, engine: Kind) -> Result<Self, OpenError> {
        let failed = OpenError::io(path);
        files::create_folder(path).map_err(failed)?;
        // Before the lock, so that a folder of something else is left as it was.
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
        // Again, since another process may have made a store here before we got the lock.
        let marker = marker_of(path, engine)?;
        if let Err(error) = files::tighten_all(path, true) {
            tracing::warn!(path = %path.display(), %error, "cannot take others' rights to the store");
        }
        let mut directory = Self {
            path: path.into(),
            engine,
            marker: marker.clone().unwrap_or_else(|| Marker::new(engine)),
            recorded: None,
            doubt: None,
            progress: None,
            _lock: lock,
        };
        // Something other than this backend may have the engine open, or be closing it.
        if !directory.engine_lets_go(OPENING) {
            return Err(OpenError::InUse { path: path.into() });
        }
        match marker {
            Some(marker) if marker.complete => directory.check_files()?,
            _ => directory.start_anew().map_err(failed)?,
        }
        Ok(directory)
    }

    /// The folder.
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

    /// The engine's data file, whose length tells whether it was cut.
    pub(super) fn data_path(&self) -> PathBuf {
        match self.engine {
            Kind::Sled => self.engine_path().join("db"),
            Kind::Redb => self.engine_path(),
        }
    }

    /// Says that the operator asks to go on with what is left of the store.
    pub(super) fn accepts_loss(&self) -> bool {
        self.path.join(ACCEPT_LOSS_FILE).exists()
    }

    /// Says that the store is being made: the engine is to be created, with a mark of no groups.
    pub(super) fn is_new(&self) -> bool {
        !self.marker.complete
    }

    /// Admits the store that the engine has found, or refuses it because something is missing.
    ///
    /// `found` is the mark that the engine holds, durably. `count` reads every row and returns
    /// their mark, with any number; it is called when there is doubt, and fails when a row cannot
    /// be read. Returns the mark to go on from. Where the operator has accepted a loss that is
    /// another one than `found`; the opener then writes it to the engine before anything else.
    pub(super) fn admit(
        &mut self,
        found: Option<Mark>,
        count: impl FnOnce() -> Result<Mark, String>,
    ) -> Result<Mark, OpenError> {
        let failed = |source| OpenError::io(&self.path)(source);
        let accepted = self.path.join(ACCEPT_LOSS_FILE).exists();
        let mark = if self.is_new() {
            found.unwrap_or_default()
        } else {
            self.judge(found, accepted, count)?
        };
        let progress = Progress::open(&self.path, &self.data_path()).map_err(failed)?;
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

    /// Notes that a group is durable. Only a lower bound of what is, so a failure does no harm
    /// but to later checks.
    pub(super) fn record(&self, mark: Mark) {
        let Some(progress) = &self.progress else {
            return;
        };
        if let Err(error) = progress.record(mark) {
            let path = progress.data_path().display();
            tracing::warn!(%path, %error, "cannot note the progress of the store");
        }
    }

    /// Notes that this program writes to the store, before it first does: older ones must not open it from
    /// then on.
    ///
    /// # Errors
    /// It could not be noted: nothing may be written then.
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

    /// Gives the folder up after the engine was closed in good order. Without this the store is
    /// taken for one whose process was killed.
    pub(super) fn close(self) {
        if self.progress.is_none() || !self.engine_lets_go(CLOSING) {
            return;
        }
        let closed = files::tighten_all(&self.path, true)
            .and_then(|()| Closed::list(&self.path, &self.engine_path()))
            .and_then(|closed| closed.write(&self.path));
        if let Err(error) = closed {
            tracing::warn!(path = %self.path.display(), %error, "cannot note that the store is closed");
        }
    }

    /// Begins a store, without what is left of one whose making was cut short.
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

    /// Makes the names and the contents of the engine's files survive a loss of power.
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

    /// Waits until nobody holds the engine's own lock; false when time is up.
    fn engine_lets_go(&self, at_most: Duration) -> bool {
        files::is_let_go(&self.data_path(), at_most)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Our lock goes last, so whoever gets it finds the engine's free as well.
        if !self.engine_lets_go(CLOSING) {
            tracing::warn!(path = %self.path.display(), "the engine has not let go of its files");
        }
    }
}

/// The marker of a folder that is ours to use; `None` when it is empty but for what a mount point
/// has, or what a process left that was killed before it began.
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
