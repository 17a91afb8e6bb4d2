//! Undoing the last bulk change of products.

use std::iter;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    super::products,
    caller::check_owner,
    change::ProductBulkResult,
    former::{BulkBefore, FormerProduct},
    head::BulkHead,
};
use crate::{
    auth::Access,
    engine::{
        self, Answer, Change, Draft, MOST_RECORDS, Outcome, Purpose, Records, Request,
        Resource as _, Write, yield_periodically,
    },
    storage::{Key, Range, Read, Value},
    transaction::{
        Error, Fault, Reads, Reason, UnitOfWork, User,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Id, Product, Timestamp, limits::BULK_UNDO_DAYS},
};

/// The last bulk change of the products of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastBulk {
    /// Its time.
    pub at: Timestamp,
    /// The user behind it, if it was one.
    pub user_id: Option<Id<User>>,
    /// The number of its products.
    pub products: usize,
    /// Set while an undo is possible.
    /// No product has changed since, and the former categories and option groups are still there.
    pub is_undoable: bool,
}

/// The undoing of the bulk change made at this time.
struct Undo {
    at: Timestamp,
}

impl Undo {
    /// Parses the row of the last bulk change, required to be of this time.
    fn parsed(&self, unit: &UnitOfWork<'_>, row: Option<Value>) -> Result<BulkBefore, Error> {
        let row_key = BulkBefore::key(unit.partition());
        let bulk = row.and_then(|row| readable::<BulkBefore>(&row_key, &row));
        let bulk = bulk.filter(|bulk| bulk.at == self.at);
        let bulk = bulk.filter(|bulk| !BulkHead::is_over(bulk.at, unit.now()));
        bulk.ok_or_else(|| {
            Error::Conflict(Reason::new(format!(
                "cannot be undone: it was undone before, another bulk change came after it, or it is older than \
                 {BULK_UNDO_DAYS} days"
            )))
        })
    }
}

/// Parses a row of the last bulk change. A damaged one counts as none.
fn readable<T: DeserializeOwned>(key: &Key, row: &Value) -> Option<T> {
    let parsed = serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e));
    let logged = |fault: &Fault| {
        tracing::error!(%fault, "the unreadable row of the last bulk change counts as none");
    };
    parsed.inspect_err(logged).ok()
}

/// Gives a product its former values back.
async fn restore(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    former: FormerProduct,
) -> Result<(), Error> {
    let draft = Draft::check(former.before, Purpose::Change)?;
    engine::update(unit, access, former.id, &draft).await?;
    Ok(())
}

/// Refuses an undo for a former value, instead of a field of the form.
fn not_restored(error: Error) -> Error {
    match error {
        Error::Invalid(_) | Error::Conflict(_) | Error::NotFound(_) => {
            Error::Conflict(Reason::new(
                "cannot be undone: a category or an option group of a product is gone, or a code is taken; change \
                 the products by hand",
            ))
        }
        error => error,
    }
}

#[async_trait]
impl Change for Undo {
    fn reads(&self, access: &Access, reads: &mut Reads) {
        reads.shared_row(BulkBefore::key(access.partition()));
    }

    fn more_reads(&self, _: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        let row = unit.known(&BulkBefore::key(unit.partition())).flatten();
        let Ok(bulk) = self.parsed(unit, row) else {
            return;
        };
        for product in bulk.products {
            reads.record::<Product>(product.id.uuid());
            if let Ok(draft) = Draft::check(product.before, Purpose::Change) {
                Product::reads_of(product.id, Some(&draft), None, reads);
                engine::reads_of_draft(&draft, None, reads);
            }
        }
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let row = unit.get(&BulkBefore::key(unit.partition())).await?;
        let bulk = self.parsed(unit, row)?;
        let mut changed_since = 0;
        for former in &bulk.products {
            let product: Option<Product> = unit.find(former.id.uuid()).await?;
            if product.is_none_or(|product| product.updated_at != bulk.at) {
                changed_since += 1;
            }
        }
        if changed_since > 0 {
            let all = bulk.products.len();
            let problem = format!(
                "cannot be undone: {changed_since} of its {all} products changed or were deleted since; change \
                 the rest by hand"
            );
            return Err(Error::Conflict(Reason::new(problem)));
        }
        let mut restored: Vec<Uuid> = Vec::with_capacity(bulk.products.len());
        for (place, former) in bulk.products.into_iter().enumerate() {
            yield_periodically(place).await;
            restored.push(former.id.uuid());
            let done = restore(unit, access, former).await;
            done.map_err(not_restored)?;
        }
        BulkHead::remove(unit);
        products::emit_bulk(unit, &restored, &[]);
        let result = ProductBulkResult {
            affected: restored.len(),
            ..ProductBulkResult::default()
        };
        Answer::with(Outcome::Done, &result)
    }

    /// Their number is known only from the row.
    fn weight(&self) -> usize {
        MOST_RECORDS
    }
}

impl Records<Product> {
    /// Returns the last bulk change, if it changed products and is not undone.
    /// One older than 7 days is left out.
    ///
    /// # Errors
    /// The access is not an owner's.
    pub async fn last_bulk(&self) -> Result<Option<LastBulk>, Error> {
        let records = self.json();
        check_owner(records.access())?;
        let location = records.access().partition();
        let store = records.connect.store();
        let head_key = BulkHead::key(location);
        let row = store.get(&head_key).await?;
        let bulk = row.and_then(|row| readable::<BulkHead>(&head_key, &row));
        let now = records.connect.now();
        let Some(bulk) = bulk.filter(|bulk| !BulkHead::is_over(bulk.at, now)) else {
            return Ok(None);
        };
        // No other operation has the same time, so the products last changed at it are those unchanged since.
        let start = key(location, Family::ProductByChange, &[KeyPart::Time(bulk.at)]);
        let end = after_prefix(&start);
        let range = Range {
            from: &start,
            to: Some(&end),
        };
        let unchanged = Read::Scan {
            range,
            limit: bulk.products,
            newest_first: false,
        };
        let needed = bulk.needed(location);
        let needed = needed.iter().map(|key| Read::Get(key));
        let reads: Vec<_> = iter::once(unchanged).chain(needed).collect();
        let mut state = store.read(&reads).await?;
        let unchanged = state.entries().map_err(Fault::from)?;
        let mut is_undoable = unchanged.len() == bulk.products;
        for _ in 1..reads.len() {
            is_undoable &= state.value().map_err(Fault::from)?.is_some();
        }
        Ok(Some(LastBulk {
            at: bulk.at,
            user_id: bulk.user_id,
            products: bulk.products,
            is_undoable,
        }))
    }

    /// Undoes the last bulk change, made at the time `at`.
    /// In one commit with one event, all its products get their former values back, or none of them.
    ///
    /// # Errors
    /// The access is not an owner's, it is not the last bulk change any more or older than 7 days, one
    /// of its products has changed or was deleted since, or a former value is not possible any more.
    pub fn undo_last_bulk(&self, at: Timestamp) -> Write<ProductBulkResult> {
        let records = self.json().clone();
        let target = format!("{}bulk", self.target(None));
        Write::new("undo", target, at, move |request: Request<_>| {
            Box::pin(async move {
                check_owner(records.access())?;
                let change = move |()| Ok(Box::new(Undo { at }) as _);
                let (connect, access) = (&records.connect, &records.access);
                connect.write(access, request.map(|_| ()), change).await
            })
        })
    }
}
