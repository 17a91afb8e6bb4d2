//! Creating, changing and deleting a record of any kind.

use async_trait::async_trait;

use super::{
    answer::{Answer, Outcome},
    change::Change,
    lookup, references,
    resource::{Draft, Resource},
    room::{Room, check_count},
};
use crate::{
    auth::Access,
    transaction::{Error, Reads, Reason, UnitOfWork},
    wire::{Changed, Deleted, Id, MatchBy, Timestamp},
};

/// A record after a write.
/// The records are boxed, or a batch would copy hundreds of bytes at each function call.
pub(super) struct Saved<R: Resource> {
    /// The record before, if there was one.
    pub(super) old: Option<Box<R>>,
    pub(super) record: Box<R>,
    /// Unset if the draft changes nothing: then nothing was written.
    pub(super) is_changed: bool,
}

/// Creates a record, without its event.
pub(super) async fn insert<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    draft: &Draft<R>,
) -> Result<Saved<R>, Error> {
    draft.check_required()?;
    check_count::<R>(unit, R::LIST)?;
    let mut record = Box::new(R::blank(unit, access));
    record.fill(draft, None, unit, access).await?;
    references::check::<R>(unit, access, None, &record).await?;
    lookup::check_unique::<R>(unit, None, &record).await?;
    unit.save::<R>(None, &record);
    Ok(Saved {
        old: None,
        record,
        is_changed: true,
    })
}

/// Changes a record, without its event.
/// A write without an effect writes nothing.
pub(super) async fn change<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    old: Box<R>,
    draft: &Draft<R>,
) -> Result<Saved<R>, Error> {
    let mut record = old.clone();
    record.fill(draft, Some(&old), unit, access).await?;
    save_change(unit, access, old, record).await
}

/// Writes `record` in place of `old`, without its event, if they differ.
async fn save_change<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    old: Box<R>,
    mut record: Box<R>,
) -> Result<Saved<R>, Error> {
    let is_changed = record != old;
    if is_changed {
        references::check::<R>(unit, access, Some(&old), &record).await?;
        lookup::check_unique::<R>(unit, Some(&old), &record).await?;
        record.set_updated_at(unit.time());
        unit.save::<R>(Some(&old), &record);
    }
    Ok(Saved {
        old: Some(old),
        record,
        is_changed,
    })
}

/// Writes `record` in place of `old`, with its event, if they differ.
pub(crate) async fn replace<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    old: R,
    record: R,
) -> Result<R, Error> {
    let saved = save_change(unit, access, Box::new(old), Box::new(record)).await?;
    if saved.is_changed {
        emit_changed(unit, &*saved.record);
    }
    Ok(*saved.record)
}

/// Changes the record with this id, without its event.
/// Returns the record before and after, or `None` if nothing changed.
pub(crate) async fn update<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    id: Id<R>,
    draft: &Draft<R>,
) -> Result<Option<(Box<R>, Box<R>)>, Error> {
    let old = Box::new(find(unit, id).await?);
    let saved = change(unit, access, old, draft).await?;
    let changed = saved.old.filter(|_| saved.is_changed);
    Ok(changed.map(|old| (old, saved.record)))
}

/// Deletes the record with this id, without its event.
pub(crate) async fn remove<R: Resource>(unit: &mut UnitOfWork<'_>, id: Id<R>) -> Result<(), Error> {
    let record = find(unit, id).await?;
    unit.remove(&record);
    record.on_delete(unit).await
}

/// Creates a record, with its event.
pub(crate) async fn create<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    draft: &Draft<R>,
) -> Result<R, Error> {
    let record = insert(unit, access, draft).await?.record;
    emit_changed(unit, &*record);
    Ok(*record)
}

fn emit_changed<R: Resource>(unit: &mut UnitOfWork<'_>, record: &R) {
    let changed = Changed {
        record,
        deleted: false,
    };
    unit.emit(R::CHANGED, changed);
}

/// Returns the record with this id.
pub(crate) async fn find<R: Resource>(unit: &mut UnitOfWork<'_>, id: Id<R>) -> Result<R, Error> {
    let found = unit.find(id.uuid()).await?;
    found.ok_or_else(|| Error::not_found(R::NAME, id))
}

/// Adds the lookups of a write of `draft`, for any record.
/// For a batch, the records matched `by` a field are read already.
pub(crate) fn reads_of_draft<R: Resource>(
    draft: &Draft<R>,
    by: Option<&MatchBy>,
    reads: &mut Reads,
) {
    lookup::reads(draft, by, reads);
    references::reads(draft, reads);
    R::reads(draft, reads);
}

pub(super) struct Create<R: Resource>(pub(super) Draft<R>);

#[async_trait]
impl<R: Resource> Change for Create<R> {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads_of_draft(&self.0, None, reads);
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        references::reads_elsewhere(&[&self.0], access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let record = create(unit, access, &self.0).await?;
        Answer::with(Outcome::Created, &record)
    }
}

pub(super) struct Update<R: Resource> {
    pub(super) id: Id<R>,
    pub(super) draft: Draft<R>,
    /// The required time of the last change before; `None` for any.
    pub(super) of: Option<Timestamp>,
}

#[async_trait]
impl<R: Resource> Change for Update<R> {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        let Self { id, draft, .. } = self;
        reads.record::<R>(id.uuid());
        R::reads_of(*id, Some(draft), None, reads);
        reads_of_draft(draft, None, reads);
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        references::reads_elsewhere(&[&self.draft], access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let Self { id, draft, of } = self;
        let old = Box::new(find(unit, *id).await?);
        if of.is_some_and(|time| time != old.updated_at()) {
            let problem = "has changed since; read the record again";
            return Err(Error::Conflict(Reason::of("updatedAt", problem)));
        }
        let saved = change(unit, access, old, draft).await?;
        if saved.is_changed {
            emit_changed(unit, &*saved.record);
        }
        Answer::with(Outcome::Done, &saved.record)
    }
}

pub(super) struct Delete<R>(pub(super) Id<R>);

#[async_trait]
impl<R: Resource> Change for Delete<R> {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<R>(self.0.uuid());
        R::reads_of(self.0, None, None, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, _: &Access) -> Result<Answer, Error> {
        let record = find(unit, self.0).await?;
        unit.remove(&record);
        let deleted = Deleted {
            id: self.0.uuid(),
            deleted: true,
        };
        unit.emit(R::CHANGED, deleted);
        record.on_delete(unit).await?;
        Ok(Answer::new(Outcome::Removed, Vec::new()))
    }

    fn weight(&self) -> usize {
        R::DELETE_WEIGHT
    }

    fn room(&self) -> Room {
        Room::Removal
    }
}
