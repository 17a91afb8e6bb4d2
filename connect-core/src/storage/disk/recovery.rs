//! Recovery after an engine failure: closing, reopening, and the outcome.
//!
//! No caller is answered until the database is open again: only then is it known whether the group
//! under way was applied. If this takes too long, the group's commits are answered as unknown. From
//! then on its keys are unreadable, so no caller takes the old values for current ones.

use std::{
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use super::{
    damage::DamagedRange,
    engine::{ApplyError, Engine, caught},
    health::Health,
    opening::{self, Opened},
    queue::Message,
    writer::Writer,
};
use crate::storage::{CommitError, StorageError};

/// The pause between two looks at the room and the engine.
const PAUSE: Duration = Duration::from_millis(200);

/// The longest wait of the group's callers for the reopening.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause after a reopening, before failing reads cause another.
pub(super) const REOPEN_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause between two unsuccessful reopenings.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The next pause after a too short one.
fn longer(pause: Duration) -> Duration {
    (2 * pause).min(LONGEST_PAUSE)
}

impl<E: Engine> Writer<E> {
    /// Fails with the error of a read, to reopen the engine.
    /// Does nothing within a pause after the last opening.
    pub(super) fn reopen(&mut self, error: StorageError) -> Result<(), ApplyError> {
        // One failed read causes many of these messages.
        let elapsed = self.opened.elapsed();
        if elapsed < self.patience {
            return Ok(());
        }
        // A recent reopening has not helped.
        self.patience = if elapsed < 2 * LONGEST_PAUSE {
            longer(self.patience)
        } else {
            REOPEN_PAUSE
        };
        Err(ApplyError::NotApplied(error))
    }

    /// Reopens the engine, however long it takes.
    /// False: the store is being closed, and the engine cannot be opened.
    pub(super) fn recover(&mut self, failed: &ApplyError) -> bool {
        self.health.failed(failed.error());
        let give_up = Instant::now() + PATIENCE;
        let mut error = failed.error().clone();
        let mut pause = PAUSE;
        let mut try_again = Instant::now();
        loop {
            // A failed engine still answers reads, and cannot be opened without room.
            let can_open = self.engine.is_none() || self.space.has_room_for(0);
            if can_open && Instant::now() >= try_again {
                match self.open_again() {
                    Ok((opened, snapshot)) => {
                        self.go_on(opened, snapshot, &error);
                        return true;
                    }
                    Err(reason) => {
                        self.health.failed(&reason);
                        error = reason;
                        try_again = Instant::now() + pause;
                        pause = longer(pause);
                    }
                }
            }
            if Instant::now() >= give_up {
                self.leave_unknown(&error);
            }
            if !self.refuse_commits(&error) {
                self.leave_unknown(&error);
                return false;
            }
        }
    }

    fn open_again(&mut self) -> Result<(Opened<E>, E::Snapshot), StorageError> {
        self.view.close();
        // sled may panic while closing a failed database.
        caught(|| drop(self.engine.take()))?;
        if let Err(error) = self.space.make_room() {
            tracing::warn!(%error, "cannot release the reserved disk space");
        }
        let opened = opening::open_again::<E>(&self.directory, &self.options, self.mark)?;
        let snapshot = caught(|| opened.engine.snapshot())??;
        Ok((opened, snapshot))
    }

    /// Answers the waiting callers, shows the engine's current state, and resumes.
    fn go_on(&mut self, opened: Opened<E>, snapshot: E::Snapshot, error: &StorageError) {
        let was_applied = caught(|| self.view.was_applied(&snapshot));
        let result = match was_applied.and_then(|applied| Ok(applied?)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(CommitError::NotApplied(error.clone())),
            Err(error) => Err(CommitError::Unknown(error)),
        };
        self.view.reopen(snapshot);
        self.engine = Some(opened.engine);
        self.mark = opened.mark;
        self.opened = Instant::now();
        self.health.set(Health::Working);
        self.tell_damage();
        self.answer_group(&result);
        self.space.refill_ballast();
    }

    /// Reports the damage of the engine's files, if any.
    pub(super) fn tell_damage(&self) {
        let damage = self.engine.as_ref().and_then(|engine| engine.damage());
        let spans = damage.map(|damage| damage.spans());
        self.health.set_damage(spans.unwrap_or_default());
    }

    /// Checks the findings of a page check once more, and keeps reads away from damage.
    ///
    /// Findings may be false: a reopened engine uses the pages of former states, and a disk
    /// may fail for a moment.
    pub(super) fn keep_away(&mut self, found: Vec<DamagedRange>) -> Result<(), StorageError> {
        let engine = self.engine()?;
        let (Some(damage), Some(pages)) = (engine.damage().cloned(), engine.pages()?) else {
            return Ok(());
        };
        let found = damage.unknown(found);
        if damage.add(&caught(|| pages.check_again(&found))??) {
            self.tell_damage();
        }
        Ok(())
    }

    /// Answers the waiting callers before the database is open again.
    /// The outcome of the group is unknown.
    fn leave_unknown(&mut self, error: &StorageError) {
        if !self.work.group.is_empty() {
            self.view.suspect(error.clone());
            self.answer_group(&Err(CommitError::Unknown(error.clone())));
        }
    }

    /// Refuses new commits for a while. False: the store is being closed.
    fn refuse_commits(&mut self, error: &StorageError) -> bool {
        if self.work.is_closing {
            return false;
        }
        let reason = format!("the store is being opened again after a failure: {error}");
        let refused = StorageError::new(reason);
        let until = Instant::now() + PAUSE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let received = match self.work.aside.take() {
                Some(message) => Ok(message),
                None => self.queue.recv_timeout(left),
            };
            match received {
                Ok(Message::Close) => return false,
                Ok(message) => message.refuse(&refused),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}
