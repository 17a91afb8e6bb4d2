//! Batches: many records of a kind created and changed at once.
//!
//! A batch means: apply the items in the order of the request, each as if it were alone, all in
//! one commit. A failed item leaves nothing behind; a later item sees what an earlier one did.

use async_trait::async_trait;
use rustc_hash::FxHashSet;
use uuid::Uuid;

use super::{
    answer::{Answer, Outcome},
    change::Change,
    crud::{Saved, change, insert},
    resource::{Draft, Purpose, Resource},
};
use crate::{
    access::Access,
    error::{Error, Reason},
    record::{
        MOST_HOLDERS, Reads, Unit,
        keys::{Family, Part, key},
    },
    wire::{
        BatchInput, BatchResult, BatchStatus, EventType, ItemResult, MatchBy, RecordsWritten,
        read::{BatchRequest, Invalid},
    },
};

/// A kind of record that is written in batches.
pub trait Upsert: Resource<Input: BatchInput> {
    /// The event of a batch.
    const BATCH_CHANGED: EventType;
    /// What is known of the effects of the items so far.
    #[doc(hidden)]
    type Effects: Default + Send;

    /// The record that an item means, as far as the item itself tells. `None`: the item has no
    /// such key, and matches nothing.
    #[doc(hidden)]
    fn matched<'i>(item: &'i Self::Input, by: &MatchBy) -> Option<Match<'i>>;

    /// The item's external id, which stands in its result.
    #[doc(hidden)]
    fn external_id(item: &Self::Input) -> Option<&str>;

    /// The record's external id.
    #[doc(hidden)]
    fn own_external_id(&self) -> Option<&str>;

    /// Notes the effect of the item whose result comes next; earlier results may change by it.
    #[doc(hidden)]
    fn note(
        _effects: &mut Self::Effects,
        _id: Uuid,
        _effect: Self::Effect,
        _result: &mut ItemResult,
        _earlier: &mut [ItemResult],
    ) {
    }

    /// What the result says of all effects together.
    #[doc(hidden)]
    fn extra(_effects: &Self::Effects) -> Extra<Self> {
        Extra::<Self>::default()
    }
}

/// What the result of a batch says besides the counts and the items.
pub(super) type Extra<R> = <<R as Resource>::Input as BatchInput>::Extra;

