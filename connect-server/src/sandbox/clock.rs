//! The clock of a sandbox: it can be put ahead, so that tokens expire, retries come due and days end while
//! somebody watches.
//!
//! Time only passes faster, for the core as for everybody who asks it. By how much is kept in a file
//! beside the store, or in a database: otherwise the time would go back with the next start, and what was written in the
//! meantime would be of a time to come.

use std::{
    fs,
    io::{self, ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use connect_core::{
    Connect,
    environment::{Clock, SystemClock},
    storage::Storage,
    wire::Timestamp,
};
use serde::{Deserialize, Serialize};

/// The most seconds that the clock can be ahead: ten years.
pub(super) const MOST_AHEAD: u64 = 3650 * 24 * 3600;

/// The machine's clock, and the seconds by which this one is ahead of it.
#[derive(Debug)]
pub(crate) struct SandboxClock {
    ahead: AtomicU64,
    /// The file that keeps them; `None` where the store does.
    file: Option<PathBuf>,
    /// One advance at a time.
    turn: Mutex<()>,
    /// The same where the store keeps them.
    turn_in_store: tokio::sync::Mutex<()>,
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    ahead_by_seconds: u64,
}

/// The file of the clock cannot be used. Without it the time of the store would go back.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}, which says by how much the clock of this sandbox is ahead, cannot be read: {source}; give it \
     back to the user of the server, or use another data folder", path.display()
)]
pub struct ClockFileError {
    path: PathBuf,
    source: io::Error,
}

/// The clock was not put ahead.
#[derive(Debug)]
pub(super) enum NotAdvanced {
    /// It would be too far ahead.
    TooFar,
    /// That could not be written down.
    Unwritten(io::Error),
}

impl SandboxClock {
    /// A clock that is as far ahead as the file says; without a file, or without that one, it is not.
    ///
    /// # Errors
    /// The file is there, and cannot be read.
    pub(crate) fn open(file: Option<PathBuf>) -> Result<Arc<Self>, ClockFileError> {
        let read = file.as_deref().map(|path| {
            read(path).map_err(|source| ClockFileError {
                path: path.to_owned(),
                source,
            })
        });
        let ahead = read.transpose()?.flatten();
        Ok(Arc::new(Self {
            ahead: AtomicU64::new(ahead.unwrap_or(0)),
            file,
            turn: Mutex::default(),
            turn_in_store: tokio::sync::Mutex::default(),
        }))
    }

    /// The clock of a store: as far ahead as the file beside it says, or the store itself, which keeps that where
    /// there is no file. A row that cannot be read is logged by the core; the time of the last service tells then.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) async fn of(
        storage: Arc<dyn Storage>,
        file: Option<PathBuf>,
    ) -> Result<Arc<Self>, ClockFileError> {
        let clock = Self::open(file)?;
        let kept = Connect::builder(storage).build().clock_lead().await;
        clock
            .ahead
            .fetch_max(kept.unwrap_or(0).min(MOST_AHEAD), Ordering::SeqCst);
        Ok(clock)
    }

    /// Puts it ahead as [`advance`](Self::advance) does, and keeps that in the store where there is no file.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub(super) async fn advance_kept(
        self: &Arc<Self>,
        connect: &Connect,
        seconds: u64,
    ) -> Result<(), NotAdvanced> {
        let _turn = self.turn_in_store.lock().await;
        let ahead = self.ahead().saturating_add(seconds);
        if self.file.is_none() && ahead <= MOST_AHEAD {
            let kept = connect.keep_clock_lead(ahead).await;
            kept.map_err(|error| {
                NotAdvanced::Unwritten(io::Error::other(error.cause().to_owned()))
            })?;
        }
        let clock = self.clone();
        let advanced = tokio::task::spawn_blocking(move || clock.advance(seconds)).await;
        advanced.unwrap_or_else(|error| Err(NotAdvanced::Unwritten(io::Error::other(error))))
    }

    /// The seconds by which it is ahead.
    pub(crate) fn ahead(&self) -> u64 {
        self.ahead.load(Ordering::SeqCst)
    }

    /// Puts it so many seconds ahead of what it shows, and keeps that for the next start. It waits for the
    /// disk, so it is for a thread that may wait; and nobody can leave it halfway, with another time in the
    /// file than in memory.
    ///
    /// # Errors
    /// It would be too far ahead, or that cannot be written down. It shows what it did before then.
    pub(super) fn advance(&self, seconds: u64) -> Result<(), NotAdvanced> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let ahead = self.ahead().saturating_add(seconds);
        if ahead > MOST_AHEAD {
            return Err(NotAdvanced::TooFar);
        }
        if let Some(file) = &self.file {
            write(file, ahead).map_err(NotAdvanced::Unwritten)?;
        }
        self.ahead.store(ahead, Ordering::SeqCst);
        Ok(())
    }
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        let ahead = i64::try_from(self.ahead()).unwrap_or(i64::MAX);
        SystemClock.now().plus_seconds(ahead)
    }

    fn elapsed(&self) -> Duration {
        SystemClock
            .elapsed()
            .saturating_add(Duration::from_secs(self.ahead()))
    }
}

