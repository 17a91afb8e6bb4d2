//! The one thread that writes.
//!
//! It takes what has gathered in the queue, lets every commit whose expectations hold join one
//! group, applies the group as one batch, makes it durable once and answers all. Between two
//! groups it does one step of a large commit, if there is one. `staging` has what it does for such a
//! step, and `recovery` what it does after the engine has failed.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    time::{Duration, Instant},
};

use super::{
    directory::Directory,
    engine::{Batch, Engine, Failed, caught},
    group::{Group, Joined},
    health::{Health, HealthProbe},
    marker,
    progress::Mark,
    queue::{Message, Reply, Request, Work},
    space::Space,
    staged::Staged,
    view::View,
};
use crate::storage::{CommitError, StorageError};

/// The pause before something is tried again that failed for want of room.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// The state of the writer thread.
pub(super) struct Writer<E: Engine> {
    pub(super) view: Arc<View<E>>,
    pub(super) queue: Receiver<Message>,
    /// Gone only while it is opened again.
    pub(super) engine: Option<E>,
    pub(super) options: E::Options,
    pub(super) directory: Directory,
    pub(super) space: Space,
    pub(super) health: HealthProbe,
    /// The progress of the store: the last mark that is durable.
    pub(super) mark: Mark,
    pub(super) work: InHand,
    /// The time at which the engine was opened last.
    pub(super) opened: Instant,
    /// The time that has to pass before failing reads have it opened again.
    pub(super) patience: Duration,
}

/// The commits that the writer has taken from the queue and not yet answered.
#[derive(Default)]
pub(super) struct InHand {
    /// The group under way.
    pub(super) group: Vec<(Reply, Joined)>,
    /// The large commit under way, with its reply until it is in force.
    pub(super) staged: Option<(Staged, Option<Reply>)>,
    /// Commits that wait for its end.
    pub(super) waiting: VecDeque<Request>,
    /// Commits that have waited.
    pub(super) ready: VecDeque<Request>,
    /// A message that came out of the queue while a group was gathered, and is no commit.
    pub(super) aside: Option<Message>,
    /// Checks, and states to be kept, that wait for the end of the large commit: its rows are not in their place.
    pub(super) checks: VecDeque<Message>,
    /// The large commit cannot go on for want of room.
    pub(super) is_blocked: bool,
    /// The store is being closed, once the queue is empty.
    pub(super) is_closing: bool,
}

/// The writer's next turn.
enum Turn {
    Message(Message),
    GoOn,
    End,
}

impl<E: Engine> Writer<E> {
    /// Runs until the store is to be closed and everything is done.
    pub(super) fn run(mut self) {
        loop {
            let message = match self.next() {
                Turn::Message(message) => Some(message),
                Turn::GoOn => None,
                Turn::End => break,
            };
            let done = caught(|| {
                message.map_or(Ok(()), |message| self.handle(message))?;
                self.step()
            });
            if let Err(failed) = done.unwrap_or_else(|panic| Err(Failed::Unknown(panic)))
                && !self.recover(&failed)
            {
                return;
            }
        }
        self.view.close();
        drop(self.engine.take());
        self.directory.close();
    }

