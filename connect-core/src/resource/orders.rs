//! Orders of kiosks and of Scan & Order (specification: Orders).

mod changes;
mod list;
mod paid;

use std::fmt;

use uuid::Uuid;

use self::changes::{ChangeOrder, CreateOrder};
pub(super) use self::paid::{paid, reads_of_paid};
use crate::{
    access::Access,
    engine::{Answer, Connect, Json, Request, Write, decoded, single},
    error::{Error, Refusal},
    record::{
        Change, Fault, Row, Unit, change_key,
        keys::{Family, Part, key},
    },
    wire::{
        EventType, Id, Order, OrderChange, OrderInput, Page, Single, Timestamp, query::OrderQuery,
    },
};

/// The name of one, as messages use it.
const NAME: &str = "order";

impl Row for Order {
    type Key = Change;
    const ROWS: Family = Family::Order;
    const IN_ORDER: Option<Family> = Some(Family::OrderByCreation);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> Change {
        (self.created_at, self.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Change> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            id: Uuid,
            created_at: Timestamp,
        }
        serde_json::from_slice(row).map(|order: Made| (order.created_at, order.id))
    }
}

/// The order with this id.
async fn find(unit: &mut Unit<'_>, id: Id<Order>) -> Result<Option<Order>, Fault> {
    let row_key = row_key(unit.partition(), id);
    let row = unit.get(&row_key).await?;
    row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&row_key, e)))
        .transpose()
}

/// Writes `new` in place of `old`, with its entries.
fn save(unit: &mut Unit<'_>, old: Option<&Order>, new: &Order) {
    let partition = unit.partition();
    let by_update = |order: &Order| {
        let (family, id) = (Family::OrderByUpdate, order.id.uuid());
        change_key(partition, family, order.updated_at, id)
    };
    if let Some(old) = old {
        unit.delete(by_update(old));
    }
    let row = unit.append(new);
    unit.put_index(by_update(new), row);
}

/// Writes a changed order in place of `old`, with its event, if they differ.
fn replace(unit: &mut Unit<'_>, old: &Order, order: &mut Order) {
    if order == old {
        return;
    }
    order.updated_at = unit.time();
    save(unit, Some(old), order);
    if order.status != old.status {
        unit.emit(EventType::OrderStatusChanged, &*order);
    }
}

fn row_key(location: Uuid, id: Id<Order>) -> crate::storage::Key {
    key(location, Family::Order, &[Part::Id(id.uuid())])
}

/// The orders of a location. Tokens list and read them; registers, kiosks and Scan & Order write
/// them.
#[derive(Clone)]
pub struct Orders {
    connect: Connect,
    access: Access,
}

impl Orders {
    pub(super) fn new(connect: &Connect, access: &Access) -> Self {
        Self {
            connect: connect.clone(),
            access: access.clone(),
        }
    }

    /// Returns a page of the list: by `createdAt`, or with `updatedSince` by `updatedAt`.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list(&self, query: &OrderQuery) -> Result<Page<Order>, Error> {
        decoded(self.list_json(query).await?.decode())
    }

    /// Returns one order.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, id: impl Into<Id<Order>>) -> Result<Order, Error> {
        let single = decoded(self.get_json(id.into()).await?.decode())?;
        Ok(single.data)
    }

    /// The same for a server: the order is JSON.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_json(&self, id: Id<Order>) -> Result<Json<Single<Order>>, Error> {
        let key = row_key(self.access.location().id.uuid(), id);
        let row = self.connect.store().get(&key).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Error::not_found(NAME, id))
    }

    /// Makes an order, for the kiosk or the Scan & Order page that the access was given to.
    ///
    /// # Errors
    /// A field is invalid, a line does not add up, or the access is not that of such a screen.
    pub fn create(&self, input: OrderInput) -> Write<Order> {
        let this = self.clone();
        Write::new("create", self.target(None), input, move |request| {
            Box::pin(this.create_json(request))
        })
    }

    /// The same for a server.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub async fn create_json(self, request: Request<OrderInput>) -> Result<Answer, Refusal> {
        changes::maker(&self.access)?;
        let change = |input| Ok(Box::new(CreateOrder::check(input)?) as _);
        self.connect.write(self.access, request, change).await
    }

    /// Changes the given fields of an order, for a register, or for the screen that made it.
    ///
    /// # Errors
    /// There is no such order, the screen may not change it, it cannot move to this state, or the
    /// transaction is not that of this order.
    pub fn update(&self, id: impl Into<Id<Order>>, change: OrderChange) -> Write<Order> {
        let (this, id) = (self.clone(), id.into());
        Write::new("update", self.target(Some(id)), change, move |request| {
            Box::pin(this.update_json(id, request))
        })
    }

    /// The same for a server.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn update_json(
        self,
        id: Id<Order>,
        request: Request<OrderChange>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send {
        let change = move |input| Ok(Box::new(ChangeOrder::check(id, input)?) as _);
        async move { self.connect.write(self.access, request, change).await }
    }

    /// The orders, or the one, that a write is about.
    fn target(&self, id: Option<Id<Order>>) -> String {
        let location = self.access.location().id;
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        format!("{location}/orders/{id}")
    }
}

impl fmt::Debug for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orders")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}
