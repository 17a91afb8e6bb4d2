//! Batches: many records of a kind created and changed at once.
//!
//! The items are applied in the order of the request, each as if it were alone, all in one commit. A failed
//! item leaves no changes; a later item sees the changes of an earlier one.

use async_trait::async_trait;
use rustc_hash::FxHashSet;
use uuid::Uuid;

use super::{
    answer::{Answer, Outcome},
    change::Change,
    crud::{Saved, change, insert, reads_of_draft},
    item_errors::ItemErrors,
    lookup, references,
    resource::{Draft, Purpose, Resource},
    room::{Room, check_bytes},
};
use crate::{
    auth::Access,
    transaction::{
        Error, Index, IndexKind, Indexed, MOST_HOLDERS, Reads, Reason, Record, UnitOfWork,
        keys::key,
    },
    wire::{
        BatchInput, BatchResult, BatchStatus, ErrorDetail, EventType, ItemResult, MatchBy,
        RecordsWritten, WireRecord,
        limits::MAX_EXTERNAL_ID,
        read::{BatchRequest, Invalid},
    },
};

/// A kind of record with batch writes.
/// Items are matched by the id or by an index, named in `MATCH_BY` of the input.
pub trait Upsert: Resource<Input: BatchInput> {
    /// The event of a batch.
    const BATCH_CHANGED: EventType;
    /// The additional part of the result; `()` if there is none.
    #[doc(hidden)]
    type Tally: Tally<Self>;
}

/// Collects the additional part of a batch's result.
#[doc(hidden)]
pub trait Tally<R: Upsert>: Default + Send {
    /// Records an item's record before and after the change.
    /// The result of the item is the last of `results`. Earlier results may change too.
    fn add(&mut self, old: Option<&R>, new: &R, results: &mut [ItemResult]);

    /// Returns the additional part of the result.
    fn extra(&self) -> Extra<R>;
}

impl<R: Upsert<Input: BatchInput<Extra = ()>>> Tally<R> for () {
    fn add(&mut self, _: Option<&R>, _: &R, _: &mut [ItemResult]) {}

    fn extra(&self) {}
}

/// The additional part of a batch's result, besides the counts and the items.
pub(super) type Extra<R> = <<R as WireRecord>::Input as BatchInput>::Extra;

/// The key for matching an item with its record.
enum Match<'i, R: Record> {
    /// The record's own id: an unknown one is an error.
    Id(Uuid),
    /// The value of an index: exactly one record must have it.
    Index(&'static Index<R>, Indexed<'i>),
}

/// A batch with items checked as far as possible without the state.
pub(super) struct PreparedBatch<R: Resource> {
    match_by: MatchBy,
    create_missing: bool,
    dry_run: bool,
    items: Vec<Result<Draft<R>, RefusedItem>>,
}

/// An item refused before being applied.
struct RefusedItem {
    invalid: Invalid,
    external_id: Option<String>,
}

impl<R: Upsert> PreparedBatch<R> {
    pub(super) fn checked(batch: BatchRequest<R::Input>) -> Result<Self, Invalid> {
        batch.check()?;
        let check = |item: Result<R::Input, (Invalid, Option<String>)>| {
            let item = item.map_err(|(invalid, external_id)| RefusedItem {
                invalid,
                external_id,
            })?;
            let external_id = item.external_id().map(str::to_owned);
            Draft::check(item, Purpose::Change).map_err(|invalid| RefusedItem {
                invalid,
                external_id,
            })
        };
        Ok(Self {
            match_by: batch.match_by,
            create_missing: batch.create_missing,
            dry_run: batch.dry_run,
            items: batch.items.into_iter().map(check).collect(),
        })
    }

    /// Returns an item's key for matching.
    /// `None` if the item has no such key; it then matches no record.
    fn key_of<'i>(&self, item: &'i R::Input) -> Option<Match<'i, R>> {
        match &self.match_by {
            MatchBy::Id => item.id().map(Match::Id),
            field => {
                let index = lookup::index_by::<R>(field.as_str())?;
                Some(Match::Index(index, (index.of_input)(item)?))
            }
        }
    }

    /// Returns the id of an item's record, if known without a lookup.
    fn known_id(&self, unit: &UnitOfWork<'_>, item: &R::Input) -> Option<Uuid> {
        match self.key_of(item)? {
            Match::Id(id) => Some(id),
            Match::Index(index, value) if index.kind == IndexKind::Unique => {
                unit.known_unique(index.family, value)
            }
            Match::Index(index, value) => {
                unit.known_holder(&key(unit.partition(), index.family, &[value.part()]))
            }
        }
    }

    /// Returns the record of an item, if there is one.
    async fn find(
        &self,
        unit: &mut UnitOfWork<'_>,
        item: &R::Input,
    ) -> Result<Option<Box<R>>, Error> {
        let id = match self.key_of(item) {
            None => None,
            Some(Match::Id(id)) => {
                let found = unit.find(id).await?;
                let unknown = || {
                    let problem = format!("there is no {} {id} at this location", R::NAME);
                    Error::NotFound(Reason::of("id", problem))
                };
                return found.map(|found| Some(Box::new(found))).ok_or_else(unknown);
            }
            Some(Match::Index(index, value)) if index.kind == IndexKind::Unique => {
                unit.find_unique(index.family, value).await?
            }
            Some(Match::Index(index, value)) => {
                let prefix = key(unit.partition(), index.family, &[value.part()]);
                match unit.two_holders(&prefix).await?[..] {
                    [] => None,
                    [holder] => Some(holder),
                    _ => {
                        let (list, field) = (R::LIST, index.field);
                        let problem = format!(
                            "several {list} have \"{value}\"; match them by id or externalId"
                        );
                        return Err(Error::conflict(field, problem));
                    }
                }
            }
        };
        match id {
            Some(id) => Ok(unit.find(id).await?.map(Box::new)),
            None => Ok(None),
        }
    }

    async fn write_item(
        &self,
        unit: &mut UnitOfWork<'_>,
        access: &Access,
        item: &Draft<R>,
    ) -> Result<(BatchStatus, Saved<R>), Error> {
        if let Some(old) = self.find(unit, item).await? {
            let saved = change(unit, access, old, item).await?;
            let status = if saved.is_changed {
                BatchStatus::Updated
            } else {
                BatchStatus::Unchanged
            };
            return Ok((status, saved));
        }
        if !self.create_missing {
            let problem = format!("matches no {}, and createMissing is false", R::NAME);
            return Err(Error::NotFound(Reason::of(self.match_by.as_str(), problem)));
        }
        Ok((BatchStatus::Created, insert(unit, access, item).await?))
    }
}