    fn next(&mut self) -> Turn {
        if let Some(message) = self.work.aside.take() {
            return Turn::Message(message);
        }
        if let Some(request) = self.work.ready.pop_front() {
            return Turn::Message(Message::Commit(request));
        }
        if self.work.staged.is_none()
            && let Some(check) = self.work.checks.pop_front()
        {
            return Turn::Message(check);
        }
        let received = if self.work.is_blocked {
            self.queue.recv_timeout(PAUSE)
        } else if self.work.staged.is_some() || self.work.is_closing {
            self.queue.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            })
        } else {
            let received = self.queue.recv();
            received.map_err(|_| RecvTimeoutError::Disconnected)
        };
        match received {
            Ok(message) => Turn::Message(message),
            Err(_) if self.work.staged.is_none() => Turn::End,
            // What is in force is finished by the next opening.
            Err(_) if self.work.is_blocked && self.work.is_closing => Turn::End,
            Err(_) => Turn::GoOn,
        }
    }

    fn handle(&mut self, message: Message) -> Result<(), Failed> {
        match message {
            Message::Commit(request) => match self.directory.note_version() {
                Ok(()) => self.write_group(request),
                Err(error) => {
                    let error = StorageError::new(format_args!("{}: {error}", marker::FILE));
                    let _ = request.reply.send(Err(CommitError::NotApplied(error)));
                    Ok(())
                }
            },
            Message::Check(..) | Message::Freeze(_) if self.work.staged.is_some() => {
                self.work.checks.push_back(message);
                Ok(())
            }
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

    /// Writes one group: `first` and whatever waits behind it. Conflicts are told apart, and are
    /// answered with the rest: they may rest on writes of this group.
    fn write_group(&mut self, first: Request) -> Result<(), Failed> {
        if let Some(damage) = self.health.damage() {
            let _ = first.reply.send(Err(CommitError::NotApplied(damage)));
            return Ok(());
        }
        let view = self.view.clone();
        let mut group = Group::new(&view);
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

    /// The next commit that is there already.
    fn queued(&mut self) -> Option<Request> {
        if let Some(request) = self.work.ready.pop_front() {
            return Some(request);
        }
        match self.queue.try_recv().ok()? {
            Message::Commit(request) => Some(request),
            other => {
                self.work.aside = Some(other);
                None
            }
        }
    }

    /// Lets a commit join the group, unless a large one is in its way or it is large itself.
    fn join(&mut self, mut request: Request, group: &mut Group<'_, E>) -> Result<(), Failed> {
        // Those that wait for a large commit must not keep others out of the queue.
        request.place = None;
        let in_the_way = self.work.staged.as_ref();
        let has_to_wait = in_the_way.is_some_and(|(staged, _)| match &request.work {
            Work::Small(commit) => staged.commit().meets(commit),
            Work::Large(_) => true,
        });
        if has_to_wait {
            self.work.waiting.push_back(request);
            return Ok(());
        }
        match request.work {
            Work::Large(prepared) => {
                let staged = Staged::new(prepared, E::SLICE);
                self.work.staged = Some((staged, Some(request.reply)));
            }
            Work::Small(commit) => {
                // Noted before it is tried, so that it gets its answer whatever happens.
                self.work.group.push((request.reply, Joined::Conflict));
                let joined = caught(|| group.join(commit))??;
                if let Some(answer) = self.work.group.last_mut() {
                    answer.1 = joined;
                }
            }
        }
        Ok(())
    }

    /// Applies a batch and makes it durable; returns the state after it.
    pub(super) fn apply(&mut self, batch: Batch) -> Result<E::Snapshot, Failed> {
        let mark = self.mark;
        let engine = self.engine()?;
        let applied = caught(|| {
            let mark = engine.apply(batch, mark)?;
            let snapshot = engine.snapshot();
            Ok((
                mark,
                snapshot.map_err(|fault| Failed::Unknown(fault.into()))?,
            ))
        });
        let (mark, snapshot) = applied.unwrap_or_else(|panic| Err(Failed::Unknown(panic)))?;
        self.mark = mark;
        self.directory.record(mark);
        Ok(snapshot)
    }

    /// Answers everybody in the group, given what became of it.
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

    /// Says that a batch may be written without touching the reserve.
    pub(super) fn has_room(&mut self, batch: &Batch) -> bool {
        let len = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
        let bytes: usize = batch
            .iter()
            .map(|one| one.key.len() + len(&one.value) + E::ROOM_PER_WRITE)
            .sum();
        let has_room = self.space.has_room_for(bytes as u64);
        if has_room && self.health.noted() == Health::Full {
            self.space.refill_ballast();
        } else if has_room {
            self.space.keep_ballast();
        }
        self.health.set(if has_room {
            Health::Working
        } else {
            Health::Full
        });
        has_room
    }
}

pub(super) fn no_room() -> StorageError {
    StorageError::full("the disk has no room left; make some, and commits go on by themselves")
}