/// The key by which an item of a batch finds its record.
#[derive(Clone, Copy, Debug)]
pub enum Match<'i> {
    /// The record's own id: one that is unknown is an error.
    Id(Uuid),
    /// The entry of a unique index.
    Unique(Family, &'i str),
    /// The entries of an index that several records may share: the record has to be the only one.
    Holders(Family, &'i str),
}

/// A batch whose items are checked as far as they can be without the state.
pub(super) struct Batch<R: Resource> {
    match_by: MatchBy,
    create_missing: bool,
    dry_run: bool,
    items: Vec<Result<Draft<R>, Refused>>,
}

/// An item that was refused before it was tried.
struct Refused {
    invalid: Invalid,
    external_id: Option<String>,
}

impl<R: Upsert> Batch<R> {
    pub(super) fn checked(batch: BatchRequest<R::Input>) -> Result<Self, Invalid> {
        batch.check()?;
        let check = |item: Result<R::Input, (Invalid, Option<String>)>| {
            let item = item.map_err(|(invalid, external_id)| Refused {
                invalid,
                external_id,
            })?;
            let external_id = R::external_id(&item).map(str::to_owned);
            Draft::check(item, Purpose::Change).map_err(|invalid| Refused {
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

    /// The id of the record that an item means, as far as it is known without looking it up.
    fn known_id(&self, unit: &Unit<'_>, item: &R::Input) -> Option<Uuid> {
        let partition = unit.partition();
        match R::matched(item, &self.match_by)? {
            Match::Id(id) => Some(id),
            Match::Unique(family, text) => {
                let entry = unit.known(&key(partition, family, &[Part::Text(text)]))?;
                Uuid::from_slice(&entry?).ok()
            }
            Match::Holders(family, text) => {
                unit.known_holder(&key(partition, family, &[Part::Text(text)]))
            }
        }
    }

    /// The record that an item means, if there is one.
    async fn find(&self, unit: &mut Unit<'_>, item: &R::Input) -> Result<Option<R>, Error> {
        let id = match R::matched(item, &self.match_by) {
            None => None,
            Some(Match::Id(id)) => {
                let found = unit.find(id).await?;
                let unknown = || {
                    let problem = format!("there is no {} {id} at this location", R::NAME);
                    Error::NotFound(Reason::of("id", problem))
                };
                return found.map(Some).ok_or_else(unknown);
            }
            Some(Match::Unique(family, text)) => unit.find_unique(family, text).await?,
            Some(Match::Holders(family, text)) => {
                let prefix = key(unit.partition(), family, &[Part::Text(text)]);
                match unit.two_holders(&prefix).await?[..] {
                    [] => None,
                    [holder] => Some(holder),
                    _ => {
                        return Err(Error::conflict(
                            self.match_by.as_str(),
                            format!(
                                "several {} have \"{text}\"; match them by id or externalId",
                                R::LIST
                            ),
                        ));
                    }
                }
            }
        };
        match id {
            Some(id) => Ok(unit.find(id).await?),
            None => Ok(None),
        }
    }

    async fn write_item(
        &self,
        unit: &mut Unit<'_>,
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
impl<R: Upsert> Change for Batch<R> {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        for item in self.items.iter().flatten() {
            match R::matched(item, &self.match_by) {
                None => {}
                Some(Match::Id(id)) => reads.record::<R>(id),
                Some(Match::Unique(family, text)) => reads.unique::<R>(family, text),
                Some(Match::Holders(family, text)) => {
                    reads.holders::<R>(family, text, MOST_HOLDERS);
                }
            }
            R::reads(item, Some(&self.match_by), reads);
        }
    }

    fn more_reads(&self, access: &Access, unit: &Unit<'_>, reads: &mut Reads) {
        let items: Vec<_> = self.items.iter().flatten().collect();
        for item in &items {
            if let Some(id) = self.known_id(unit, item) {
                R::reads_of(id, Some(item), reads);
            }
        }
        R::more_reads(&items, access, unit, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, access: &Access) -> Result<Answer, Error> {
        let mut outcome = BatchResult::<Extra<R>>::default();
        outcome.results.reserve(self.items.len());
        let mut effects = R::Effects::default();
        let mut ids = Vec::new();
        let mut listed = FxHashSet::default();
        for (index, item) in self.items.iter().enumerate() {
            unit.savepoint();
            let written = match item {
                Ok(item) => self.write_item(unit, access, item).await,
                Err(refused) => Err(refused.invalid.clone().into()),
            };
            let result = match written {
                Ok((status, saved)) => {
                    unit.release();
                    let id = saved.record.id();
                    if saved.is_changed && listed.insert(id) {
                        ids.push(id);
                    }
                    let mut result = ItemResult {
                        id: Some(id),
                        external_id: saved.record.own_external_id().map(str::to_owned),
                        ..ItemResult::new(index, status)
                    };
                    let earlier = &mut outcome.results;
                    R::note(&mut effects, id, saved.effect, &mut result, earlier);
                    result
                }
                // A fault of ours is not the item's: the whole batch may be repeated.
                Err(error @ Error::Internal(_)) => {
                    unit.rollback();
                    return Err(error);
                }
                Err(error) => {
                    unit.rollback();
                    failed::<R>(index, item, &error)
                }
            };
            match result.status {
                BatchStatus::Created => outcome.created += 1,
                BatchStatus::Updated => outcome.updated += 1,
                BatchStatus::Unchanged => outcome.unchanged += 1,
                _ => outcome.failed += 1,
            }
            outcome.results.push(result);
        }
        outcome.extra = R::extra(&effects);
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

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

fn failed<R: Upsert>(index: usize, item: &Result<Draft<R>, Refused>, error: &Error) -> ItemResult {
    let external_id = match item {
        Ok(item) => R::external_id(item).map(str::to_owned),
        Err(refused) => refused.external_id.clone(),
    };
    ItemResult {
        external_id,
        error: Some(error.detail()),
        ..ItemResult::new(index, BatchStatus::Failed)
    }
}
