//! A store on the disk, over any engine.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time::Instant,
};

use async_trait::async_trait;
use parking_lot::Mutex;

use super::{
    OpenError,
    directory::Directory,
    engine::{Engine, caught},
    frozen::FrozenRows,
    health::{Health, HealthProbe},
    opening,
    queue::{CommitQueue, Message},
    recovery::REOPEN_PAUSE,
    scrub::Scrub,
    space::{Space, SpaceOptions},
    verify::{Progress, Report, StoreCheck},
    view::View,
    writer::{InFlight, Writer},
};
use crate::storage::{
    Commit, CommitError, Entry, MAX_KEY_LEN, MAX_VALUE_LEN, Read, State, StorageError,
    in_process::Local,
};

/// A store in a directory, for one process at a time.
/// Dropping it finishes the queued commits, closes the engine and releases the directory.
pub(crate) struct DiskStore<E: Engine> {
    pub(super) queue: Arc<CommitQueue>,
    writer: Mutex<Option<JoinHandle<()>>>,
    view: Arc<View<E>>,
    health: HealthProbe,
    /// The check of the engine's pages, for engines with page checksums.
    pub(super) scrub: Mutex<Option<Scrub>>,
    /// The time of the last request to reopen the engine.
    asked: Mutex<Option<Instant>>,
}

impl<E: Engine> DiskStore<E> {
    pub(crate) fn open(
        path: &Path,
        options: E::Options,
        cache_bytes: u64,
        space: SpaceOptions,
        first_rows: &[Entry],
    ) -> Result<Self, OpenError> {
        let failed = OpenError::io(path);
        let mut directory = Directory::take(path, E::KIND)?;
        let mut space = Space::new(path, &directory.data_path(), space);
        space.make_room().map_err(failed)?;
        let opened = opening::open::<E>(&mut directory, &space, &options, first_rows)?;
        let snapshot = opened.engine.snapshot();
        let snapshot = snapshot.map_err(|fault| OpenError::Damaged {
            path: path.into(),
            reason: StorageError::from(fault).to_string(),
        })?;
        let view = Arc::new(View::new(snapshot, cache_bytes));
        let health = HealthProbe::new(space.clone());
        let (queue, receiver) = CommitQueue::new();
        let queue = Arc::new(queue);
        space.refill_ballast();
        let has_pages = opened.engine.damage().is_some();
        let writer = Writer {
            view: view.clone(),
            queue: receiver,
            engine: Some(opened.engine),
            options,
            directory,
            space,
            health: health.clone(),
            mark: opened.mark,
            work: InFlight::default(),
            opened: Instant::now(),
            patience: REOPEN_PAUSE,
        };
        writer.tell_damage();
        let probe = health.clone();
        let run = move || {
            // The writer handles panics of its engine; this is for an error of its own.
            if let Err(panic) = caught(|| writer.run()) {
                probe.failed(&panic);
            }
        };
        let thread = thread::Builder::new()
            .name(format!("{}-writer", E::KIND))
            .spawn(run)
            .map_err(failed)?;
        let scrub = has_pages.then(|| Scrub::start(queue.clone(), health.clone()));
        Ok(Self {
            queue,
            writer: Mutex::new(Some(thread)),
            view,
            scrub: Mutex::new(scrub.transpose().map_err(failed)?),
            health,
            asked: Mutex::new(None),
        })
    }

    /// Checks pages at this rate, in bytes a second.
    /// With 0, only requested checks are made.
    pub(crate) fn with_scrub_rate(self, rate: u64) -> Self {
        if let Some(scrub) = &*self.scrub.lock() {
            scrub.rate.store(rate, Ordering::Relaxed);
        }
        self
    }

    pub(crate) fn health(&self) -> HealthProbe {
        self.health.clone()
    }

    /// Finishes the queued commits, closes the engine and releases the directory.
    /// Later commits are refused.
    pub(crate) fn close(&self) {
        let scrub = self.scrub.lock().take();
        drop(scrub);
        if let Some(writer) = self.writer.lock().take() {
            // A writer that has ended, even by a panic, has answered its callers.
            let _ = self.queue.send(Message::Close);
            let _ = writer.join();
        }
    }

    /// Checks every entry, and calls `progress` now and then.
    pub(crate) fn verify(
        &self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, StorageError> {
        let mut check = StoreCheck::default();
        loop {
            check = self.queue.ask(|reply| Message::Check(check, reply))?;
            progress(check.progress());
            if check.is_done() {
                break;
            }
        }
        Ok(check.into_report())
    }

    /// Keeps the current state, with every acknowledged commit.
    pub(crate) fn freeze(&self) -> Result<FrozenRows, StorageError> {
        self.queue.ask(Message::Freeze)
    }

    /// Requests a reopening of the engine after a failed read.
    fn ask_to_reopen(&self, error: &StorageError) {
        if self.health.noted() != Health::Working {
            return;
        }
        let mut asked = self.asked.lock();
        if asked.is_none_or(|asked| asked.elapsed() >= REOPEN_PAUSE) {
            *asked = Some(Instant::now());
            let _ = self.queue.send(Message::Reopen(error.clone()));
        }
    }
}

#[async_trait]
impl<E: Engine> Local for DiskStore<E> {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let failed = match self.view.read(reads) {
            Ok(state) => return Ok(state),
            Err(failed) => failed,
        };
        if failed.may_be_cured {
            self.ask_to_reopen(&failed.error);
        }
        if failed.is_panic
            && let Some(scrub) = &*self.scrub.lock()
        {
            scrub.check_now();
        }
        Err(failed.error)
    }

    async fn apply(&self, commit: Commit) -> Result<(), CommitError> {
        check_sizes(&commit).map_err(CommitError::NotApplied)?;
        self.queue.commit(commit).await
    }
}

impl<E: Engine> Drop for DiskStore<E> {
    fn drop(&mut self) {
        self.close();
    }
}

/// Refuses keys and values beyond the limits for every backend.
fn check_sizes(commit: &Commit) -> Result<(), StorageError> {
    let guard = commit.guard.iter();
    let guard = guard.map(|guard| (&guard.key, Some(&*guard.becomes)));
    let writes = commit.writes.iter();
    let writes = writes.map(|(key, write)| (key, write.value()));
    for (key, value) in guard.chain(writes) {
        let (key, value) = (key.len(), value.map_or(0, <[u8]>::len));
        if key > MAX_KEY_LEN {
            return Err(StorageError::new(format_args!("a key of {key} bytes")));
        }
        if value > MAX_VALUE_LEN {
            return Err(StorageError::new(format_args!("a value of {value} bytes")));
        }
    }
    Ok(())
}