/// Reads the file; `None` when there is none.
fn read(path: &Path) -> io::Result<Option<u64>> {
    let content = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let kept: Kept = serde_json::from_slice(&content)?;
    if kept.ahead_by_seconds > MOST_AHEAD {
        let problem = "it says more than ten years";
        return Err(io::Error::new(ErrorKind::InvalidData, problem));
    }
    Ok(Some(kept.ahead_by_seconds))
}

/// Writes the file in such a way that it is whole after a crash at any moment.
///
/// # Errors
/// It is as it was before.
fn write(path: &Path, ahead_by_seconds: u64) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&new)?;
    let content = serde_json::to_vec(&Kept { ahead_by_seconds })?;
    file.write_all(&content)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    // That of a name alone is the folder of the process.
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::File::open(folder.unwrap_or(Path::new(".")));
    if let Err(error) = folder.and_then(|folder| folder.sync_all()) {
        // The file has the new time already, so the clock has to show it.
        tracing::warn!(%error, "the clock of the sandbox may be set back by a loss of power");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use connect_core::storage::memory::MemoryStorage;

    use super::*;

    const DAY: u64 = 24 * 3600;

    #[test]
    fn time_passes_for_both_of_its_hands_and_never_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.clock.json");
        let clock = SandboxClock::open(Some(file.clone())).unwrap();
        let read = |clock: &SandboxClock| (clock.now().seconds(), clock.elapsed().as_secs());
        let before = read(&clock);
        clock.advance(3 * DAY).unwrap();
        clock.advance(60).unwrap();
        let after = read(&clock);
        let passed = 3 * DAY + 60;
        assert!((passed..passed + 60).contains(&((after.0 - before.0) as u64)));
        assert!((passed..passed + 60).contains(&(after.1 - before.1)));
        drop(clock);
        let again = SandboxClock::open(Some(file)).unwrap();
        assert_eq!(again.ahead(), passed);
        assert!(again.now().seconds() >= after.0);
    }

    /// A database has no folder beside it. Every command on it was refused, as its time seemed to go back.
    #[tokio::test]
    async fn a_store_without_a_folder_keeps_the_lead_itself() {
        let storage = Arc::new(MemoryStorage::new());
        let clock = SandboxClock::of(storage.clone(), None).await.unwrap();
        let connect = Connect::builder(storage.clone())
            .clock(clock.clone())
            .build();
        clock.advance_kept(&connect, 40 * DAY).await.unwrap();
        clock.advance_kept(&connect, 60).await.unwrap();
        connect.trust_clock().await.unwrap();
        let again = SandboxClock::of(storage.clone(), None).await.unwrap();
        assert_eq!(again.ahead(), 40 * DAY + 60);
        let connect = Connect::builder(storage).clock(again.clone()).build();
        let checked = crate::start_clock::check(&connect, again.now()).await;
        assert_eq!(checked, Ok(()));
        let report = connect.check(&mut |_| {}).await.unwrap();
        assert!(report.is_clean(), "{report:?}");
    }

    #[test]
    fn an_advance_that_cannot_be_kept_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let clock = SandboxClock::open(Some(folder.path().join("missing/clock.json"))).unwrap();
        let refused = clock.advance(60);
        assert!(matches!(refused, Err(NotAdvanced::Unwritten(_))));
        assert_eq!(clock.ahead(), 0);
        let clock = SandboxClock::open(None).unwrap();
        clock.advance(MOST_AHEAD).unwrap();
        let refused = clock.advance(1);
        assert!(matches!(refused, Err(NotAdvanced::TooFar)));
        assert_eq!(clock.ahead(), MOST_AHEAD);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_reason_to_go_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.clock.json");
        for content in [
            "",
            "{}",
            "{\"aheadBySeconds\":-1}",
            "{\"aheadBySeconds\":99999999999}",
        ] {
            fs::write(&file, content).unwrap();
            let error = SandboxClock::open(Some(file.clone())).unwrap_err();
            assert!(error.to_string().contains("store.clock.json"), "{error}");
        }
    }
}
