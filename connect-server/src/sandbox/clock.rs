//! The clock of a sandbox.
//!
//! It can be put ahead: tokens expire, retries come due and days end while the user watches. For the core and
//! all other callers time only passes faster. The store keeps the lead, and so does each copy of it: otherwise
//! the time would go back with the next start, and rows written meanwhile would have a time in the future.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use connect_core::{
    Connect, Error,
    environment::{Clock, SystemClock},
    storage::Storage,
    wire::Timestamp,
};
use serde::Deserialize;

/// The largest lead of the clock in seconds: ten years.
pub(super) const MOST_AHEAD: u64 = 3650 * 24 * 3600;

/// The machine's clock plus a lead in seconds.
#[derive(Debug, Default)]
pub(crate) struct SandboxClock {
    ahead: AtomicU64,
    /// Allows one advance at a time.
    turn: tokio::sync::Mutex<()>,
}

/// The content of the former versions' file for the seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FormerClockFile {
    ahead_by_seconds: u64,
}

/// The file of the clock cannot be used.
/// Without it the time of the store would go back.
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
    /// The lead could not be stored.
    Unwritten(Error),
}

impl SandboxClock {
    /// Opens the clock of a store, with the lead kept there.
    /// The core logs an unreadable row; the time of the last service decides then. A larger lead in a file of
    /// a former version goes into the store.
    ///
    /// # Errors
    /// The file exists, but cannot be read.
    pub(crate) async fn of(
        storage: Arc<dyn Storage>,
        file: Option<PathBuf>,
    ) -> Result<Arc<Self>, ClockFileError> {
        let read = file.map(|path| read(&path).map_err(|source| ClockFileError { path, source }));
        let in_file = read.transpose()?.flatten().unwrap_or(0);
        let connect = Connect::builder(storage).build();
        let kept = connect.clock_lead().await.unwrap_or(0).min(MOST_AHEAD);
        if in_file > kept
            && let Err(error) = connect.keep_clock_lead(in_file).await
        {
            let cause = error.cause();
            tracing::warn!(%cause, "copies of this store will not know that its clock is ahead");
        }
        Ok(Arc::new(Self {
            ahead: AtomicU64::new(kept.max(in_file)),
            ..Self::default()
        }))
    }

    /// Returns its lead in seconds.
    pub(crate) fn ahead(&self) -> u64 {
        self.ahead.load(Ordering::SeqCst)
    }

    /// Puts it so many seconds further ahead, once the store has the new lead.
    ///
    /// # Errors
    /// It would be too far ahead, or the lead cannot be written down. It then shows the same time as before.
    pub(super) async fn advance(&self, connect: &Connect, seconds: u64) -> Result<(), NotAdvanced> {
        let _turn = self.turn.lock().await;
        let ahead = self.ahead().saturating_add(seconds);
        if ahead > MOST_AHEAD {
            return Err(NotAdvanced::TooFar);
        }
        let kept = connect.keep_clock_lead(ahead).await;
        kept.map_err(NotAdvanced::Unwritten)?;
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

/// Reads the file; `None` if it is missing.
fn read(path: &Path) -> io::Result<Option<u64>> {
    let content = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let kept: FormerClockFile = serde_json::from_slice(&content)?;
    if kept.ahead_by_seconds > MOST_AHEAD {
        let problem = "it says more than ten years";
        return Err(io::Error::new(ErrorKind::InvalidData, problem));
    }
    Ok(Some(kept.ahead_by_seconds))
}

#[cfg(test)]
mod tests {
    use connect_core::storage::memory::MemoryStorage;

    use super::*;

    const DAY: u64 = 24 * 3600;

    /// Regression: commands on a copy, and on a database, were refused.
    /// Their time seemed to go back.
    #[tokio::test]
    async fn time_passes_for_both_hands_and_never_goes_back_for_who_has_the_store() {
        let storage = Arc::new(MemoryStorage::new());
        let clock = SandboxClock::of(storage.clone(), None).await.unwrap();
        let connect = Connect::builder(storage.clone())
            .clock(clock.clone())
            .build();
        let read = || (clock.now().seconds(), clock.elapsed().as_secs());
        let before = read();
        clock.advance(&connect, 40 * DAY).await.unwrap();
        clock.advance(&connect, 60).await.unwrap();
        let after = read();
        let passed = 40 * DAY + 60;
        assert!((passed..passed + 60).contains(&((after.0 - before.0) as u64)));
        assert!((passed..passed + 60).contains(&(after.1 - before.1)));
        connect.accept_clock().await.unwrap();
        let again = SandboxClock::of(storage.clone(), None).await.unwrap();
        assert_eq!(again.ahead(), passed);
        let connect = Connect::builder(storage).clock(again.clone()).build();
        let checked = crate::cli::clock_check::check(&connect, again.now()).await;
        assert_eq!(checked, Ok(()));
        let checked = crate::cli::clock_check::check(&connect, SystemClock.now()).await;
        assert!(checked.is_err(), "the machine's clock seems to go back");
        let report = connect.check(&mut |_| {}).await.unwrap();
        assert!(report.is_clean(), "{report:?}");
        let refused = again.advance(&connect, MOST_AHEAD - passed + 1).await;
        assert!(matches!(refused, Err(NotAdvanced::TooFar)));
        assert_eq!(again.ahead(), passed);
        again.advance(&connect, MOST_AHEAD - passed).await.unwrap();
    }

    #[tokio::test]
    async fn what_a_file_of_a_former_version_says_goes_into_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.clock.json");
        let storage = Arc::new(MemoryStorage::new());
        let open = |file: &Path| SandboxClock::of(storage.clone(), Some(file.to_owned()));
        for (content, ahead) in [
            (None, 0),
            (Some(90), 90),
            (Some(60), 90),
            (None, 90),
            (Some(MOST_AHEAD), MOST_AHEAD),
        ] {
            let _ = fs::remove_file(&file);
            if let Some(seconds) = content {
                fs::write(&file, format!("{{\"aheadBySeconds\":{seconds}}}")).unwrap();
            }
            assert_eq!(open(&file).await.unwrap().ahead(), ahead, "{content:?}");
        }
        for content in [
            "",
            "{}",
            "{\"aheadBySeconds\":-1}",
            "{\"aheadBySeconds\":99999999999}",
        ] {
            fs::write(&file, content).unwrap();
            let error = open(&file).await.unwrap_err();
            assert!(error.to_string().contains("store.clock.json"), "{error}");
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        open(&file).await.unwrap_err();
    }
}
