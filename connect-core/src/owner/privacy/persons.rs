//! Names of persons blanked on request: in one receipt or order, or everywhere at a location.

use serde_json::Value as Json;
use uuid::Uuid;

use crate::{
    engine::{Connect, blank_event, blank_order, blank_receipt},
    owner::accounts::whole_account,
    rules::role::UserRight,
    storage::Key,
    transaction::{
        Account, End, Error, Fault, Reads, UnitOfWork,
        keys::{Family, after_prefix, key},
    },
    wire::{Id, Location, Order, Transaction, read::Invalid},
};

/// Rows read per commit.
const ROWS: usize = 200;

/// A person to blank.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Person {
    /// The person in the receipt or the order with this id.
    OfRecord(Uuid),
    /// Everybody with exactly this name.
    Named(String),
}

/// The number of blanked records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blanked {
    /// Receipts.
    pub receipts: u64,
    /// Orders. Each has changed, with another `updatedAt`.
    pub orders: u64,
    /// Events, in the feed for up to 30 days.
    pub events: u64,
}

impl Person {
    fn is_in(&self, id: Uuid, name: Option<&str>) -> bool {
        match self {
            Self::OfRecord(record) => *record == id,
            Self::Named(person) => name == Some(&**person),
        }
    }

    fn is_in_event(&self, data: &Json) -> bool {
        let id = data["id"].as_str().and_then(|id| Uuid::parse_str(id).ok());
        let names = ["employee", "customerName"].map(|name| data[name].as_str());
        (names.iter()).any(|name| self.is_in(id.unwrap_or_default(), *name))
    }
}

/// The place of a walk, and its count of blanked rows.
struct Walk {
    from: Option<Key>,
    count: u64,
}

impl Connect {
    /// Blanks the name of a person in all records of a location.
    /// These are receipts, orders and events.
    /// Copies elsewhere keep it: those of integrators, and stored answers for up to a week.
    ///
    /// # Errors
    /// The name is empty, there is no such account or location, or the caller is no owner.
    pub async fn blank_person(
        &self,
        account: Id<Account>,
        location: Id<Location>,
        person: &Person,
    ) -> Result<Blanked, Error> {
        if matches!(person, Person::Named(name) if name.is_empty()) {
            return Err(Invalid::new("name", "must not be empty").into());
        }
        let (found, reach) = self.account_with(account, UserRight::ManagePrivacy).await?;
        whole_account(&reach)?;
        super::check_location(&found, Some(location))?;
        let mut blanked = Blanked::default();
        for (family, count) in [
            (Family::Transaction, &mut blanked.receipts),
            (Family::Order, &mut blanked.orders),
            (Family::Event, &mut blanked.events),
        ] {
            let mut from = Some(key(location.uuid(), family, &[]));
            while let Some(at) = from {
                let walk = self.blank_some(location, (family, &at), person).await?;
                *count += walk.count;
                from = walk.from;
            }
        }
        Ok(blanked)
    }

    /// Blanks the person in the next rows of a family.
    async fn blank_some(
        &self,
        location: Id<Location>,
        (family, at): (Family, &Key),
        person: &Person,
    ) -> Result<Walk, Fault> {
        let end = after_prefix(&key(location.uuid(), family, &[]));
        let end = &end;
        self.store()
            .transact(location, |mut unit| async move {
                unit.load(Reads::of(location.uuid())).await?;
                let rows = unit.scan_range(at, end, ROWS).await?;
                let last = rows.last().filter(|_| rows.len() == ROWS);
                let from = last.map(|(key, _)| [key, &[0][..]].concat().into());
                let mut count = 0;
                for (key, row) in rows {
                    let is_blanked = blank(&mut unit, family, (key, &row), person).await?;
                    count += u64::from(is_blanked);
                }
                if count == 0 {
                    return Ok(End::rollback(Walk { from, count }));
                }
                let object = ("location", location.uuid());
                unit.note_count(object, "blank", count);
                unit.be_quiet();
                unit.keep_progress();
                Ok(End::commit(unit, Walk { from, count }))
            })
            .await
    }
}

/// Blanks the person in a row; `false` if it is not there.
async fn blank(
    unit: &mut UnitOfWork<'_>,
    family: Family,
    (key, row): (Key, &[u8]),
    person: &Person,
) -> Result<bool, Fault> {
    let corrupt = |e| Fault::corrupt(&key, e);
    match family {
        Family::Transaction => {
            let receipt: Transaction = serde_json::from_slice(row).map_err(corrupt)?;
            let name = receipt.employee.as_deref();
            let is_it = person.is_in(receipt.id.uuid(), name);
            // The counts of the location go by the row before.
            Ok(is_it && unit.get(&key).await?.is_some() && blank_receipt(unit, &receipt))
        }
        Family::Order => {
            let order: Order = serde_json::from_slice(row).map_err(corrupt)?;
            let name = order.customer_name.as_deref();
            let is_it = person.is_in(order.id.uuid(), name);
            Ok(is_it && unit.get(&key).await?.is_some() && blank_order(unit, &order))
        }
        _ => blank_event(unit, (key, row), |data| person.is_in_event(data)),
    }
}
