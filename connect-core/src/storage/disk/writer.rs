//! The one thread for all writes.
//!
//! It takes the waiting commits from the queue, adds each with valid expectations to one group,
//! applies the group as one batch, makes it durable once and answers all. `recovery` has its work after a
//! failure of the engine.

use std::{
    sync::{Arc, mpsc::Receiver},
    time::{Duration, Instant},
};

use super::{
    directory::Directory,
    engine::{ApplyError, Batch, Engine, caught},
    group::{CommitGroup, Joined, fills_a_group},
    health::{Health, HealthProbe, USUAL_COMMIT},
    marker,
    progress::StoreMark,
    queue::{CommitRequest, Message, Reply},
    space::Space,
    view::View,
};
use crate::storage::{CommitError, StorageError};

/// The state of the writer thread.
pub(super) struct Writer<E: Engine> {
    pub(super) view: Arc<View<E>>,
    pub(super) queue: Receiver<Message>,
    /// `None` only while it is reopened.
    pub(super) engine: Option<E>,
    pub(super) options: E::Options,
    pub(super) directory: Directory,
    pub(super) space: Space,
    pub(super) health: HealthProbe,
    /// The progress of the store: the last durable mark.
    pub(super) mark: StoreMark,
    pub(super) work: InFlight,
    /// The time of the last opening of the engine.
    pub(super) opened: Instant,
    /// The pause before failing reads cause another reopening.
    pub(super) patience: Duration,
}

/// The commits taken from the queue and not yet answered.
#[derive(Default)]
pub(super) struct InFlight {
    /// The group under way.
    pub(super) group: Vec<(Reply, Joined)>,
    /// A message for after the group, met while gathering it.
    pub(super) aside: Option<Message>,
    /// Whether the store will be closed once the queue is empty.
    pub(super) is_closing: bool,
}

impl<E: Engine> Writer<E> {
    /// Runs until the store closes and all work is done.
    pub(super) fn run(mut self) {
        while let Some(message) = self.next() {
            let done = caught(|| self.handle(message));
            if let Err(failed) = done.unwrap_or_else(|panic| Err(ApplyError::Unknown(panic)))
                && !self.recover(&failed)
            {
                return;
            }
        }
        self.view.close();
        drop(self.engine.take());
        self.directory.close();
    }

    /// The next message; `None` at the end of a closed store.
    fn next(&mut self) -> Option<Message> {
        if let Some(message) = self.work.aside.take() {
            return Some(message);
        }
        if self.work.is_closing {
            self.queue.try_recv().ok()
        } else {
            self.queue.recv().ok()
        }
    }

    fn handle(&mut self, message: Message) -> Result<(), ApplyError> {
        match message {
            Message::Commit(request) => match self.directory.note_version() {
                Ok(()) => self.write_group(request),
                Err(error) => {
                    let error = StorageError::new(format_args!("{}: {error}", marker::FILE));
                    let _ = request.reply.send(Err(CommitError::NotApplied(error)));
                    Ok(())
                }
            },
            Message::Check(mut check, reply) => {
                let mark = self.mark;
                let engine = self.engine()?;
                let (snapshot, damage) = (engine.snapshot()?, engine.damage());
                let damage = damage.map(|damage| &**damage);
                let checked = caught(|| check.step::<E>(&snapshot, damage, mark));
                let checked = checked.and_then(|checked| Ok(checked?));
                let _ = reply.send(checked.map(|()| check));
                Ok(())
            }
            Message::Freeze(reply) => {
                let snapshot = self.engine()?.snapshot()?;
                let _ = reply.send(Ok(self.view.freeze(snapshot)));
                Ok(())
            }
            Message::Pages(reply) => {
                let pages = self.engine()?.pages();
                let _ = reply.send(pages);
                Ok(())
            }
            Message::Damaged(found) => {
                if let Err(error) = self.keep_away(found) {
                    // The next check finds it again.
                    tracing::debug!(%error, "pages were not checked again");
                }
                Ok(())
            }
            Message::Reopen(error) => self.reopen(error),
            Message::Close => {
                self.work.is_closing = true;
                Ok(())
            }
        }
    }

    pub(super) fn engine(&mut self) -> Result<&mut E, StorageError> {
        let closed = || StorageError::new("the database is being opened again");
        self.engine.as_mut().ok_or_else(closed)
    }

