//! The steps of a large commit, done by the writer between two groups.
//! `staged` describes them.

use super::{
    engine::{ApplyError, Batch, Engine, ReadFault, caught},
    staged::{self, Next, WriterStep},
    writer::{Writer, no_room},
};
use crate::storage::{CommitError, StorageError};

impl<E: Engine> Writer<E> {
    /// Does one step of the large commit under way.
    pub(super) fn step(&mut self) -> Result<(), ApplyError> {
        self.work.is_blocked = false;
        let Some((staged, _)) = &self.work.staged else {
            return Ok(());
        };
        if let Some(damage) = self.health.damage() {
            return self.hold_staged(damage);
        }
        let (view, engine) = (&self.view, &self.engine);
        let snapshot = || match engine {
            Some(engine) => engine.snapshot(),
            None => Err(ReadFault::Engine(StorageError::new(
                "the database is closed",
            ))),
        };
        match caught(|| staged.prepare::<E>(snapshot, |key| view.row(key)))? {
            Ok(WriterStep::GoOn) => {}
            Ok(WriterStep::Conflict) => {
                self.end_staged(Err(CommitError::Conflict));
                return Ok(());
            }
            Ok(WriterStep::Apply(batch)) => {
                if !self.has_room(&batch) {
                    return self.pause_staged();
                }
                return self.apply_step(batch);
            }
            Err(fault @ ReadFault::Row { .. }) if !staged.is_in_force() => {
                self.end_staged(Err(CommitError::NotApplied(fault.into())));
                return Ok(());
            }
            Err(fault) => return Err(fault.into()),
        }
        if let Some((staged, _)) = &mut self.work.staged {
            staged.advance();
            if staged.next() == Next::Done {
                self.end_staged(Ok(()));
            }
        }
        Ok(())
    }

    fn apply_step(&mut self, batch: Batch) -> Result<(), ApplyError> {
        if let Some((staged, _)) = &self.work.staged {
            self.view.keep(staged.keys_to_move());
        }
        let snapshot = self.apply(batch)?;
        let Some((staged, reply)) = &mut self.work.staged else {
            return Ok(());
        };
        match staged.next() {
            Next::Commit => {
                self.view.install(staged.commit().pending.clone());
                if let Some(reply) = reply.take() {
                    let _ = reply.send(Ok(()));
                }
            }
            Next::Move(_) => self.view.forget(staged.keys_to_move()),
            _ => {}
        }
        staged.advance();
        if staged.next() == Next::Done {
            self.view.settle(snapshot);
            self.end_staged(Ok(()));
        }
        Ok(())
    }

    /// In a damaged store: refuses a large commit, or stops one in force.
    fn hold_staged(&mut self, damage: StorageError) -> Result<(), ApplyError> {
        let refused = CommitError::NotApplied(damage.clone());
        if matches!(&self.work.staged, Some((staged, _)) if staged.is_in_force()) {
            self.work.is_blocked = true;
            // It may never end, so no caller waits for it.
            for check in self.work.checks.drain(..) {
                check.refuse(&damage);
            }
            for request in self.work.waiting.drain(..) {
                let _ = request.reply.send(Err(refused.clone()));
            }
        } else {
            self.end_staged(Err(refused));
        }
        Ok(())
    }

    /// Without room: refuses a large commit, or pauses one in force.
    fn pause_staged(&mut self) -> Result<(), ApplyError> {
        let is_in_force = matches!(&self.work.staged, Some((staged, _)) if staged.is_in_force());
        if is_in_force {
            self.work.is_blocked = true;
            let refused = CommitError::NotApplied(no_room());
            for request in self.work.waiting.drain(..) {
                let _ = request.reply.send(Err(refused.clone()));
            }
            return Ok(());
        }
        let mark = self.mark;
        let engine = self.engine()?;
        let (mark, _) = caught(|| staged::finish(engine, mark))??;
        self.mark = mark;
        self.directory.record(mark);
        self.end_staged(Err(CommitError::NotApplied(no_room())));
        Ok(())
    }

    /// Ends a large commit, and releases the commits waiting for it.
    pub(super) fn end_staged(&mut self, result: Result<(), CommitError>) {
        if let Some((_, Some(reply))) = self.work.staged.take() {
            let _ = reply.send(result);
        }
        self.work.ready.append(&mut self.work.waiting);
    }
}