#[async_trait]
impl<R: Upsert> Change for PreparedBatch<R> {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        for item in self.items.iter().flatten() {
            match self.key_of(item) {
                None => {}
                Some(Match::Id(id)) => reads.record::<R>(id),
                Some(Match::Index(index, value)) if index.kind == IndexKind::Unique => {
                    reads.unique::<R>(index.family, value);
                }
                Some(Match::Index(index, value)) => {
                    reads.holders::<R>(index.family, value, MOST_HOLDERS);
                }
            }
            reads_of_draft(item, Some(&self.match_by), reads);
        }
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        let items: Vec<_> = self.items.iter().flatten().collect();
        for item in &items {
            if let Some(id) = self.known_id(unit, item) {
                R::reads_of(id.into(), Some(item), Some(unit), reads);
            }
        }
        references::reads_elsewhere(&items, access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let mut outcome = BatchResult::<Extra<R>>::default();
        outcome.results.reserve(self.items.len());
        let mut tally = R::Tally::default();
        let mut ids = Vec::new();
        let mut listed = FxHashSet::default();
        let mut errors = ItemErrors::new();
        for (index, item) in self.items.iter().enumerate() {
            unit.savepoint();
            let before = unit.account_bytes();
            let mut written = match item {
                Ok(item) => self.write_item(unit, access, item).await,
                Err(refused) => Err(refused.invalid.clone().into()),
            };
            if written.is_ok()
                && let Err(error) = check_bytes(unit, access, before)
            {
                written = Err(error);
            }
            match written {
                Ok((status, saved)) => {
                    unit.release();
                    let Saved { old, record, .. } = &saved;
                    let id = record.id().uuid();
                    if saved.is_changed && listed.insert(id) {
                        ids.push(id);
                    }
                    *outcome.count_mut(&status) += 1;
                    outcome.results.push(ItemResult {
                        id: Some(id),
                        external_id: external_id::<R>(record),
                        ..ItemResult::new(index, status)
                    });
                    tally.add(old.as_deref(), record, &mut outcome.results);
                }
                // An internal error is not the item's: the whole batch may be repeated.
                Err(error @ Error::Internal(_)) => {
                    unit.rollback();
                    return Err(error);
                }
                Err(error) => {
                    unit.rollback();
                    outcome.failed += 1;
                    outcome
                        .results
                        .push(failed::<R>(index, item, errors.of(&error)));
                }
            }
        }
        outcome.extra = tally.extra();
        if !ids.is_empty() {
            let written = RecordsWritten {
                ids,
                created: outcome.created,
                updated: outcome.updated,
            };
            unit.emit(R::BATCH_CHANGED, written);
        }
        Answer::with(Outcome::Done, &outcome)
    }

    fn weight(&self) -> usize {
        self.items.len()
    }

    fn room(&self) -> Room {
        Room::EachItem
    }

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

/// The external id of a record, if its kind has them.
fn external_id<R: Record>(record: &R) -> Option<String> {
    let index = lookup::index_by::<R>(MatchBy::ExternalId.as_str())?;
    (index.of_record)(record).map(|value| value.to_string())
}

fn failed<R: Upsert>(
    index: usize,
    item: &Result<Draft<R>, RefusedItem>,
    error: ErrorDetail,
) -> ItemResult {
    let external_id = match item {
        Ok(item) => item.external_id().map(str::to_owned),
        Err(refused) => refused.external_id.clone(),
    };
    // An id too long for any record is not sent back: it may be as long as the request.
    let external_id = external_id.filter(|id| id.chars().count() <= MAX_EXTERNAL_ID);
    ItemResult {
        external_id,
        error: Some(error),
        ..ItemResult::new(index, BatchStatus::Failed)
    }
}