    /// Writes one group: `first` and the commits waiting behind it.
    /// Conflicts are answered with the rest: they may
    /// depend on writes of this group.
    fn write_group(&mut self, first: CommitRequest) -> Result<(), ApplyError> {
        if let Some(damage) = self.health.damage() {
            let _ = first.reply.send(Err(CommitError::NotApplied(damage)));
            return Ok(());
        }
        let view = self.view.clone();
        let mut group = CommitGroup::new(&view);
        let mut next = Some(first);
        while let Some(request) = next {
            if let Err(failed) = self.join(request, &mut group) {
                // Nothing of the group has reached the engine.
                self.answer_group(&Err(CommitError::NotApplied(failed.error().clone())));
                return Err(failed);
            }
            next = if group.is_full() { None } else { self.queued() };
        }
        if let Some((batch, before)) = group.finish() {
            if !self.has_room(&batch) {
                self.answer_group(&Err(CommitError::NotApplied(no_room())));
                return Ok(());
            }
            view.hide(before);
            let snapshot = self.apply(batch)?;
            view.show(snapshot);
        }
        self.answer_group(&Ok(()));
        Ok(())
    }

    /// The next waiting commit for the group, if any.
    fn queued(&mut self) -> Option<CommitRequest> {
        match self.queue.try_recv().ok()? {
            Message::Commit(request) if !fills_a_group(&request.commit) => Some(request),
            other => {
                self.work.aside = Some(other);
                None
            }
        }
    }

    /// Adds a commit to the group.
    fn join(
        &mut self,
        request: CommitRequest,
        group: &mut CommitGroup<'_, E>,
    ) -> Result<(), ApplyError> {
        let CommitRequest { commit, reply, .. } = request;
        // Noted before the attempt, so it gets an answer in any case.
        self.work.group.push((reply, Joined::Conflict));
        let joined = caught(|| group.join(commit))??;
        if let Some(answer) = self.work.group.last_mut() {
            answer.1 = joined;
        }
        Ok(())
    }

    /// Applies a batch and makes it durable; returns the resulting state.
    fn apply(&mut self, batch: Batch) -> Result<E::Snapshot, ApplyError> {
        let mark = self.mark;
        let engine = self.engine()?;
        let applied = caught(|| {
            let mark = engine.apply(batch, mark)?;
            let snapshot = engine.snapshot();
            Ok((
                mark,
                snapshot.map_err(|fault| ApplyError::Unknown(fault.into()))?,
            ))
        });
        let (mark, snapshot) = applied.unwrap_or_else(|panic| Err(ApplyError::Unknown(panic)))?;
        self.mark = mark;
        self.directory.record(mark);
        Ok(snapshot)
    }

    /// Answers every caller in the group, given its outcome.
    pub(super) fn answer_group(&mut self, result: &Result<(), CommitError>) {
        for (reply, joined) in self.work.group.drain(..) {
            let answer = match (result, joined) {
                (_, Joined::Refused(error)) => Err(CommitError::NotApplied(error)),
                (Ok(()), Joined::Yes) => Ok(()),
                (Ok(()), Joined::Conflict) => Err(CommitError::Conflict),
                (Err(CommitError::Unknown(error)), Joined::Conflict) => {
                    Err(CommitError::NotApplied(error.clone()))
                }
                (Err(error), _) => Err(error.clone()),
            };
            let _ = reply.send(answer);
        }
    }

    /// Returns whether a batch may be written without touching the reserve.
    fn has_room(&mut self, batch: &Batch) -> bool {
        let len = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
        let content = batch.iter().map(|one| one.key.len() + len(&one.value));
        let content = content.sum::<usize>() as u64;
        let needed = E::room_for(batch.len() as u64, content, self.space.file_len());
        let has_room = self.space.has_room_for(needed);
        if has_room && self.health.noted() == Health::Full {
            self.space.refill_ballast();
        } else if has_room {
            self.space.keep_ballast();
        }
        // Others may have room where a large batch has none.
        let is_full = !has_room && !self.space.has_room_for(USUAL_COMMIT);
        self.health.set(if is_full {
            Health::Full
        } else {
            Health::Working
        });
        has_room
    }
}

fn no_room() -> StorageError {
    StorageError::full("the disk has no room left; make some, and commits go on by themselves")
}
