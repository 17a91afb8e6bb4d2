//! Undoing the last bulk change of products.

use async_trait::async_trait;
use serde::{Deserialize, de::IgnoredAny};
use uuid::Uuid;

use super::{super::products, caller::check_owner, change::ProductBulkResult, former::BulkBefore};
use crate::{
    auth::Access,
    engine::{
        self, Answer, Change, Draft, MOST_RECORDS, Outcome, Purpose, Records, Request,
        Resource as _, Write, yield_periodically,
    },
    storage::{Range, Read, Value},
    transaction::{
        Error, Fault, Reads, Reason, UnitOfWork, User,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Id, Product, Timestamp},
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
    /// Set while none of its products has changed since.
    pub is_undoable: bool,
}

/// The undoing of the bulk change made at this time.
struct Undo {
    at: Timestamp,
}

impl Undo {
    /// Parses the row of the last bulk change, if it is that of this time.
    fn parsed(&self, unit: &UnitOfWork<'_>, row: Option<Value>) -> Result<BulkBefore, Error> {
        if let Some(row) = row {
            let bulk = serde_json::from_slice(&row);
            let bulk: BulkBefore =
                bulk.map_err(|e| Fault::corrupt(&BulkBefore::key(unit.partition()), e))?;
            if bulk.at == self.at {
                return Ok(bulk);
            }
        }
        let problem =
            "cannot be undone: it was undone before, or another bulk change came after it";
        Err(Error::Conflict(Reason::new(problem)))
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
            let draft = Draft::check(former.before, Purpose::Change)?;
            engine::update(unit, access, former.id, &draft).await?;
            restored.push(former.id.uuid());
        }
        BulkBefore::remove(unit);
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
    ///
    /// # Errors
    /// The access is not an owner's.
    pub async fn last_bulk(&self) -> Result<Option<LastBulk>, Error> {
        /// The row without its values.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct BulkSummary {
            at: Timestamp,
            user_id: Option<Id<User>>,
            products: Vec<IgnoredAny>,
        }
        let records = self.json();
        check_owner(records.access())?;
        let location = records.access().partition();
        let store = records.connect.store();
        let row_key = BulkBefore::key(location);
        let Some(row) = store.get(&row_key).await? else {
            return Ok(None);
        };
        let bulk: BulkSummary =
            serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e))?;
        // No other operation has the same time, so the products last changed at it are those unchanged since.
        let start = key(location, Family::ProductByChange, &[KeyPart::Time(bulk.at)]);
        let end = after_prefix(&start);
        let range = Range {
            from: &start,
            to: Some(&end),
        };
        let read = Read::Scan {
            range,
            limit: bulk.products.len(),
            newest_first: false,
        };
        let unchanged = store.read(&[read]).await?.entries().map_err(Fault::from)?;
        Ok(Some(LastBulk {
            at: bulk.at,
            user_id: bulk.user_id,
            products: bulk.products.len(),
            is_undoable: unchanged.len() == bulk.products.len(),
        }))
    }

    /// Undoes the last bulk change, made at the time `at`.
    /// In one commit with one event, all its products get their former values back, or none of them.
    ///
    /// # Errors
    /// The access is not an owner's, it is not the last bulk change any more, or one of its products
    /// has changed or was deleted since.
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
